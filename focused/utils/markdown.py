"""Escapes text so that it means nothing to Markdown."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&])")
# What begins a heading, a list, a rule or a numbered list at the beginning of a line.
_BEGINNING = re.compile(r"^([#+\-=]|\d+(?=[.)]))")


def escaped(line: str) -> str:
    r"""Return a line in which nothing means anything to Markdown.

    >>> print(escaped("1. <b>not* bold"))
    1\. \<b\>not\* bold
    """
    return escaped_beginning(escaped_inside(" ".join(line.split())))


def escaped_inside(text: str) -> str:
    """Return a text in which nothing means anything to Markdown, but perhaps as the beginning of a line."""
    return _SPECIAL.sub(r"\\\1", text)


def escaped_beginning(line: str) -> str:
    """Return a line that begins no heading, list or rule."""
    return _BEGINNING.sub(lambda found: f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}", line)
