"""The text units of a page as stretches of its term stream: the page, its blocks, its anchors, its link contexts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.page.page import integers

if TYPE_CHECKING:
    from collections.abc import Collection

    from focused.page.page import Page

Integers = npt.NDArray[np.int64]

PAGE, BLOCK, ANCHOR, CONTEXT = KINDS = ("page", "block", "anchor", "context")
"""The kinds of text units."""


@dataclass(slots=True)
class PageUnits:
    """Text units of one page, as rows of a matrix that is still to be counted.

    Row 0 is the page; then come its blocks, the anchors of links that have several, the links (all anchors of one in
    one row, which for most is the only one), and the texts of aggregation nodes. A link context is the text of the
    link's aggregation nodes and, where the other anchors are left out of that, the link's own row. The former is
    counted once however many links share it, so 100,000 links under one node stay linear.
    """

    n_rows: int
    #: Stretches of a stream of terms, first and one past the last, and the row each belongs to; shape (n_stretches,).
    start: Integers
    end: Integers
    row: Integers
    #: The stretches from this one on, those of aggregation nodes, leave out what stands in anchors ...
    n_with_anchors: int
    #: ... which is told here for each position of the stream; None where nothing is left out.
    in_anchor: npt.NDArray[np.bool_] | None
    block_rows: slice
    #: From here to the end of ``link_rows`` come the rows of anchors.
    first_anchor_row: int
    link_rows: slice
    #: For each anchor its row, shape (n_anchors,); None where each link has one anchor, and so its row is the link's.
    anchor_row: Integers | None
    #: For each link the row of its aggregation nodes' text, shape (n_links,).
    context_row: Integers


def page_units(
    page: Page,
    kinds: Collection[str] = KINDS,
    *,
    chunk_start: Integers | None = None,
    other_anchors: bool = False,
    max_terms: int = 1_000_000,
) -> PageUnits:
    """Return the text units of some kinds of a page; the page itself is always among them.

    Parameters
    ----------
    page : Page
    kinds : collection of {"page", "block", "anchor", "context"}
    chunk_start : ndarray of shape (n_chunks + 1,), optional
        Where the page's chunks begin in the stream that is counted, if that is not the page's terms.
    other_anchors : bool
        Whether link contexts keep the anchor texts of other links (P13, P15) or not (L14).
    max_terms : int
        Bound on the terms of all aggregation nodes' texts together. Beyond it each is cut to an equal share and the
        number cut is added to the page's ``cuts["contexts"]``.
    """
    first_of, last_of = page.outline.first_chunk, page.outline.last_chunk
    chunk_start = page.chunk_start if chunk_start is None else chunk_start
    # Lists of chunks and rows, made arrays once: a call of numpy costs as much as forty of their entries.
    first, last, row = [0], [len(chunk_start) - 1], [0]
    n_rows = 1
    if BLOCK in kinds:
        for begin, stop, block in page.blocks.segments:
            first.append(begin)
            last.append(stop)
            row.append(1 + block)
        n_rows += page.n_blocks
    block_rows = slice(1, n_rows)
    first_anchor_row, link_rows = n_rows, slice(n_rows, n_rows)
    wants_contexts = CONTEXT in kinds and page.n_links > 0
    in_anchor, anchor_row, context_row = None, None, _NONE
    links = page.anchor_links.tolist()
    # Anchors that are one of several that lead to the same page.
    several: list[int] = []
    if len(links) > page.n_links:
        n_anchors = Counter(links)
        several = [anchor for anchor, link in enumerate(links) if n_anchors[link] > 1]
    nodes: list[int] = []
    if (ANCHOR in kinds and links) or (wants_contexts and not other_anchors):
        nodes = [*map(page.anchors.__getitem__, several), *page.anchors]
        link_rows = slice(n_rows + len(several), n_rows + len(several) + page.n_links)
        rows_of_anchors = [link_rows.start + link for link in links]
        row += range(n_rows, link_rows.start)
        row += rows_of_anchors
        if several:
            for new_row, anchor in enumerate(several, n_rows):
                rows_of_anchors[anchor] = new_row
            anchor_row = integers(rows_of_anchors)
        n_rows = link_rows.stop
    n_with_anchors = len(row)
    if wants_contexts:
        tops, rows, context_row = _aggregation_rows(page, links, several, n_rows)
        nodes += tops
        row += rows
        n_rows = row[-1] + 1
    first += map(first_of.__getitem__, nodes)
    last += map(last_of.__getitem__, nodes)
    bounds = chunk_start[integers(first + last)]
    start, end = bounds[: len(first)], bounds[len(first) :]
    if wants_contexts:
        _cut(page, start[n_with_anchors:], end[n_with_anchors:], max_terms)
        if not other_anchors:
            in_anchor = _in_anchor(page, chunk_start)
    return PageUnits(
        n_rows,
        start,
        end,
        integers(row),
        n_with_anchors,
        in_anchor,
        block_rows,
        first_anchor_row,
        link_rows,
        anchor_row,
        context_row,
    )


_NONE: Integers = np.zeros(0, dtype=np.int64)


def _cut(page: Page, start: Integers, end: Integers, max_terms: int) -> None:
    """Cut stretches, in place, to an equal share where all together are too long."""
    # The page is as long as its longest stretch: for most there is nothing to add up.
    if len(page.terms) * len(start) <= max_terms:
        return
    lengths = end - start
    if int(lengths.sum()) > max_terms:
        share = max_terms // len(start) + 1
        page.cuts["contexts"] += int((lengths > share).sum())
        np.minimum(end, start + share, out=end)


def _in_anchor(page: Page, chunk_start: Integers) -> npt.NDArray[np.bool_]:
    """Return which positions stand in a link element, one that leads into the page itself included."""
    first_of, last_of, nodes = page.outline.first_chunk, page.outline.last_chunk, page.outline.link_nodes
    bounds = chunk_start[integers([*map(first_of.__getitem__, nodes), *map(last_of.__getitem__, nodes)])]
    size = int(chunk_start[-1]) + 1
    change = np.bincount(bounds[: len(nodes)], minlength=size)
    change -= np.bincount(bounds[len(nodes) :], minlength=size)
    covered: npt.NDArray[np.bool_] = change.cumsum() > 0
    return covered


def _aggregation_rows(
    page: Page, links: list[int], several: list[int], first_row: int
) -> tuple[list[int], list[int], Integers]:
    """Return the aggregation nodes in use, the row each counts for, and for each link its row.

    Links with the same aggregation nodes share a row. Of nodes that lie within each other the outer one is enough:
    in the context of a link that stands several times in a page each text counts once [P13, Sect. 3.2].
    """
    parent = page.outline.parent
    if not several:
        parents = [max(parent[node], 0) for node in page.anchors]
        row_of_node = {node: row for row, node in enumerate(dict.fromkeys(parents), first_row)}
        return list(row_of_node), list(row_of_node.values()), integers([row_of_node[node] for node in parents])
    # What a link's aggregation nodes are: one node for most, else several.
    tops: list[int | tuple[int, ...]] = [0] * page.n_links
    for link, node in zip(links, page.anchors, strict=True):
        tops[link] = max(parent[node], 0)
    nodes_of: dict[int, set[int]] = {}
    for anchor in several:
        nodes_of.setdefault(links[anchor], set()).add(max(parent[page.anchors[anchor]], 0))
    for link, nodes in nodes_of.items():
        tops[link] = _outermost(nodes, page.outline.end)
    row_of = {top: row for row, top in enumerate(dict.fromkeys(tops), first_row)}
    used: list[int] = []
    rows: list[int] = []
    for top, row in row_of.items():
        if isinstance(top, int):
            used.append(top)
            rows.append(row)
        else:
            used += top
            rows += [row] * len(top)
    return used, rows, integers([row_of[top] for top in tops])


def _outermost(nodes: set[int], end: list[int]) -> int | tuple[int, ...]:
    """Return the nodes that lie in no other of them."""
    if len(nodes) == 1:
        return nodes.pop()
    found: list[int] = []
    stop = -1
    for node in sorted(nodes):
        if node >= stop:
            found.append(node)
            stop = end[node]
    return tuple(found) if len(found) > 1 else found[0]
