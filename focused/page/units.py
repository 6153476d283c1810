"""The text units of a page as stretches of its term stream: the page, its blocks, its anchors, its link contexts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Collection

    from focused.page.page import Page

Integers = npt.NDArray[np.int64]

_NONE: Integers = np.zeros(0, dtype=np.int64)

PAGE, BLOCK, ANCHOR, CONTEXT = KINDS = ("page", "block", "anchor", "context")
"""The kinds of text units."""


@dataclass(slots=True)
class Stretches:
    """Stretches of a term stream, and the row of the unit that each belongs to."""

    start: Integers
    end: Integers
    row: Integers


@dataclass(slots=True)
class PageUnits:
    """Text units of one page, as rows of a matrix that is still to be counted.

    Row 0 is the page; then come its blocks, then its anchors, then the texts of aggregation nodes. A link context is
    the text of its aggregation nodes and, where the other anchors are left out of that, its own anchor texts. The
    former is counted once however many links share it, so 100,000 links under one node stay linear.
    """

    terms: npt.NDArray[np.int32]
    n_rows: int
    #: Of the whole stream.
    whole: Stretches
    #: Of the stream without the terms that stand in anchors; positions still count the whole stream.
    pure: Stretches
    in_anchor: npt.NDArray[np.bool_]
    block_rows: slice
    anchor_rows: slice
    #: For each link the row of its aggregation nodes' text, shape (n_links,).
    context_row: Integers
    #: The anchors that a context has beyond that; here a row is a link's number.
    own_anchors: Stretches
    #: For each anchor the number of its link, shape (n_anchors,).
    link_of_anchor: Integers = field(default_factory=lambda: _NONE)


def page_units(
    page: Page, kinds: Collection[str] = KINDS, *, other_anchors: bool = False, max_terms: int = 1_000_000
) -> PageUnits:
    """Return the text units of some kinds of a page; the page itself is always among them.

    Parameters
    ----------
    page : Page
    kinds : collection of {"page", "block", "anchor", "context"}
    other_anchors : bool
        Whether link contexts keep the anchor texts of other links (P13, P15) or not (L14).
    max_terms : int
        Bound on the terms of all aggregation nodes' texts together. Beyond it each is cut to an equal share and the
        number cut is added to the page's ``cuts["contexts"]``.
    """
    outline = page.outline
    chunk_start = page.chunk_start
    start, end, row = [_NONE + 0], [_NONE + 0], [_NONE + 0]

    def add(first: Integers, last: Integers, rows: Integers) -> None:
        start.append(first)
        end.append(last)
        row.append(rows)

    add(np.zeros(1, dtype=np.int64), np.array([len(page.terms)]), np.zeros(1, dtype=np.int64))
    n_rows = 1
    block_rows = slice(1, 1)
    if BLOCK in kinds:
        if page.blocks.segments:
            segments = np.array(page.blocks.segments, dtype=np.int64)
            add(chunk_start[segments[:, 0]], chunk_start[segments[:, 1]], segments[:, 2] + 1)
        block_rows = slice(1, 1 + page.n_blocks)
        n_rows += page.n_blocks
    anchor_rows = slice(n_rows, n_rows)
    first_of, last_of = outline.first_chunk, outline.last_chunk
    link_of_anchor = anchor_start = anchor_end = _NONE
    wants_contexts = CONTEXT in kinds and bool(page.links)
    if ANCHOR in kinds or wants_contexts:
        anchor_start = chunk_start[[first_of[node] for node in page.anchors]]
        anchor_end = chunk_start[[last_of[node] for node in page.anchors]]
        link_of_anchor = np.zeros(len(page.anchors), dtype=np.int64)
        for number, link in enumerate(page.links):
            link_of_anchor[link.anchors] = number
    if ANCHOR in kinds:
        anchor_rows = slice(n_rows, n_rows + len(page.anchors))
        add(anchor_start, anchor_end, np.arange(anchor_rows.start, anchor_rows.stop))
        n_rows = anchor_rows.stop
    whole = Stretches(np.concatenate(start), np.concatenate(end), np.concatenate(row))
    pure = own = Stretches(_NONE, _NONE, _NONE)
    in_anchor = np.zeros(0, dtype=np.bool_)
    context_row = _NONE
    if wants_contexts:
        nodes, rows, context_row = _aggregation_rows(page, n_rows)
        n_rows = int(context_row.max()) + 1
        first = chunk_start[[first_of[node] for node in nodes]]
        last = chunk_start[[last_of[node] for node in nodes]]
        share = max_terms // len(nodes) + 1
        if int((last - first).sum()) > max_terms:
            page.cuts["contexts"] += int((last - first > share).sum())
            last = np.minimum(last, first + share)
        texts = Stretches(first, last, rows)
        if other_anchors:
            whole = Stretches(*(np.concatenate(pair) for pair in zip(_fields(whole), _fields(texts), strict=True)))
        else:
            pure, own = texts, Stretches(anchor_start, anchor_end, link_of_anchor)
            in_anchor = _covered(len(page.terms), *_link_stretches(page))
    return PageUnits(
        page.terms, n_rows, whole, pure, in_anchor, block_rows, anchor_rows, context_row, own, link_of_anchor
    )


def _fields(stretches: Stretches) -> tuple[Integers, Integers, Integers]:
    return stretches.start, stretches.end, stretches.row


def _link_stretches(page: Page) -> tuple[Integers, Integers]:
    """Return where the texts of all link elements lie, those that lead into the page itself included."""
    nodes, outline = page.outline.link_nodes, page.outline
    first = page.chunk_start[[outline.first_chunk[node] for node in nodes]]
    return first, page.chunk_start[[outline.last_chunk[node] for node in nodes]]


def _covered(size: int, start: Integers, end: Integers) -> npt.NDArray[np.bool_]:
    """Return which positions lie in any of the stretches."""
    change = np.bincount(start, minlength=size + 1) - np.bincount(end, minlength=size + 1)
    covered: npt.NDArray[np.bool_] = np.cumsum(change[:size]) > 0
    return covered


def _aggregation_rows(page: Page, first_row: int) -> tuple[list[int], Integers, Integers]:
    """Return the aggregation nodes in use, the row each counts for, and for each link its row.

    Links with the same aggregation nodes share a row. Of nodes that lie within each other the outer one is enough:
    in the context of a link that stands several times in a page each text counts once [P13, Sect. 3.2].
    """
    parent, end = page.outline.parent, page.outline.end
    nodes: list[int] = []
    rows: list[int] = []
    row_of: dict[int | tuple[int, ...], int] = {}
    context_row: list[int] = []
    n_rows = first_row
    for link in page.links:
        key: int | tuple[int, ...]
        outermost: tuple[int, ...]
        if len(link.anchors) == 1:
            outermost = (max(parent[page.anchors[link.anchors[0]]], 0),)
            key = outermost[0]
        else:
            apart: list[int] = []
            stop = -1
            for node in sorted({max(parent[page.anchors[anchor]], 0) for anchor in link.anchors}):
                if node >= stop:
                    apart.append(node)
                    stop = end[node]
            outermost = tuple(apart)
            key = outermost if len(outermost) > 1 else outermost[0]
        row = row_of.get(key)
        if row is None:
            row = row_of[key] = n_rows
            n_rows += 1
            nodes.extend(outermost)
            rows.extend([row] * len(outermost))
        context_row.append(row)
    return nodes, np.array(rows, dtype=np.int64), np.array(context_row, dtype=np.int64)
