"""Feed a page to the parser in pieces, so that no page can hold it up."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Callable

_WHOLE_BYTES = 60_000  # the worst page of this size takes the parser 0.2 s
_WHOLE_TAGS = 14_000  # if half are end tags, each searches the other half: 0.2 s again
_PIECE_BYTES = 16_384
_DEEP = 1_000  # open elements; browsers stop nesting at 512
_MAX_STEPS = 50_000_000  # of 4 ns each

# A document without any element is an error to lxml.
_NO_DOCUMENT = (etree.ParserError, etree.XMLSyntaxError)


class PageIsFullError(Exception):
    """Raised by a parser's target at its limit: what it has received so far is the page."""


def feed(body: bytes, parser: Any, depth: Callable[[], int]) -> int:
    """Parse a page, and return the number of bytes at its end that were left out.

    For each end tag libxml2 searches all open elements, and if none matches it calls nothing back: 40,000 ``<div>`` and
    400,000 ``</p>`` would take it 45 s. So a page with many tags is fed in pieces and, where elements are deeply nested, tag
    by tag: the depth before each end tag tells what the tag costs. ``depth``: returns the number of open elements.
    """
    if len(body) <= _WHOLE_BYTES or body.count(b"<") <= _WHOLE_TAGS:
        with contextlib.suppress(*_NO_DOCUMENT):
            etree.fromstring(body, parser)
        return 0
    place = n_steps = 0
    while place < len(body) and n_steps < _MAX_STEPS:
        stop, before = place + _PIECE_BYTES, depth()
        is_end_tag = False
        if before > _DEEP:
            is_end_tag = body.startswith(b"</", place)
            stop = body.find(b">", place) + 1 if is_end_tag else body.find(b"</", place + 1)
            stop = stop if stop > 0 else len(body)
        parser.feed(body[place:stop])
        place = stop
        if is_end_tag and depth() >= before:
            n_steps += before
    with contextlib.suppress(*_NO_DOCUMENT):
        parser.close()
    return max(len(body) - place, 0)
