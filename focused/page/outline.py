"""A page's nodes as parallel lists, from the marks in its token stream."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    parent, end, height, n_links = outline.parent, outline.end, outline.height, outline.n_links
    first_chunk, last_chunk, link_nodes = outline.first_chunk, outline.last_chunk, outline.link_nodes
    bodies: list[int] = []
    below: list[int] = []  # block tags at a node: the height that it gives its parent if nothing below it does
    node = -1
    n_nodes = n_found = 0
    # Only a limit or a parser that gave up leaves anything open.
    n_missing = len(kinds) - _N_HEAD_MARKS - 2 * kinds.count(END)
    if n_missing:
        kinds = kinds + [END] * n_missing
    chunk = _N_HEAD_MARKS
    for kind in kinds[_N_HEAD_MARKS:]:
        chunk += 1
        if kind == END:
            end[node] = n_nodes
            last_chunk[node] = chunk
            n_links[node] = n_found - n_links[node]
            high = height[node] + below[node]
            node = parent[node]
            if node >= 0 and high > height[node]:
                height[node] = high
            continue
        parent.append(node)
        node = n_nodes
        n_nodes += 1
        end.append(0)
        first_chunk.append(chunk)
        last_chunk.append(0)
        height.append(0)
        n_links.append(n_found)
        if kind <= BLOCK:
            below.append(kind == BLOCK)
            continue
        below.append(kind == HEADING)
        if kind == LINK:
            link_nodes.append(node)
            n_found += 1
        elif kind == HEADING:
            outline.headings.append(node)
        else:
            bodies.append(node)
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
