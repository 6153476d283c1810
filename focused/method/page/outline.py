"""The nodes of a page as parallel arrays, made from the marks in its token stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from focused.method.page.marked_text import BODY, END, HEAD, HEADINGS, LINK
from focused.method.text.analyzer import N_MARKS, NOTHING

Integers = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]

_N_HEAD_MARKS = 2


@dataclass(slots=True, eq=False)
class Outline:
    """The nodes of a page and the text each holds.

    Nodes are numbered in document order; node v's descendants are the nodes ``v + 1:end[v]``, and it holds the chunks
    ``first_chunk[v]:last_chunk[v]``. Arrays have the shape (n_nodes,) unless stated otherwise.
    """

    #: Parent of each node; -1 for a node that lies in no other.
    parent: Integers
    end: Integers
    #: Kind of each node: one of :mod:`focused.method.page.marked_text`.
    kinds: Ids
    #: Whether the tag of a node is one of the content block tags.
    is_block: npt.NDArray[np.bool_]
    #: Number of link elements in the node's subtree, the node included.
    n_links: Integers
    first_chunk: Integers
    last_chunk: Integers
    #: The nodes that are links, in document order, shape (n_link_nodes,).
    link_nodes: Integers
    #: Nodes h1-h6, shape (n_headings,).
    headings: Integers
    #: For each chunk the number of tokens before it; last the number of all tokens. Shape (n_chunks + 1,).
    tokens_before: Integers
    #: The node of ``body``; for a page without a proper body the node of everything; -1 if there is no node.
    root: int = -1


def outline_of(stream: Ids, block_kinds: npt.NDArray[np.bool_]) -> tuple[Outline, Ids, Integers]:
    """Return the nodes of a page, its terms, and for each chunk the number of terms before it.

    ``stream`` of shape (n_tokens,): terms and the marks of :mod:`focused.method.page.marked_text`, as the analyzer returns
    them. ``block_kinds`` of shape (N_MARKS,): which kinds of nodes are content block tags. Terms are of shape (n_terms,),
    numbers of shape (n_chunks + 1,), the last of them n_terms.
    """
    is_term = stream > NOTHING
    places = (stream < N_MARKS).nonzero()[0]
    n_terms = is_term.cumsum()
    kinds = stream[places]
    n_marks = len(places)
    # Nodes stay open only after a limit or a parser that gave up, so all missing ends belong at the end.
    ends = (kinds == END).nonzero()[0]
    n_missing = n_marks - _N_HEAD_MARKS - 2 * len(ends)
    if n_missing:
        ends = np.concatenate((ends, np.arange(n_marks, n_marks + n_missing)))
        kinds = np.concatenate((kinds, np.full(n_missing, END, dtype=kinds.dtype)))
    chunk_start = np.empty(n_marks + n_missing + 2, dtype=np.int64)
    tokens_before = np.empty_like(chunk_start)
    chunk_start[0] = tokens_before[0] = 0
    chunk_start[1 : n_marks + 1] = n_terms[places]
    chunk_start[n_marks + 1 :] = n_terms[-1]
    tokens_before[1 : n_marks + 1] = places - np.arange(n_marks)
    tokens_before[n_marks + 1 :] = len(stream) - n_marks

    is_start = kinds > HEAD
    starts = is_start.nonzero()[0]
    parent, closing = _pair(kinds[_N_HEAD_MARKS:].tolist())
    end, last_chunk = np.empty_like(starts), np.empty_like(starts)
    end[closing] = is_start.cumsum()[ends]
    last_chunk[closing] = ends + 1
    node_kinds = kinds[starts]
    is_link = node_kinds == LINK
    is_heading = (node_kinds >= HEADINGS.start) & (node_kinds < HEADINGS.stop)
    links_before = np.zeros(len(starts) + 1, dtype=np.int64)
    is_link.cumsum(out=links_before[1:])
    outline = Outline(
        parent=parent,
        end=end,
        kinds=node_kinds,
        is_block=block_kinds[node_kinds],
        n_links=links_before[end] - links_before[:-1],
        first_chunk=starts + 1,
        last_chunk=last_chunk,
        link_nodes=is_link.nonzero()[0],
        headings=is_heading.nonzero()[0],
        tokens_before=tokens_before,
    )
    if len(starts):
        outline.root = _root(outline, (node_kinds == BODY).nonzero()[0])
    return outline, stream[is_term], chunk_start


def _pair(kinds: list[int]) -> tuple[Integers, Integers]:
    """Return the parents of the nodes (in the order in which nodes begin), and the nodes in the order in which they end."""
    parent: list[int] = []
    closing: list[int] = []
    begin, close = parent.append, closing.append
    node, n_nodes = -1, 0
    for kind in kinds:
        if kind:
            begin(node)
            node = n_nodes
            n_nodes += 1
        else:
            close(node)
            node = parent[node]
    # numpy.array would first inspect the types of all integers of the list.
    return np.fromiter(parent, np.int64, n_nodes), np.fromiter(closing, np.int64, n_nodes)


def _root(outline: Outline, bodies: Integers) -> int:
    """Return the only ``body`` if it holds every node. A frameset has none, and broken pages have nodes outside theirs."""
    if len(bodies) != 1:
        return 0
    body = int(bodies[0])
    tokens = outline.tokens_before
    first, last = outline.first_chunk[body], outline.last_chunk[body]
    holds_all = (
        outline.end[body] == len(outline.end)
        and outline.n_links[body] == len(outline.link_nodes)
        and tokens[first] == tokens[_N_HEAD_MARKS]
        and tokens[last] == tokens[-1]
    )
    return body if holds_all else 0
