"""Makes texts of strangers safe for a terminal: no control character reaches it, and lines fit."""

from __future__ import annotations

import unicodedata
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_MARKS = 3
"""Combining characters on one letter: hundreds would be drawn over the lines around."""


def harmless(text: str) -> str:
    r"""Return a text in one line without control characters: none moves the cursor, or turns the direction of what follows.

    >>> harmless("a\x1b[2Jb\nc\u202ed")
    'a[2Jb cd'
    """
    found, n_marks = [], 0
    for char in text:
        if char.isspace():
            char = " "
        elif not char.isprintable():
            continue
        n_marks = n_marks + 1 if unicodedata.combining(char) else 0
        if n_marks <= _MOST_MARKS:
            found.append(char)
    return "".join(found)


def columns(text: str) -> int:
    """Return how many columns a text takes.

    >>> columns("abc"), columns("\u5929\u6587"), columns("e\u0301")
    (3, 4, 1)
    """
    return sum(map(_width, text))


def shortened(text: str, width: int) -> str:
    """Return a text that takes at most so many columns; one that is cut ends in three dots.

    >>> shortened("astronomy", 6), shortened("stars", 6)
    ('ast...', 'stars')
    """
    if columns(text) <= width:
        return text
    return f"{_start(text, max(width - 3, 0))}..."[:width]


def wrapped(text: str, width: int, most: int) -> list[str]:
    r"""Return at most so many lines of a text, each at most ``width`` columns wide; words that are wider are broken.

    >>> wrapped("one two three\n\n\nfour\x07", 7, 9)
    ['one two', 'three', '', 'four']
    """
    return list(islice(_lines(text, max(width, 2)), most))


def _lines(text: str, width: int) -> Iterator[str]:
    was_empty = True
    for paragraph in text.splitlines():
        words = harmless(paragraph).split()
        if not words:
            if not was_empty:
                yield ""
            was_empty = True
            continue
        was_empty, line, used = False, "", 0
        for word in words:
            n = columns(word)
            if line and used + 1 + n <= width:
                line, used = f"{line} {word}", used + 1 + n
                continue
            if line:
                yield line
            while n > width:
                part = _start(word, width)
                yield part
                word = word[len(part) :]
                n = columns(word)
            line, used = word, n
        if line:
            yield line


def _start(text: str, width: int) -> str:
    """Return the beginning of a text that fits; at least one character, so that who breaks it comes to an end."""
    used = 0
    for at, char in enumerate(text):
        used += _width(char)
        if used > width:
            return text[: max(at, 1)] if width > 1 else text[:at]
    return text


def _width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
