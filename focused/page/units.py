"""The text units of a page as stretches of its term stream: the page, its blocks, its anchors, its link contexts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Collection

    from focused.page.page import Page

Integers = npt.NDArray[np.int64]

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

    Row 0 is the page; then come its blocks, the anchors of links that have several, the links (all anchors of one in
    one row, which for most is the only one), and the texts of aggregation nodes. A link context is the text of the
    link's aggregation nodes and, where the other anchors are left out of that, the link's own row. The former is
    counted once however many links share it, so 100,000 links under one node stay linear.
    """

    terms: npt.NDArray[np.int32]
    n_rows: int
    #: Of the whole stream.
    whole: Stretches
    #: Of the stream without the terms that stand in anchors; positions still count the whole stream.
    pure: Stretches | None
    #: For each position whether it stands in an anchor; empty where there is no ``pure``.
    in_anchor: npt.NDArray[np.bool_]
    block_rows: slice
    #: The anchors of links that have several ...
    several_rows: slice
    #: ... whose links these are, and where among those rows each of them begins.
    several_links: list[int]
    several_starts: list[int]
    link_rows: slice
    #: For each link the row of its aggregation nodes' text, shape (n_links,).
    context_row: Integers


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
    first_of, last_of = page.outline.first_chunk, page.outline.last_chunk
    # Lists of chunks and rows, made arrays once: a call of numpy costs as much as forty of their entries.
    first, last, row = [0], [len(page.chunk_start) - 1], [0]
    n_rows = 1
    if BLOCK in kinds:
        for begin, stop, block in page.blocks.segments:
            first.append(begin)
            last.append(stop)
            row.append(1 + block)
        n_rows += page.n_blocks
    block_rows = slice(1, n_rows)
    several_rows = link_rows = slice(n_rows, n_rows)
    several_links = [number for number, own in enumerate(page.link_anchors) if len(own) > 1]
    several_starts: list[int] = []
    wants_contexts = CONTEXT in kinds and page.n_links > 0
    pure, in_anchor, context_row = None, _NONE.astype(np.bool_), _NONE
    nodes: list[int] = []
    if ANCHOR in kinds or (wants_contexts and not other_anchors):
        for number in several_links:
            several_starts.append(len(nodes))
            nodes += [page.anchors[anchor] for anchor in page.link_anchors[number]]
        several_rows = slice(n_rows, n_rows + len(nodes))
        link_rows = slice(several_rows.stop, several_rows.stop + page.n_links)
        n_rows = link_rows.stop
        row += range(several_rows.start, several_rows.stop)
        nodes += page.anchors
        row += [link_rows.start + number for number in page.anchor_links]
    n_whole = len(row)
    if wants_contexts:
        tops, rows, context_row = _aggregation_rows(page, several_links, n_rows)
        nodes += tops
        row += rows
        n_rows = row[-1] + 1
    first += map(first_of.__getitem__, nodes)
    last += map(last_of.__getitem__, nodes)
    bounds = page.chunk_start[_integers(first + last)]
    whole = Stretches(bounds[: len(first)], bounds[len(first) :], _integers(row))
    if wants_contexts:
        _cut(page, whole.start[n_whole:], whole.end[n_whole:], max_terms)
        if not other_anchors:
            pure = Stretches(whole.start[n_whole:], whole.end[n_whole:], whole.row[n_whole:])
            whole = Stretches(whole.start[:n_whole], whole.end[:n_whole], whole.row[:n_whole])
            in_anchor = _in_anchor(page)
    return PageUnits(
        page.terms,
        n_rows,
        whole,
        pure,
        in_anchor,
        block_rows,
        several_rows,
        several_links,
        several_starts,
        link_rows,
        context_row,
    )


_NONE: Integers = np.zeros(0, dtype=np.int64)


def _integers(values: list[int]) -> Integers:
    """Return an array of a list; numpy.array, which looks for what else may be in it, takes twice as long."""
    return np.fromiter(values, np.int64, len(values))


def _cut(page: Page, start: Integers, end: Integers, max_terms: int) -> None:
    """Cut stretches, in place, to an equal share where all together are too long."""
    lengths = end - start
    if int(lengths.sum()) > max_terms:
        share = max_terms // len(start) + 1
        page.cuts["contexts"] += int((lengths > share).sum())
        np.minimum(end, start + share, out=end)


def _in_anchor(page: Page) -> npt.NDArray[np.bool_]:
    """Return which positions stand in a link element, one that leads into the page itself included."""
    first_of, last_of, nodes = page.outline.first_chunk, page.outline.last_chunk, page.outline.link_nodes
    chunks = [*map(first_of.__getitem__, nodes), *map(last_of.__getitem__, nodes)]
    bounds = page.chunk_start[_integers(chunks)]
    size = len(page.terms) + 1
    change = np.bincount(bounds[: len(nodes)], minlength=size) - np.bincount(bounds[len(nodes) :], minlength=size)
    covered: npt.NDArray[np.bool_] = np.cumsum(change[:-1]) > 0
    return covered


def _aggregation_rows(page: Page, several_links: list[int], first_row: int) -> tuple[list[int], list[int], Integers]:
    """Return the aggregation nodes in use, the row each counts for, and for each link its row.

    Links with the same aggregation nodes share a row. Of nodes that lie within each other the outer one is enough:
    in the context of a link that stands several times in a page each text counts once [P13, Sect. 3.2].
    """
    parent, end, anchors = page.outline.parent, page.outline.end, page.anchors
    # What a link's aggregation nodes are: one node for most, else several.
    tops: list[int | tuple[int, ...]] = [max(parent[anchors[own[0]]], 0) for own in page.link_anchors]
    for number in several_links:
        outermost: list[int] = []
        stop = -1
        for node in sorted({max(parent[anchors[anchor]], 0) for anchor in page.link_anchors[number]}):
            if node >= stop:
                outermost.append(node)
                stop = end[node]
        tops[number] = tuple(outermost) if len(outermost) > 1 else outermost[0]
    row_of = {top: row for row, top in enumerate(dict.fromkeys(tops), first_row)}
    nodes: list[int] = []
    rows: list[int] = []
    for top, row in row_of.items():
        if isinstance(top, int):
            nodes.append(top)
            rows.append(row)
        else:
            nodes += top
            rows += [row] * len(top)
    return nodes, rows, _integers([row_of[top] for top in tops])
