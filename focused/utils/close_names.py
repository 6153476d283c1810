"""Suggests a known name for one that was mistyped."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> str:
    """Return a question if a name looks like a known one, apart from a prefix that all of them have.

    >>> did_you_mean("max_page", ["topic", "max_pages"]), did_you_mean("--positives", ["--positive"], "--")
    (" Did you mean 'max_pages'?", " Did you mean '--positive'?")
    >>> did_you_mean("colour", ["topic"])
    ''
    """
    close = get_close_matches(name.removeprefix(prefix), [each.removeprefix(prefix) for each in known], 1)
    return f" Did you mean {prefix + close[0]!r}?" if close else ""
