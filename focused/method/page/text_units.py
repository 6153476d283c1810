"""The text units of a page (page, blocks, anchors, link contexts) as stretches of its term stream."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.page.limits import MAX_UNIT_TERMS
from focused.method.page.own_text import WHOLE
from focused.utils.setting import TOPIC, Setting

if TYPE_CHECKING:
    from collections.abc import Collection

    from focused.method.page.page import Page

Integers = npt.NDArray[np.int64]

PAGE, BLOCK, ANCHOR, CONTEXT = KINDS = ("page", "block", "anchor", "context")
"""The kinds of text units."""

# By default the rule of L14 holds for the other papers' strategies, too (docs/method/, D79).
OTHER_ANCHORS = Setting(
    "FOCUSED_CONTEXT_OTHER_ANCHORS",
    "exclude",
    "Whether a link context keeps the texts of the other links in it (P13, P15) or not (L14).",
    choices=("exclude", "include"),
    set_by=TOPIC,
)


@dataclass(slots=True)
class PageUnits:
    """Text units of one page: the rows of a count matrix, before counting.

    Row 0 is the page. Then come its blocks, the single anchors of links with several anchors, the links (all anchors of a
    link in one row), and the texts of aggregation nodes. A link context is the text of the link's aggregation nodes. If that
    leaves out all anchors, the link's own row is added to it. Links with the same aggregation nodes share a row, so 100,000
    links under one node stay linear.
    """

    n_rows: int
    #: Stretches of the term stream: first position, one past the last, and row of each; shape (n_stretches,).
    start: Integers
    end: Integers
    row: Integers
    #: From this stretch on come those of aggregation nodes. They leave out the terms in anchors ...
    n_with_anchors: int
    #: ... which this array flags for each position of the stream; None if nothing is left out.
    in_anchor: npt.NDArray[np.bool_] | None
    block_rows: slice
    #: First row of anchors; the last is the end of ``link_rows``.
    first_anchor_row: int
    link_rows: slice
    #: For each anchor its row, shape (n_anchors,); None if each link has one anchor: then the link's row is the anchor's.
    anchor_row: Integers | None
    #: For each link the row of the text of its aggregation nodes, shape (n_links,).
    context_row: Integers


def page_units(
    page: Page,
    kinds: Collection[str] = KINDS,
    *,
    chunk_start: Integers | None = None,
    page_text: str = WHOLE,
    other_anchors: bool = False,
    max_terms: int = MAX_UNIT_TERMS.default,
) -> PageUnits:
    """Return the text units of a page of the given kinds; the page itself is always included.

    ``kinds``: collection of {"page", "block", "anchor", "context"}. ``chunk_start`` of shape (n_chunks + 2,): where the
    page's chunks begin in the stream that is counted. Default: in all of its terms. ``page_text``: the text of the page
    itself, "own" or "whole" (`focused.method.page.own_text`). ``other_anchors``: whether link
    contexts keep the anchor texts of other links (P13, P15) or not (L14). ``max_terms``: bound on the terms of all
    aggregation nodes' texts together. Beyond it each text is cut to an equal share, and the number of cut texts is added to
    the page's ``cuts["contexts"]``.
    """
    outline = page.outline
    chunk_start = page.chunk_start if chunk_start is None else chunk_start
    # The page as a whole, and its blocks; then come the nodes of anchors and contexts.
    of_page = page.stretches(page_text)
    first, last, rows = [of_page[0]], [of_page[1]], [np.zeros(len(of_page[0]), dtype=np.int64)]
    n_rows = 1
    if BLOCK in kinds:
        first.append(page.blocks.first_chunk)
        last.append(page.blocks.last_chunk)
        rows.append(page.blocks.block + 1)
        n_rows += page.n_blocks
    block_rows = slice(1, n_rows)
    first_anchor_row, link_rows = n_rows, slice(n_rows, n_rows)
    nodes: list[Integers] = []
    wants_contexts = CONTEXT in kinds and page.n_links > 0
    in_anchor, anchor_row, context_row = None, None, _NONE
    # Anchors of links that have several.
    several = _NONE
    if len(page.anchors) > page.n_links:
        several = (np.bincount(page.anchor_links)[page.anchor_links] > 1).nonzero()[0]
    if page.n_links and (ANCHOR in kinds or (wants_contexts and not other_anchors)):
        link_rows = slice(n_rows + len(several), n_rows + len(several) + page.n_links)
        anchor_row = page.anchor_links + link_rows.start
        if len(several):
            nodes.append(page.anchors[several])
            rows.append(np.arange(n_rows, link_rows.start))
        nodes.append(page.anchors)
        rows.append(anchor_row)
        if len(several):
            anchor_row = anchor_row.copy()
            anchor_row[several] = rows[-2]
        n_rows = link_rows.stop
    n_with_anchors = sum(map(len, rows))
    if wants_contexts:
        tops, top_rows, context_row = _aggregation_rows(page, several, n_rows)
        nodes.append(tops)
        rows.append(top_rows)
        n_rows = int(top_rows[-1]) + 1
    of_nodes = np.concatenate(nodes) if nodes else _NONE
    start = chunk_start[np.concatenate((*first, outline.first_chunk[of_nodes]))]
    end = chunk_start[np.concatenate((*last, outline.last_chunk[of_nodes]))]
    if wants_contexts:
        _cut(page, start[n_with_anchors:], end[n_with_anchors:], max_terms)
        if not other_anchors:
            in_anchor = _in_anchor(page, chunk_start)
    return PageUnits(
        n_rows, start, end, np.concatenate(rows), n_with_anchors, in_anchor, block_rows, first_anchor_row, link_rows,
        anchor_row if len(several) else None, context_row,
    )  # fmt: skip


_NONE: Integers = np.zeros(0, dtype=np.int64)


def _cut(page: Page, start: Integers, end: Integers, max_terms: int) -> None:
    """Cut stretches in place, each to an equal share, if all together are too long."""
    # No stretch is longer than the page, so for most pages there is nothing to add up.
    if len(page.terms) * len(start) <= max_terms:
        return
    lengths = end - start
    if int(lengths.sum()) > max_terms:
        share = max_terms // len(start) + 1
        page.cuts["contexts"] += int((lengths > share).sum())
        np.minimum(end, start + share, out=end)


def _in_anchor(page: Page, chunk_start: Integers) -> npt.NDArray[np.bool_]:
    """Flag the positions in link elements, links to the page itself (D5) included."""
    outline, nodes, size = page.outline, page.outline.link_nodes, int(chunk_start[-1]) + 1
    change = np.bincount(chunk_start[outline.first_chunk[nodes]], minlength=size)
    change -= np.bincount(chunk_start[outline.last_chunk[nodes]], minlength=size)
    covered: npt.NDArray[np.bool_] = change.cumsum() > 0
    return covered


def _aggregation_rows(page: Page, several: Integers, first_row: int) -> tuple[Integers, Integers, Integers]:
    """Return the aggregation nodes, the row of each, and the row of each link.

    Links with the same aggregation nodes share a row. A link may stand several times in a page. Each text counts once in its
    context [P13, Sect. 3.2], so of nested nodes only the outer one counts.
    """
    parents = np.maximum(page.outline.parent[page.anchors], 0)
    top = np.empty(page.n_links, dtype=np.int64)
    top[page.anchor_links] = parents
    # Links with several aggregation nodes.
    groups: dict[tuple[int, ...], list[int]] = {}
    if len(several):
        links, nodes = _outermost(page.anchor_links[several], parents[several], page.outline.end)
        top[links] = nodes
        bounds = (links[1:] != links[:-1]).nonzero()[0] + 1
        node_list, link_list = nodes.tolist(), links.tolist()
        for start, stop in pairwise([0, *bounds.tolist(), len(link_list)]):
            if stop - start > 1:
                groups.setdefault(tuple(node_list[start:stop]), []).append(link_list[start])
    is_used = np.zeros(len(page.outline.parent), dtype=np.bool_)
    is_used[top] = True
    used = is_used.nonzero()[0]
    context_row = is_used.cumsum()[top] + (first_row - 1)
    rows = np.arange(first_row, first_row + len(used))
    if groups:
        for number, sharing in enumerate(groups.values(), first_row + len(used)):
            context_row[sharing] = number
        numbers = np.arange(first_row + len(used), first_row + len(used) + len(groups))
        rows = np.concatenate((rows, numbers.repeat([*map(len, groups)])))
        used = np.concatenate((used, *groups))
    return used, rows, context_row


def _outermost(links: Integers, nodes: Integers, end: Integers) -> tuple[Integers, Integers]:
    """Return the outermost nodes of each link, in ascending order of link and node."""
    size = len(end) + 1  # link and node as one number
    pairs = links * size + nodes
    pairs.sort()
    links, nodes = np.divmod(pairs, size)
    # A node is nested if it begins before the last of the earlier nodes ends.
    has_ended = np.maximum.accumulate(links * size + end[nodes])
    is_kept = np.ones(len(pairs), dtype=np.bool_)
    np.greater_equal(pairs[1:], has_ended[:-1], out=is_kept[1:])
    return links[is_kept], nodes[is_kept]
