"""A page's nodes as parallel lists, from the marks in its token stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, islice, repeat

import numpy as np
import numpy.typing as npt

from focused.page.markup import BLOCK, END, HEADING, LINK
from focused.text.analyzer import N_MARKS, NOTHING

Integers = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]

_N_HEAD_MARKS = 2


@dataclass(slots=True)
class Outline:
    """The part of a page's element tree that matters.

    Nodes are numbered in document order; node v's descendants are the nodes ``v + 1:end[v]``, and it holds the chunks
    ``first_chunk[v]:last_chunk[v]``. Lists, not arrays: most pages have some hundred nodes, and are looked at one
    node after the other.
    """

    #: -1 for a node that lies in no other.
    parent: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    #: Largest number of content block tags on any path down from the node, itself not counted [P13, Sect. 3.1].
    height: list[int] = field(default_factory=list)
    #: Link elements in the node's subtree, itself counted.
    n_links: list[int] = field(default_factory=list)
    first_chunk: list[int] = field(default_factory=list)
    last_chunk: list[int] = field(default_factory=list)
    #: The nodes that link to something, in document order.
    link_nodes: list[int] = field(default_factory=list)
    #: Nodes h1-h6.
    headings: list[int] = field(default_factory=list)
    #: The node of ``body``, or of all that a page without a proper body holds; -1 where there is no node.
    root: int = -1
    #: For each chunk the number of tokens before it.
    tokens_before: list[int] = field(default_factory=list)

    def has_tokens(self, first: int, last: int) -> bool:
        """Tell whether the chunks from the first up to the last hold any token."""
        return self.tokens_before[last] > self.tokens_before[first]


def outline_of(stream: Ids) -> tuple[Outline, Ids, Integers]:
    """Return the nodes of a page, its terms, and for each chunk the number of terms before it.

    Parameters
    ----------
    stream : ndarray of shape (n_tokens,)
        Terms and the marks of :mod:`focused.page.markup`, as the analyzer returns them.

    Returns
    -------
    outline : Outline
    terms : ndarray of shape (n_terms,)
    chunk_start : ndarray of shape (n_chunks + 1,)
        The last entry is the number of terms.
    """
    is_term = stream > NOTHING
    places = (stream < N_MARKS).nonzero()[0]
    n_terms = is_term.cumsum()
    outline, n_missing = _read(stream[places].tolist())
    # The ends that are missing all lie at the end.
    chunk_start = np.full(len(places) + n_missing + 2, n_terms[-1])
    chunk_start[0] = 0
    chunk_start[1 : len(places) + 1] = n_terms[places]
    before = (places - np.arange(len(places))).tolist()
    n_tokens = len(stream) - len(places)
    outline.tokens_before = [0, *before, *[n_tokens] * (n_missing + 1)]
    outline.root = _root(outline, outline.root)
    return outline, stream[is_term], chunk_start


def _read(kinds: list[int]) -> tuple[Outline, int]:
    """Return the nodes that marks stand for, as root the only body if there is one, and how many ends are missing."""
    outline = Outline()
    parent, end = outline.parent, outline.end
    first_chunk, last_chunk = outline.first_chunk, outline.last_chunk
    of_special_kind: dict[int, int] = {}
    is_block: list[int] = []
    node, n_nodes, chunk = -1, 0, _N_HEAD_MARKS
    # Only a limit or a parser that gave up leaves anything open.
    n_missing = len(kinds) - _N_HEAD_MARKS - 2 * kinds.count(END)
    for kind in chain(islice(kinds, _N_HEAD_MARKS, None), repeat(END, n_missing)):
        chunk += 1
        if kind:
            parent.append(node)
            node = n_nodes
            n_nodes += 1
            end.append(0)
            last_chunk.append(0)
            first_chunk.append(chunk)
            is_block.append(kind == BLOCK)
            if kind > BLOCK:
                of_special_kind[node] = kind
        else:
            end[node] = n_nodes
            last_chunk[node] = chunk
            node = parent[node]
    # The place beyond the last node is what -1, the parent of a root, refers to.
    height, n_links = [0] * (n_nodes + 1), [0] * (n_nodes + 1)
    bodies: list[int] = []
    for node, kind in of_special_kind.items():
        if kind == LINK:
            outline.link_nodes.append(node)
            n_links[node] = 1
        elif kind == HEADING:
            outline.headings.append(node)
            is_block[node] = 1
        else:
            bodies.append(node)
    # From the last node to the first.
    node = n_nodes
    for up, high in zip(reversed(parent), reversed(is_block), strict=True):
        node -= 1
        high += height[node]
        if high > height[up]:
            height[up] = high
        if n_links[node]:
            n_links[up] += n_links[node]
    outline.height, outline.n_links = height[:-1], n_links[:-1]
    if n_nodes:
        outline.root = bodies[0] if len(bodies) == 1 else 0
    return outline, n_missing


def _root(outline: Outline, body: int) -> int:
    """Return the body if it holds all; a frameset stands beside none, and broken pages hold more beside theirs."""
    if body <= 0:
        return body
    before, after = outline.first_chunk[body], outline.last_chunk[body]
    holds_all = (
        outline.end[body] == len(outline.end)
        and outline.n_links[body] == len(outline.link_nodes)
        and not outline.has_tokens(_N_HEAD_MARKS, before)
        and not outline.has_tokens(after, len(outline.tokens_before) - 1)
    )
    return body if holds_all else 0
