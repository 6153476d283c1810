"""Count the terms of example pages and of their links to other examples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from focused.method.page.link_context import WINDOW_CHARS, window_context
from focused.method.page.own_text import WHOLE
from focused.method.page.text_units import ANCHOR, CONTEXT, page_units
from focused.method.text.analyzer import FIRST_TERM, TERMS
from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from focused.method.page.page import Page
    from focused.method.page.text_units import PageUnits
    from focused.method.text.background import Background

# The pages of a site link to the same pages again and again.
_canonical_form = lru_cache(maxsize=2**17)(canonical_form)


class Counts(NamedTuple):
    """The different term ids of a text in ascending order, and how often each occurs."""

    ids: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]


class CountedLink(NamedTuple):
    """A link of an example page: its target in canonical form, the terms of its anchor text and of its context.

    Its window context and target URL stay texts: they are counted only if the link is kept with the topic.
    """

    target: str
    anchor: Counts
    context: Counts
    window: str
    url: str


@dataclass(frozen=True, slots=True)
class CountedPage:
    """The parts of an example page that training needs."""

    urls: set[str]
    terms: Counts
    links: list[CountedLink]


def count(ids: npt.NDArray[np.int32]) -> Counts:
    """Count the term ids of a text."""
    # As numpy.unique does it, which takes twice as long to find out that nothing else is wanted.
    found = ids[ids >= FIRST_TERM]
    if not len(found):
        return Counts(found, np.zeros(0, dtype=np.int64))
    found.sort()
    is_first = np.empty(len(found) + 1, dtype=np.bool_)
    is_first[0] = is_first[-1] = True
    np.not_equal(found[1:], found[:-1], out=is_first[1:-1])
    places = is_first.nonzero()[0]
    return Counts(found[places[:-1]], places[1:] - places[:-1])


def counted_page(
    page: Page,
    urls: set[str],
    wanted: Collection[str],
    *,
    page_text: str = WHOLE,
    other_anchors: bool = False,
    max_terms: int = 1_000_000,
    window_chars: int = WINDOW_CHARS.default,
) -> CountedPage:
    """Count a page's terms, and those of its links to other examples.

    ``urls``: the canonical forms of the page's own URLs. ``wanted``: canonical forms of the examples' URLs; links to other
    URLs are left out. ``page_text``, ``other_anchors`` and ``max_terms``: see `focused.method.page.text_units.page_units`.
    ``window_chars``: characters on each side of an anchor in its window context.
    """
    targets = [_canonical_form(link.url) for link in page.links]
    chosen = [
        (number, target) for number, target in enumerate(targets) if target and target in wanted and target not in urls
    ]
    links: list[CountedLink] = []
    if chosen:
        units = page_units(page, (ANCHOR, CONTEXT), other_anchors=other_anchors, max_terms=max_terms)
        contexts = _Contexts(page, units)
        links = [_counted_link(page, number, target, contexts, window_chars) for number, target in chosen]
    return CountedPage(urls, count(page.judged_terms(page_text)), links)


def counted_link(
    page: Page,
    number: int,
    *,
    other_anchors: bool = False,
    max_terms: int = 1_000_000,
    window_chars: int = WINDOW_CHARS.default,
) -> CountedLink:
    """Count the texts of one of a page's links; see `counted_page`."""
    units = page_units(page, (ANCHOR, CONTEXT), other_anchors=other_anchors, max_terms=max_terms)
    return _counted_link(page, number, page.links[number].url, _Contexts(page, units), window_chars)


def _counted_link(page: Page, number: int, target: str, contexts: _Contexts, window_chars: int) -> CountedLink:
    link = page.links[number]
    anchor = _longest(page, link.anchors)
    text = count(page.terms[slice(*page.stretch(page.anchors[anchor]))])
    return CountedLink(target, text, contexts.of_link(number), window_context(page, anchor, window_chars), link.url)


def _longest(page: Page, anchors: list[int]) -> int:
    """Return the anchor of a link with the longest text: in a crawl, too, one anchor decides."""

    def length(anchor: int) -> int:
        first, last = page.stretch(page.anchors[anchor])
        return last - first

    return max(anchors, key=length)


class _Contexts:
    """The link contexts of a page; a context that links share is built once."""

    def __init__(self, page: Page, units: PageUnits) -> None:
        self._terms, self._units, self._in_anchor = page.terms, units, units.in_anchor
        self._stretches: dict[int, list[tuple[int, int]]] = {}
        for row, start, end in zip(units.row.tolist(), units.start.tolist(), units.end.tolist(), strict=True):
            self._stretches.setdefault(row, []).append((start, end))
        self._texts: dict[int, npt.NDArray[np.int32]] = {}

    def of_link(self, number: int) -> Counts:
        row = int(self._units.context_row[number])
        if row not in self._texts:
            self._texts[row] = np.concatenate([self._kept(*stretch) for stretch in self._stretches[row]])
        if self._in_anchor is None:
            return count(self._texts[row])
        own = self._stretches[self._units.link_rows.start + number]
        return count(np.concatenate([self._texts[row], *(self._terms[first:last] for first, last in own)]))

    def _kept(self, first: int, last: int) -> npt.NDArray[np.int32]:
        terms = self._terms[first:last]
        return terms if self._in_anchor is None else terms[~self._in_anchor[first:last]]


def count_matrix(texts: Sequence[Counts], columns: npt.NDArray[np.int64], n_columns: int) -> sparse.csr_matrix:
    """Return the counts of texts as rows.

    ``columns`` of shape (n_ids,): the column of each term id; -1 leaves the id out.
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


class Columns:
    """The terms of pages as the columns of their counts.

    They are in the alphabetical order of the terms. Ids depend on what the process read before. ``more`` and ``texts``: more
    terms, and texts, whose terms get a column.
    """

    def __init__(self, pages: Sequence[CountedPage], more: Collection[str] = (), texts: Sequence[Counts] = ()) -> None:
        ids = used_ids([*(page.terms for page in pages), *texts])
        of_ids = TERMS.terms(ids)
        self.terms = sorted({*of_ids, *more})
        self.column_of = {term: column for column, term in enumerate(self.terms)}
        self._columns = np.full(len(TERMS), -1, dtype=np.int64)
        self._columns[ids] = [self.column_of[term] for term in of_ids]

    def counts(self, texts: list[Counts]) -> sparse.csr_matrix:
        """Return the counts of texts as rows."""
        return count_matrix(texts, self._columns, len(self.terms))

    def of_background(self, background: Background, rows: sparse.csr_matrix | None = None) -> sparse.csr_matrix:
        """Return the counts of the background's pages, or of some of its rows, as rows."""
        column = np.array([self.column_of[term] for term in background.terms], dtype=np.int64)
        rows = background.counts if rows is None else rows
        shape = (rows.shape[0], len(self.terms))
        moved = sparse.csr_matrix((rows.data, column[rows.indices], rows.indptr), shape=shape)
        moved.sort_indices()
        return moved


def links_between(pages: Sequence[CountedPage]) -> list[tuple[int, int, CountedLink]]:
    """Return the links among pages, each with the rows of its source and of its target."""
    row_of = {url: row for row, page in enumerate(pages) for url in page.urls}
    return [
        (row, row_of[link.target], link)
        for row, page in enumerate(pages)
        for link in page.links
        if link.target in row_of
    ]
