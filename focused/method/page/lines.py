"""The lines of a page: the text between two edges of blocks, with what each is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.page.marked_text import FURNITURE, HEADINGS, LINK, PHRASE_NODE, TAG_KINDS
from focused.method.page.own_text import chunks_inside

if TYPE_CHECKING:
    from focused.method.page.outline import Outline
    from focused.method.page.page import Page

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_FURNITURE = np.array([FURNITURE, TAG_KINDS["nav"], TAG_KINDS["aside"], TAG_KINDS["footer"]])
_MAIN, _ARTICLE = TAG_KINDS["main"], TAG_KINDS["article"]
_LEAST_MAIN = 0.25
"""Share of a page's words outside links that what it marks as its main part must hold to be believed."""
_FIRST_CHUNK = 2  # before it: title and keywords


@dataclass(slots=True)
class Lines:
    """The lines of a page that hold a word or a number, in document order; arrays of shape (n_lines,)."""

    #: First chunk, and one past the last.
    first: Integers
    last: Integers
    #: Tokens: words, and whatever else ASCII punctuation separates.
    n_tokens: Integers
    #: Of them those in links.
    n_linked: Integers
    #: Level of the heading that a line is, 1 to 6; 0: it is none.
    level: Integers
    #: Whether a line stands in what its page marks as furniture: ``nav``, ``aside``, ``footer``, or by its class.
    is_furniture: Flags

    def __len__(self) -> int:
        """Number of lines."""
        return len(self.first)


def lines_of(page: Page) -> Lines:
    """Return the lines of a page."""
    outline = page.outline
    n_chunks = len(outline.tokens_before) - 1
    is_edge = np.zeros(n_chunks + 1, dtype=np.bool_)
    is_edge[[_FIRST_CHUNK, n_chunks]] = True
    is_inline = (outline.kinds == LINK) | (outline.kinds == PHRASE_NODE)
    is_edge[outline.first_chunk[~is_inline]] = True
    is_edge[outline.last_chunk[~is_inline]] = True
    edges = is_edge.nonzero()[0]
    edges = edges[edges >= _FIRST_CHUNK]
    tokens = outline.tokens_before
    is_filled = np.diff(tokens[edges]) > 0
    first, last = edges[:-1][is_filled], edges[1:][is_filled]
    in_link = np.zeros(n_chunks + 1, dtype=np.int64)
    (np.diff(tokens) * chunks_inside(outline, outline.link_nodes, n_chunks)).cumsum(out=in_link[1:])
    level = np.zeros(n_chunks + 1, dtype=np.int64)
    for node in outline.headings.tolist():
        level[outline.first_chunk[node] : outline.last_chunk[node]] = outline.kinds[node] - HEADINGS.start + 1
    return Lines(
        first=first,
        last=last,
        n_tokens=tokens[last] - tokens[first],
        n_linked=in_link[last] - in_link[first],
        level=level[first],
        is_furniture=_furniture(outline, tokens - in_link)[first],
    )


def _furniture(outline: Outline, own: Integers) -> Flags:
    """Flag the chunks in what a page marks as furniture, and, if it marks its main part, those outside of that.

    ``own`` of shape (n_chunks + 1,): tokens before each chunk that stand in no link. An element with half of the page's own
    tokens is no furniture, whatever its name.
    """
    n_chunks = len(own) - 1

    def share(nodes: Integers) -> npt.NDArray[np.float64]:
        found: npt.NDArray[np.float64] = (own[outline.last_chunk[nodes]] - own[outline.first_chunk[nodes]]) / max(own[-1], 1)
        return found

    nodes = np.isin(outline.kinds, _FURNITURE).nonzero()[0]
    found = chunks_inside(outline, nodes[share(nodes) < 1 / 2], n_chunks)
    for kind in (_MAIN, _ARTICLE):
        nodes = (outline.kinds == kind).nonzero()[0]
        if len(nodes) == 1 and share(nodes)[0] >= _LEAST_MAIN:
            found |= ~chunks_inside(outline, nodes, n_chunks)
            break
    return found
