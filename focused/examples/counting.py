"""Example pages as term counts: of the page, and of the links that lead to other examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from focused.page.units import ANCHOR, CONTEXT, page_units
from focused.text.analyzer import FIRST_TERM
from focused.webs.recorded.matching import canonical_form

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from focused.page.page import Page
    from focused.page.units import PageUnits, Stretches


class Counts(NamedTuple):
    """The different term ids of a text in ascending order, and how often each occurs."""

    ids: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]


class CountedLink(NamedTuple):
    """A link of an example page: the canonical form of its target, the terms of its anchor text and context."""

    target: str
    anchor: Counts
    context: Counts


@dataclass(frozen=True, slots=True)
class CountedPage:
    """An example page as far as training needs it."""

    urls: set[str]
    terms: Counts
    links: list[CountedLink]


def count(ids: npt.NDArray[np.int32]) -> Counts:
    """Count the term ids of a text."""
    return Counts(*np.unique(ids[ids >= FIRST_TERM], return_counts=True))


def counted_page(
    page: Page, urls: set[str], wanted: Collection[str], *, other_anchors: bool = False, max_terms: int = 1_000_000
) -> CountedPage:
    """Count a page's terms, and those of its links to other examples.

    Parameters
    ----------
    page : Page
    urls : set of str
        The canonical forms of the page's own URLs.
    wanted : collection of str
        Canonical forms of the URLs that examples may have; links to others are left out.
    other_anchors, max_terms
        See `focused.page.units.page_units`.
    """
    targets = [canonical_form(link.url) for link in page.links]
    chosen = [
        (number, target) for number, target in enumerate(targets) if target and target in wanted and target not in urls
    ]
    links: list[CountedLink] = []
    if chosen:
        units = page_units(page, (ANCHOR, CONTEXT), other_anchors=other_anchors, max_terms=max_terms)
        contexts = _Contexts(units)
        links = [
            CountedLink(target, _anchor(page, units, page.links[number].anchors), contexts.of_link(number))
            for number, target in chosen
        ]
    return CountedPage(urls, count(page.terms), links)


def _anchor(page: Page, units: PageUnits, anchors: list[int]) -> Counts:
    """Count the longest of a link's anchor texts: in a crawl too, one of them decides."""
    stretches = [page.stretch(page.anchors[anchor]) for anchor in anchors]
    first, last = max(stretches, key=lambda stretch: stretch[1] - stretch[0])
    return count(units.terms[first:last])


class _Contexts:
    """The link contexts of a page; what links share is put together once."""

    def __init__(self, units: PageUnits) -> None:
        self._units = units
        whole = _by_row(units.whole)
        self._shared = whole if units.pure is None else _by_row(units.pure)
        # Where the texts of other anchors are kept, a context holds its own already.
        self._own = {} if units.pure is None else whole
        none = np.zeros(len(units.terms), dtype=np.bool_)
        self._without = none if units.pure is None else units.in_anchor
        self._texts: dict[int, npt.NDArray[np.int32]] = {}

    def of_link(self, number: int) -> Counts:
        row = int(self._units.context_row[number])
        if row not in self._texts:
            pieces = [self._kept(first, last) for first, last in self._shared.get(row, [])]
            self._texts[row] = np.concatenate(pieces) if pieces else self._units.terms[:0]
        own = [self._units.terms[first:last] for first, last in self._own.get(self._units.link_rows.start + number, [])]
        return count(np.concatenate([self._texts[row], *own]))

    def _kept(self, first: int, last: int) -> npt.NDArray[np.int32]:
        kept: npt.NDArray[np.int32] = self._units.terms[first:last][~self._without[first:last]]
        return kept


def _by_row(stretches: Stretches) -> dict[int, list[tuple[int, int]]]:
    found: dict[int, list[tuple[int, int]]] = {}
    for start, end, row in zip(stretches.start.tolist(), stretches.end.tolist(), stretches.row.tolist(), strict=True):
        found.setdefault(row, []).append((start, end))
    return found


def count_matrix(texts: Sequence[Counts], columns: npt.NDArray[np.int64], n_columns: int) -> sparse.csr_matrix:
    """Return the counts of texts as rows.

    Parameters
    ----------
    texts : sequence of Counts
    columns : ndarray of shape (n_ids,)
        The column of each term id, -1 for ids that have none and are left out.
    n_columns : int
    """
    ids = np.concatenate([text.ids for text in texts]) if texts else np.zeros(0, dtype=np.int32)
    counts = np.concatenate([text.counts for text in texts]) if texts else np.zeros(0, dtype=np.int64)
    rows = np.repeat(np.arange(len(texts)), [len(text.ids) for text in texts])
    column = columns[ids]
    known = column >= 0
    shape = (len(texts), n_columns)
    return sparse.csr_matrix((counts[known], (rows[known], column[known])), shape=shape, dtype=np.int64)


def used_ids(texts: Iterable[Counts]) -> npt.NDArray[np.int64]:
    """Return the different term ids of texts in ascending order."""
    found = [text.ids for text in texts]
    return np.unique(np.concatenate(found)).astype(np.int64) if found else np.zeros(0, dtype=np.int64)
