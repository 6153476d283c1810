"""Keeps the fields of a project's own item class, for pages that are delivered late."""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from focused.items import PageItem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)

NOT_KEPT = "focused/collection/own_fields_not_kept_count"

_MAX_PAGES = 100_000
"""Pages whose own fields are in memory, the latest: some hundred bytes each."""
_MAX_CHARACTERS = 100_000
"""Of a value's JSON. A longer one, perhaps the page's bytes, would make the collection larger than its pages do."""
_PAGE_FIELDS = {each.name for each in fields(PageItem)}


class StoredFields:
    """Turns the class and the own fields of an item into the text that the page's row keeps of them.

    What is no JSON value, or longer than 100,000 characters, is not kept: the log names the first such value of each field,
    the stat counts all.

    Stats: ``focused/collection/own_fields_not_kept_count``.
    """

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats
        self._named: set[tuple[type[PageItem], str]] = set()

    def text_of(self, item: PageItem) -> str:
        """Return a JSON object with ``class`` and ``fields``; an empty text for a plain `PageItem`."""
        kind = type(item)
        if kind is PageItem:
            return ""
        kept = []
        for name in _own_names(kind):
            value = getattr(item, name)
            try:
                text = json.dumps(value, ensure_ascii=False, allow_nan=False)
            except (TypeError, ValueError, RecursionError):
                self._leave_out(kind, name, f"a JSON value. Got one of type {type(value).__name__}")
                continue
            if len(text) > _MAX_CHARACTERS:
                self._leave_out(kind, name, f"at most {_MAX_CHARACTERS:,} characters of JSON. Got {len(text):,}")
                continue
            kept.append(f"{json.dumps(name)}: {text}")
        return f'{{"class": {json.dumps(_name_of(kind))}, "fields": {{{", ".join(kept)}}}}}'

    def _leave_out(self, kind: type[PageItem], name: str, why: str) -> None:
        self._stats.inc_value(NOT_KEPT)
        if (kind, name) not in self._named:
            self._named.add((kind, name))
            logger.warning(
                "The field %s of %s is not kept with the page: it must be %s. Where the page is delivered late by a resumed "
                "crawl or by a crawl of many workers, the field is missing. More are counted",
                name,
                kind.__name__,
                why,
            )


class OwnFields:
    """The class of each page's item, and the values of the fields that this class adds to `PageItem`.

    The latest pages of this process have theirs in memory, as they came. All others have them from the page's row
    (`StoredFields`). A page whose class this process does not know becomes an item of the class that came last.
    """

    def __init__(self, max_pages: int = _MAX_PAGES) -> None:
        self._max_pages = max_pages
        self._kept: OrderedDict[str, tuple[type[PageItem], dict[str, Any]]] = OrderedDict()
        self._last: type[PageItem] = PageItem
        self._unknown: set[str] = set()

    def remember(self, item: PageItem) -> None:
        """Note the class and the own fields of an item; nothing is kept while all items are plain `PageItem` objects."""
        if type(item) is PageItem and self._last is PageItem:
            return
        self._last = type(item)
        self._kept[item.url] = self._last, {name: getattr(item, name) for name in _own_names(self._last)}
        if len(self._kept) > self._max_pages:
            self._kept.popitem(last=False)

    def late(self, row: Mapping[str, Any]) -> PageItem:
        """Return the item of a page that came before, made from its row in the collection."""
        kind, own = self._kept.get(row["url"]) or self._stored(row)
        names = {each.name for each in fields(kind)} - _PAGE_FIELDS  # a column of the same name means something else
        return kind.late({**{name: value for name, value in row.items() if name not in names}, **own})

    def _stored(self, row: Mapping[str, Any]) -> tuple[type[PageItem], dict[str, Any]]:
        name, own = _read(row)
        # The class is looked for among those that are loaded: a file may be a stranger's, and must not choose what is loaded.
        kind = PageItem if not name else next((each for each in _classes(PageItem) if _name_of(each) == name), None)
        if not name and row.get("own_fields") is None:  # a row of before there was this column
            kind = self._last
        if kind is None:
            if name not in self._unknown:
                self._unknown.add(name)
                logger.warning(
                    "Pages that came as items of %s are delivered late as items of %s: this crawl knows no such class",
                    name,
                    _name_of(self._last),
                )
            kind = self._last
        wanted = _own_names(kind)
        return kind, {name: value for name, value in own.items() if name in wanted}


def own_values(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the project's own item class that a page's row keeps, by name."""
    return {name: value for name, value in _read(row)[1].items() if name not in _PAGE_FIELDS}


def _read(row: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name of the class and the values that a row keeps; an empty name if it keeps none, or is damaged."""
    try:
        found = json.loads(row.get("own_fields") or "null")
        return str(found["class"]), dict(found["fields"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return "", {}


def _own_names(kind: type[PageItem]) -> list[str]:
    """Return the fields that a class adds and that its constructor takes."""
    return [each.name for each in fields(kind) if each.init and each.name not in _PAGE_FIELDS]


def _classes(kind: type[PageItem]) -> Iterator[type[PageItem]]:
    for each in kind.__subclasses__():
        yield each
        yield from _classes(each)


def _name_of(kind: type[PageItem]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
