"""The texts of a page and of its links as term counts, in the columns of a strategy's own list of terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.page.link_context import url_terms, window_context
from focused.method.page.text_units import CONTEXT, page_units
from focused.method.text.analyzer import MARK_CHAR, TERMS, mark
from focused.method.topic.product import KnownTerms, UnitProduct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.method.page.page import Page
    from focused.method.page.text_units import PageUnits
    from focused.method.text.analyzer import Analyzer

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_BORDER = 0  # the mark between two texts of one stream


class TermColumns:
    """The column of each term id, for a list with the term of each column."""

    def __init__(self, terms: Sequence[str]) -> None:
        ids = [TERMS.intern(term, always=True) for term in terms]
        self.n_terms = len(ids)
        # One more at the end stands for all ids that are met later.
        self._columns = np.full(len(TERMS) + 1, -1, dtype=np.int32)
        self._columns[ids] = np.arange(len(ids))

    def product(self, weights: Floats, directions: Floats, *, sublinear: bool) -> UnitProduct:
        """Return the product of text units, weighted by one weight a term, with directions; see `UnitProduct`."""
        return UnitProduct(self._columns[:-1], weights, np.atleast_2d(directions), sublinear)

    def known(self, page: Page) -> KnownTerms:
        """Return a page's terms that have a column, as `UnitProduct.known` does."""
        columns = self._columns.take(page.terms, mode="clip")
        is_known = columns >= 0
        place = np.zeros(len(columns) + 1, dtype=np.int64)
        is_known.cumsum(out=place[1:])
        return KnownTerms(columns[is_known], place[page.chunk_start])

    def page(self, page: Page) -> Any:
        """Return the counts of a page as a CSR matrix of one row."""
        return self._matrix(np.zeros(len(page.terms), dtype=np.int64), page.terms, 1)

    def anchors(self, page: Page) -> Any:
        """Return the counts of a page's anchor texts as a CSR matrix of shape (n_anchors, n_terms)."""
        outline, nodes = page.outline, page.anchors
        start, end = page.chunk_start[outline.first_chunk[nodes]], page.chunk_start[outline.last_chunk[nodes]]
        rows, positions = _positions(start, end)
        return self._matrix(rows, page.terms[positions], len(nodes))

    def windows(self, page: Page, analyzer: Analyzer, n_chars: int, *, with_urls: bool = False) -> Any:
        """Return the counts of a page's window contexts as a CSR matrix of shape (n_anchors, n_terms).

        A window has `n_chars` on each side of an anchor. The analyzer must be the one that the page was read with.
        """
        texts = [window_context(page, anchor, n_chars) for anchor in range(len(page.anchors))]
        if with_urls:
            urls = list(page.link_numbers)
            texts = [
                f"{text} {url_terms(urls[number])}"
                for text, number in zip(texts, page.anchor_links.tolist(), strict=True)
            ]
        # All in one go: what counts is the number of calls, not the length of the text.
        stream = analyzer.stream(mark(_BORDER).join(text.replace(MARK_CHAR, " ") for text in texts))
        rows = (stream == _BORDER).cumsum()
        return self._matrix(rows, stream, len(texts))

    def _matrix(self, rows: Integers, ids: npt.NDArray[np.int32], n_rows: int) -> Any:
        columns = self._columns.take(ids, mode="clip")
        is_known = columns >= 0
        return count_rows(rows[is_known], columns[is_known], (n_rows, self.n_terms))


def context_units(
    page: Page, known: KnownTerms, *, other_anchors: bool = False, max_terms: int = 1_000_000
) -> PageUnits:
    """Return the link contexts of a page as units of its known terms, see `focused.method.page.text_units.page_units`."""
    cut_before = page.cuts["contexts"]
    units = page_units(
        page, (CONTEXT,), chunk_start=known.chunk_start, other_anchors=other_anchors, max_terms=max_terms
    )
    if cut_before:  # they were counted when the page was judged
        page.cuts["contexts"] = cut_before
    return units


def context_counts(known: KnownTerms, units: PageUnits, links: Integers, n_terms: int) -> Any:
    """Return the counts of some link contexts as a CSR matrix of shape (len(links), n_terms).

    Of many links each may hold all words of the page: the caller chooses how many to count. Units are those of
    `context_units`.
    """
    of_context = units.context_row[links]
    is_wanted = np.zeros(units.n_rows, dtype=np.bool_)
    is_wanted[of_context] = True
    has_own = units.in_anchor is not None
    if has_own:
        is_wanted[units.link_rows.start + links] = True
    chosen = np.flatnonzero(is_wanted[units.row])
    of_stretch, positions = _positions(units.start[chosen], units.end[chosen])
    if units.in_anchor is not None:
        is_left_out = (chosen[of_stretch] >= units.n_with_anchors) & units.in_anchor[positions]
        of_stretch, positions = of_stretch[~is_left_out], positions[~is_left_out]
    counts = count_rows(units.row[chosen][of_stretch], known.columns[positions], (units.n_rows, n_terms))
    found = counts[of_context]
    return found + counts[units.link_rows.start + links] if has_own else found


def count_rows(rows: Integers, columns: npt.NDArray[Any], shape: tuple[int, int]) -> Any:
    """Return how often each pair of row and column occurs, as a CSR matrix of floats."""
    from scipy import sparse  # not before a crawl needs it: it takes as long to import as a command to start

    return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)


def _positions(start: Integers, end: Integers) -> tuple[Integers, Integers]:
    """Return the positions in stretches, one stretch after the other, and before them the stretch of each."""
    lengths = np.maximum(end - start, 0)
    of_stretch = np.arange(len(lengths)).repeat(lengths)
    return of_stretch, np.arange(len(of_stretch)) + (start - lengths.cumsum() + lengths).repeat(lengths)
