"""Anchor texts of a page's links: their terms, hashed to columns, and the words as people read them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from focused.method.page.url_features import hashed
from focused.method.scoring.reasons import plain
from focused.method.topic import FIRST_TERM, TERMS

if TYPE_CHECKING:
    from focused.method.page.page import Page

MAX_ANCHOR_TERMS = 12
_MAX_REMEMBERED_BYTES = 256
_MAX_REMEMBERED = 2**14
_NUMBER = re.compile(r"(?<!\w)\d\w*(?:[.,:/-]\d\w*)*")
_ANY = "\N{HORIZONTAL ELLIPSIS}"

# Most anchor texts stand on other pages, too: by their term ids, columns and words.
_remembered: dict[bytes, tuple[tuple[int, ...], str]] = {}


def anchor_texts(page: Page) -> tuple[list[tuple[int, ...]], list[str]]:
    """Return of each link the columns of its anchor terms, in ascending order, and the anchor text.

    Where several elements lead to one target, the terms are those of all, and the text is that of the first. Anchor texts
    of the same terms share the text that came first; numbers are no terms, so an ellipsis stands for each ("Page 12" and
    "Page 13" share "Page …"). One without terms is empty.
    """
    size, terms = page.terms.itemsize, page.terms.tobytes()
    starts = (page.chunk_start[page.outline.first_chunk[page.anchors]] * size).tolist()
    ends = (page.chunk_start[page.outline.last_chunk[page.anchors]] * size).tolist()
    kind, columns, words = page.terms.dtype.str, [], []
    for anchors in page.link_anchors:
        text = b"".join([terms[starts[anchor] : ends[anchor]] for anchor in anchors])
        found = _remembered.get(text)
        if found is None:
            of_text = _columns(text, kind)
            found = of_text, plain(_NUMBER.sub(_ANY, page.anchor_text(anchors[0]))) if of_text else ""
            if len(text) <= _MAX_REMEMBERED_BYTES:
                if len(_remembered) >= _MAX_REMEMBERED:
                    _remembered.clear()
                _remembered[text] = found
        columns.append(found[0])
        words.append(found[1])
    return columns, words


@lru_cache(maxsize=2**17)
def _term_column(number: int) -> int:
    return hashed(TERMS.term(number))


def _columns(text: bytes, kind: str) -> tuple[int, ...]:
    """Return the columns of the first different terms of a text: bytes of an array of term ids."""
    columns: dict[int, None] = {}
    for number in np.frombuffer(text, dtype=kind).tolist():
        if number >= FIRST_TERM:
            columns[_term_column(number)] = None
            if len(columns) == MAX_ANCHOR_TERMS:
                break
    return tuple(sorted(columns))
