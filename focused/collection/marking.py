"""Marks words in long texts. SQLite's own ``snippet`` takes time with the square of the hits: for a page of 10 MB, hours."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_CHARS = 200_000
"""The beginning of a text in which words are marked."""
_WORD = re.compile(r"\w+")
_OPERATORS = frozenset({"AND", "OR", "NOT", "NEAR"})
_N_AROUND = 24


def marked(text: str, query: str, begin: str, end: str) -> str:
    r"""Return the first part of a text, each word of a query of FTS5 between two marks; words of phrases one by one.

    >>> marked("Caf\xe9 and a star", 'cafe* OR "a star"', "[", "]")
    '[Café] and [a] [star]'
    """
    text, parts, at = text[:MOST_CHARS], list[str](), 0
    for first, last in _hits(text, query):
        parts += [text[at:first], begin, text[first:last], end]
        at = last
    return "".join([*parts, text[at:]])


def snippet(text: str, query: str, begin: str, end: str) -> str:
    """Return some words around the first hit, or the beginning of a text without one, in which the hits are marked."""
    text = text[:MOST_CHARS]
    first, _ = next(_hits(text, query), (0, 0))
    start = min(
        [each.start() for each in _WORD.finditer(text, max(first - 100, 0), first)][-_N_AROUND // 3 :], default=first
    )
    words = [each.end() for _, each in zip(range(_N_AROUND), _WORD.finditer(text, start), strict=False)]
    stop = words[-1] if words else len(text)
    shown = marked(text[start : min(stop, start + 1000)], query, begin, end)
    return f"{'... ' * (start > 0)}{shown}{' ...' * (stop < len(text))}"


def _hits(text: str, query: str) -> Iterator[tuple[int, int]]:
    """Yield where words stand that a query names."""
    named = [(_plain(each[0]), query[each.end() : each.end() + 1] == "*") for each in _WORD.finditer(query)
             if each[0] not in _OPERATORS]  # fmt: skip
    whole = frozenset(word for word, is_begin in named if not is_begin)
    begins = tuple(word for word, is_begin in named if is_begin)
    for found in _WORD.finditer(text):
        word = _plain(found[0])
        if word in whole or word.startswith(begins):
            yield found.span()


@lru_cache(10_000)
def _plain(word: str) -> str:
    """Return a word as FTS5 compares it: without case and accents."""
    return "".join(char for char in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(char))
