"""Remembers what a project's own item class adds to a page, for pages that are delivered after they came."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from focused.items import PageItem

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_PAGES = 100_000
"""Pages whose own fields are remembered, the latest: some hundred bytes each."""
_PAGE_FIELDS = {each.name for each in fields(PageItem)}


class OwnFields:
    """The class of each page's item, and the values of the fields that this class adds to `PageItem`.

    The collection has no columns for them, and they are in memory only. A page of an earlier run, or one that has been
    forgotten, becomes an item of the class that came last, whose own fields have their default values.
    """

    def __init__(self, max_pages: int = _MAX_PAGES) -> None:
        self._max_pages = max_pages
        self._kept: OrderedDict[str, tuple[type[PageItem], dict[str, Any]]] = OrderedDict()
        self._last: type[PageItem] = PageItem

    def remember(self, item: PageItem) -> None:
        """Note the class and the own fields of an item; of a plain `PageItem` nothing is kept while no other came."""
        if type(item) is PageItem and self._last is PageItem:
            return
        self._last = type(item)
        self._kept[item.url] = self._last, {name: getattr(item, name) for name in _own_names(self._last)}
        if len(self._kept) > self._max_pages:
            self._kept.popitem(last=False)

    def late(self, row: Mapping[str, Any]) -> PageItem:
        """Return the item of a page that came before, made from its row in the collection."""
        kind, own = self._kept.get(row["url"], (self._last, {}))
        names = _own_names(kind)  # a column of the same name means something else
        return kind.late({**{name: value for name, value in row.items() if name not in names}, **own})


def _own_names(kind: type[PageItem]) -> set[str]:
    return {each.name for each in fields(kind)} - _PAGE_FIELDS
