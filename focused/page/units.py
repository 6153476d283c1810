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
    #: From here to the end of ``link_rows`` come the rows of anchors.
    first_anchor_row: int
    #: For each anchor its row, shape (n_anchors,); None if there are no such rows.
    anchor_row: Integers | None
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
    first_anchor_row, link_rows = n_rows, slice(n_rows, n_rows)
    wants_contexts = CONTEXT in kinds and page.n_links > 0
    pure, in_anchor, anchor_row, context_row = None, _NOWHERE, None, _NONE
    nodes, links = page.anchors, page.anchor_links.tolist()
    # Anchors that are one of several that lead to the same page.
    several: list[int] = []
    if len(links) > page.n_links:
        n_anchors = Counter(links)
        several = [anchor for anchor, link in enumerate(links) if n_anchors[link] > 1]
    if (ANCHOR in kinds and links) or (wants_contexts and not other_anchors):
        link_rows = slice(n_rows + len(several), n_rows + len(several) + page.n_links)
        rows_of_anchors = [link_rows.start + link for link in links]
        for chosen in (several, range(len(links))):
            first += [first_of[nodes[anchor]] for anchor in chosen]
            last += [last_of[nodes[anchor]] for anchor in chosen]
        row += range(n_rows, link_rows.start)
        row += rows_of_anchors
        for new_row, anchor in enumerate(several, n_rows):
            rows_of_anchors[anchor] = new_row
        anchor_row = integers(rows_of_anchors)
        n_rows = link_rows.stop
    n_whole = len(row)
    if wants_contexts:
        tops, rows, context_row = _aggregation_rows(page, links, several, n_rows)
        first += [first_of[node] for node in tops]
        last += [last_of[node] for node in tops]
        row += rows
        n_rows = row[-1] + 1
    bounds = page.chunk_start[integers(first + last)]
    whole = Stretches(bounds[: len(first)], bounds[len(first) :], integers(row))
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
        first_anchor_row,
        anchor_row,
        link_rows,
        context_row,
    )


_NONE: Integers = np.zeros(0, dtype=np.int64)
_NOWHERE = np.zeros(0, dtype=np.bool_)


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
    bounds = page.chunk_start[integers([*map(first_of.__getitem__, nodes), *map(last_of.__getitem__, nodes)])]
    size = len(page.terms) + 1
    change = np.bincount(bounds[: len(nodes)], minlength=size)
    change -= np.bincount(bounds[len(nodes) :], minlength=size)
    covered: npt.NDArray[np.bool_] = change[:-1].cumsum() > 0
    return covered


def _aggregation_rows(
    page: Page, links: list[int], several: list[int], first_row: int
) -> tuple[list[int], list[int], Integers]:
    """Return the aggregation nodes in use, the row each counts for, and for each link its row.

    Links with the same aggregation nodes share a row. Of nodes that lie within each other the outer one is enough:
    in the context of a link that stands several times in a page each text counts once [P13, Sect. 3.2].
    """
    parent = page.outline.parent
    parents = [max(parent[node], 0) for node in page.anchors]
    # What a link's aggregation nodes are: one node for most, else several.
    tops: list[int | tuple[int, ...]] = [0] * page.n_links
    for link, node in zip(links, parents, strict=True):
        tops[link] = node
    nodes_of: dict[int, set[int]] = {}
    for anchor in several:
        nodes_of.setdefault(links[anchor], set()).add(parents[anchor])
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
