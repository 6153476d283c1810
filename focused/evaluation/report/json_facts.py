"""The contents of JSON files as HTML: parameters, versions, digests."""

from __future__ import annotations

import shlex
from typing import Any

from focused.evaluation.report.markup import Markup, element, joined, shorten

_MAX_ITEMS = 60
_MAX_CHARS = 600
_MAX_DEPTH = 4


def facts(values: dict[str, Any], depth: int = 0) -> Markup:
    """Return names and values; nested and long ones are visibly cut."""
    pairs = [
        joined((element("dt", shorten(str(name).replace("_", " "), 80)), element("dd", fact(value, depth + 1))))
        for name, value in list(values.items())[:_MAX_ITEMS]
    ]
    more = len(values) - _MAX_ITEMS
    if more > 0:
        pairs.append(joined((element("dt", "…"), element("dd", f"{more:,} more"))))
    return element("dl", *pairs, class_="facts")


def fact(value: Any, depth: int = 1) -> Markup:
    """Return one value of a JSON file."""
    if isinstance(value, dict) and value:
        if depth >= _MAX_DEPTH:
            return element("span", shorten(value, _MAX_CHARS))
        return facts(value, depth)
    if isinstance(value, list) and value:
        if all(not isinstance(item, dict | list) for item in value):
            shown = ", ".join(str(item) for item in value[:_MAX_ITEMS])
            more = f" and {len(value) - _MAX_ITEMS:,} more" if len(value) > _MAX_ITEMS else ""
            return element("bdi", shorten(shown, _MAX_CHARS * 4) + more)
        items = [fact(item, depth + 1) for item in value[:_MAX_ITEMS]]
        if len(value) > _MAX_ITEMS:
            items.append(element("p", f"{len(value) - _MAX_ITEMS:,} more"))
        return joined(items)
    if isinstance(value, float):
        return element("span", f"{value:,.6g}")
    if isinstance(value, bool) or value is None:
        return element("span", {True: "yes", False: "no", None: "none"}[value])
    return element("bdi", shorten(value if value not in ("", [], {}) else "none", _MAX_CHARS))


def command(value: Any) -> Markup:
    """Return the command that was run, ready to paste into a shell."""
    text = shlex.join(map(str, value)) if isinstance(value, list) else str(value or "")
    return element("pre", element("code", text)) if text else element("p", "The files do not say by which command.")
