"""Reads what JSON-LD says of a page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MAX_OBJECTS = 200
_MAX_NAMES = 10
_NO_PAGES = frozenset(
    "organization person website breadcrumblist imageobject videoobject sitenavigationelement searchaction comment "
    "review".split()
)


def claims_of_json_ld(scripts: Iterable[str]) -> dict[str, str]:
    """Return what scripts say of the page: ``author``, ``date``, ``site_name``, ``license``, ``description``, ``language``.

    Of several objects that say something the first counts. What is broken, or of other types than it should be, says nothing.

    >>> claims_of_json_ld(['{"@type": "Article", "datePublished": "2020", "author": [{"name": "A"}, "B"]}', "{"])
    {'author': 'A, B', 'date': '2020'}
    """
    found: dict[str, str] = {}
    for item in _objects(scripts):
        kind = _first_text(item.get("@type")).lower()
        if kind == "website":
            found.setdefault("site_name", _name(item))
        if kind in _NO_PAGES:
            continue
        said = {
            "author": ", ".join(filter(None, map(_name, _some(item.get("author") or item.get("creator"))))),
            "date": _first_text(item.get("datePublished")) or _first_text(item.get("dateCreated")),
            "site_name": _name(next(iter(_some(item.get("isPartOf") or item.get("publisher"))), None)),
            "license": _address(next(iter(_some(item.get("license"))), None)),
            "description": _first_text(item.get("description")),
            "language": _first_text(item.get("inLanguage")),
        }
        for name, value in said.items():
            if value:
                found.setdefault(name, value)
    return {name: value for name, value in found.items() if value}


def _objects(scripts: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the objects at the top of the scripts and in their graphs."""
    waiting: list[Any] = []
    for script in scripts:
        try:
            waiting.append(json.loads(script.strip().removeprefix("<!--").removesuffix("-->")))
        except (ValueError, RecursionError):
            continue
    n_seen = 0
    while waiting and n_seen < _MAX_OBJECTS:
        item = waiting.pop(0)
        n_seen += 1
        if isinstance(item, list):
            waiting[:0] = item[:_MAX_OBJECTS]
        elif isinstance(item, dict):
            yield item
            waiting[:0] = _some(item.get("@graph"))


def _some(value: Any) -> list[Any]:
    """Return a value as a list of a few."""
    if value is None:
        return []
    return value[:_MAX_NAMES] if isinstance(value, list) else [value]


def _first_text(value: Any) -> str:
    for each in _some(value):
        if isinstance(each, str | int) and not isinstance(each, bool):
            return str(each)[:1000]
    return ""


def _name(value: Any) -> str:
    return _first_text(value.get("name")) if isinstance(value, dict) else _first_text(value)


def _address(value: Any) -> str:
    return _first_text(value.get("url") or value.get("@id")) if isinstance(value, dict) else _first_text(value)
