"""The lines of a page: the text between two edges of blocks, with what each is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.page.marked_text import FURNITURE, HEADINGS, LINK, PHRASE_NODE, TAG_KINDS
from focused.method.page.own_text import chunks_inside
from focused.method.text.analyzer import N_MARKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.method.page.outline import Outline

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_MAIN, _ARTICLE = TAG_KINDS["main"], TAG_KINDS["article"]
_IS_EDGE, _IS_FURNITURE = np.ones(N_MARKS, dtype=np.bool_), np.zeros(N_MARKS, dtype=np.bool_)
_IS_EDGE[[LINK, PHRASE_NODE]] = False
_IS_FURNITURE[[FURNITURE, TAG_KINDS["nav"], TAG_KINDS["aside"], TAG_KINDS["footer"]]] = True
_LEAST_MAIN = 0.25
"""Share of a page's words outside links that what it marks as its main part must hold to be believed."""
_FIRST_CHUNK = 2  # before it: title and keywords


@dataclass(slots=True)
class Lines:
    """The lines of a page that hold a word or a number, in document order; arrays of shape (n_lines,)."""

    #: White space folded.
    texts: list[str]
    #: First chunk of each, and one past the last.
    first: Integers
    last: Integers
    #: Tokens: words, and whatever else ASCII punctuation separates.
    n_tokens: Integers
    #: Of them those in links.
    n_linked: Integers
    #: Level of the heading that a line begins, 1 to 6; 0: it begins none.
    level: Integers
    #: Whether a line stands in what its page marks as furniture: ``nav``, ``aside``, ``footer``, or by its class.
    is_furniture: Flags

    def __len__(self) -> int:
        """Number of lines."""
        return len(self.texts)


def lines_of(outline: Outline, chunks: Sequence[str], linked_chunks: Flags) -> Lines:
    """Return the lines of a page, from its chunks of text and which of them stand in links, of shape (n_chunks,)."""
    tokens, kinds = outline.tokens_before, outline.kinds
    n_chunks = len(tokens) - 1
    is_edge = np.zeros(n_chunks + 1, dtype=np.bool_)
    is_edge[[_FIRST_CHUNK, n_chunks]] = True
    is_block = _IS_EDGE[kinds]
    is_edge[outline.first_chunk[is_block]] = True
    is_edge[outline.last_chunk[is_block]] = True
    edges = is_edge.nonzero()[0]
    before = tokens[edges]
    n_tokens = before[1:] - before[:-1]
    is_filled = n_tokens > 0
    first, last = edges[:-1][is_filled], edges[1:][is_filled]
    # Tokens before each chunk that stand in links.
    in_link = np.zeros(n_chunks + 1, dtype=np.int64)
    ((tokens[1:] - tokens[:-1]) * linked_chunks).cumsum(out=in_link[1:])
    level = np.zeros(n_chunks + 1, dtype=np.int64)
    if len(outline.headings):
        level[outline.first_chunk[outline.headings]] = kinds[outline.headings] - (HEADINGS.start - 1)
    pieces = zip(first.tolist(), last.tolist(), strict=True)
    return Lines(
        texts=[" ".join("".join(chunks[start:stop]).split()) for start, stop in pieces],
        first=first,
        last=last,
        n_tokens=n_tokens[is_filled],
        n_linked=in_link[last] - in_link[first],
        level=level[first],
        is_furniture=_furniture(outline, tokens - in_link)[first],
    )


def _furniture(outline: Outline, own: Integers) -> Flags:
    """Flag the chunks in what a page marks as furniture, and, if it marks its main part, those outside of that.

    ``own`` of shape (n_chunks + 1,): tokens before each chunk that stand in no link. An element with half of the page's own
    tokens is no furniture, whatever its name.
    """
    kinds, all_own = outline.kinds, max(int(own[-1]), 1)

    def share(nodes: Integers) -> npt.NDArray[np.float64]:
        found: npt.NDArray[np.float64] = (own[outline.last_chunk[nodes]] - own[outline.first_chunk[nodes]]) / all_own
        return found

    nodes = _IS_FURNITURE[kinds].nonzero()[0]
    found = chunks_inside(outline, nodes[share(nodes) < 1 / 2])
    for kind in (_MAIN, _ARTICLE):
        nodes = (kinds == kind).nonzero()[0]
        if len(nodes) == 1 and share(nodes)[0] >= _LEAST_MAIN:
            found |= ~chunks_inside(outline, nodes)
            break
    return found
