"""Adds pages of a crawl to a topic's examples [I18, Sect. 3.2]: one set of matrices for a whole retraining."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from focused.method.learning.training_set import LinkExamples
from focused.method.topic.examples import TopicExamples
from focused.method.topic.page_keys import PageKeys, gathered, page_keys, text_keys, under
from focused.method.training.untitled import unusable_titles, without_columns
from focused.retraining.judged_pages import pages_to_learn_from
from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from focused.method.topic import Topic
    from focused.retraining.judged_pages import JudgedPage, TermCounts

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_MATRICES = ("pages", "anchors", "contexts", "windows", "urls")


class AugmentedExamples:
    """The examples of a topic and the pages of a crawl that may join them. For given labels the rows are cut out.

    Of the links that led to pages of the crawl, those can join whose own page is among the pages, too (D65). Pages without
    words are left out: nothing can be learnt from them.
    """

    def __init__(self, own: TopicExamples, pages: Sequence[JudgedPage]) -> None:
        self.n_own: int = own.pages.shape[0]
        self.pages = [page for page in pages if page.terms]
        self._own = own
        row_of = {page.number: row for row, page in enumerate(self.pages, start=self.n_own)}
        links = [(page, page.link) for page in self.pages if page.link is not None and page.link.source in row_of]
        texts = {
            "pages": [page.terms for page in self.pages],
            "anchors": [link.anchor for _, link in links],
            "contexts": [link.context for _, link in links],
            "windows": [link.window for _, link in links],
            "urls": [link.url for _, link in links],
        }
        known = set(own.terms)
        new = {term for each in texts.values() for text in each for term in text if term not in known}
        terms = [*own.terms, *sorted(new)]
        column_of = {term: column for column, term in enumerate(terms)}
        keys = under(keys_among(own), gathered([keys_of(page) for page in self.pages], self.n_own))
        self._all = TopicExamples(
            terms=terms,
            positive=np.concatenate([own.positive, np.zeros(len(self.pages), dtype=np.bool_)]),
            sources=_with(own.sources, [row_of[link.source] for _, link in links]),
            targets=_with(own.targets, [row_of[page.number] for page, _ in links]),
            # No URLs are kept of pages that joined.
            places=None if own.places is None else np.pad(own.places, ((0, len(links)), (0, 0))),
            keys=keys,
            **{name: _under(getattr(own, name), _rows(texts[name], column_of)) for name in _MATRICES},
        )

    def numbers(self, labels: Mapping[int, bool]) -> list[int]:
        """Return the numbers of the pages that have a label, in the order of their rows."""
        return [page.number for page in self.pages if page.number in labels]

    def with_labels(self, labels: Mapping[int, bool]) -> TopicExamples:
        """Return the topic's own examples and, under them, the pages of the crawl that have a label.

        Positives join the positives. Negatives join the unlabelled pages, from which the learners choose their reliable
        negatives (docs/method/, D63). Terms that none of these pages and links has are left out, and words of titles where
        few positives have titles (D97).
        """
        every, n_own = self._all, self.n_own
        joins = np.ones(every.pages.shape[0], dtype=np.bool_)
        joins[n_own:] = [page.number in labels for page in self.pages]
        cut = every.where(joins, keeps_terms=len(self._own.terms))
        positive = np.concatenate([self._own.positive, [labels[n] for n in self.numbers(labels)]]).astype(np.bool_)
        unusable = unusable_titles(cut.pages, positive, cut.terms)
        pages = without_columns(cut.pages, unusable) if unusable.any() else cut.pages
        return replace(cut, pages=pages, positive=positive)

    def counts_in(self, terms: Sequence[str], numbers: Collection[int]) -> tuple[list[JudgedPage], sparse.csr_matrix]:
        """Return the pages with these numbers, and their term counts in the columns of some terms."""
        rows = [row for row, page in enumerate(self.pages) if page.number in numbers]
        chosen = [self.pages[row] for row in rows]
        column_of = {term: column for column, term in enumerate(terms)}
        known = [{term: n for term, n in page.terms.items() if term in column_of} for page in chosen]
        return chosen, _rows(known, column_of)

    def unlabeled_again(self, numbers: Collection[int]) -> Flags:
        """Return which of the topic's own unlabelled pages are among these pages of the crawl; shape (n_own,).

        A page is recognised by its address or its text.
        """
        keys, rows = keys_among(self._all)
        again = np.zeros(self._all.pages.shape[0], dtype=np.bool_)
        again[self.n_own :] = [page.number in numbers for page in self.pages]
        is_met = np.isin(keys, keys[again[rows]])
        found = np.zeros(self.n_own, dtype=np.bool_)
        found[rows[is_met & (rows < self.n_own)]] = True
        return found & ~self._own.positive

    def counts(self) -> tuple[list[str], sparse.csr_matrix]:
        """Return all terms, and the term counts of the crawl's pages: shape (n_pages, n_terms)."""
        return self._all.terms, self._all.pages[self.n_own :]


def with_terms(examples: TopicExamples, terms: Sequence[str]) -> TopicExamples:
    """Return examples whose list of terms has these, too, the new ones behind the others."""
    known = set(examples.terms)
    new = list(dict.fromkeys(term for term in terms if term not in known))
    if not new:
        return examples
    wide = {}
    for name in _MATRICES:
        rows = getattr(examples, name)
        wide[name] = sparse.csr_matrix(
            (rows.data, rows.indices, rows.indptr), (rows.shape[0], rows.shape[1] + len(new))
        )
    return replace(examples, terms=[*examples.terms, *new], **wide)


def with_vectors(examples: TopicExamples, topic: Topic) -> tuple[TopicExamples, npt.NDArray[np.float32] | None]:
    """Return examples whose terms include all that have a vector, and these vectors, if the topic was learnt with vectors."""
    vectors = topic.word_vectors
    if vectors is None:
        return examples, None
    wide = with_terms(examples, vectors.terms)
    return wide, vectors.of_terms(wide.terms)


def columns_of(examples: TopicExamples, terms: Sequence[str]) -> list[int] | None:
    """Return the columns of terms that the examples have; None for no terms."""
    column_of = {term: column for column, term in enumerate(examples.terms)} if terms else {}
    return [column_of[term] for term in terms] or None


def links_of(examples: TopicExamples) -> LinkExamples | None:
    """Return the links among examples as training wants them, None where there are none."""
    if not examples.n_links:
        return None
    return LinkExamples(examples.sources, examples.targets, examples.anchors, examples.contexts)


def keys_of(page: JudgedPage) -> list[int]:
    """Return the keys by which a page of a crawl is recognised: of its canonical URL, and of its text."""
    form = canonical_form(page.url)
    return page_keys([] if form is None else [form], page.terms)


def keys_among(examples: TopicExamples) -> PageKeys:
    """Return the keys of a topic's pages; where none were kept, those of the texts."""
    return examples.keys if examples.keys is not None else text_keys(examples.terms, examples.pages)


def known_pages(examples: TopicExamples, pages: Sequence[JudgedPage], labels: Mapping[int, bool]) -> set[int]:
    """Return the numbers of the pages that need not join: they are among the examples with the same label.

    They are positives among the positives, or negatives among the other pages. A page whose label is new, or another than
    before, joins.
    """
    keys, rows = keys_among(examples)
    of_label = {label: set(keys[examples.positive[rows] == label].tolist()) for label in (True, False)}
    return {
        page.number
        for page in pages_to_learn_from(pages, labels)
        if not of_label[labels[page.number]].isdisjoint(keys_of(page))
    }


def _rows(texts: Sequence[TermCounts], column_of: Mapping[str, int]) -> sparse.csr_matrix:
    columns = [column_of[term] for text in texts for term in text]
    counts = [float(n) for text in texts for n in text.values()]
    ends = np.concatenate([[0], np.cumsum([len(text) for text in texts], dtype=np.int64)])
    rows = sparse.csr_matrix((counts, columns, ends), shape=(len(texts), len(column_of)), dtype=np.float64)
    rows.sort_indices()
    return rows


def _under(known: sparse.csr_matrix, new: sparse.csr_matrix) -> sparse.csr_matrix:
    wide = sparse.csr_matrix((known.data, known.indices, known.indptr), shape=(known.shape[0], new.shape[1]))
    return sparse.vstack([wide, new], format="csr")


def _with(known: Integers, new: list[int]) -> Integers:
    return np.concatenate([known, np.array(new, dtype=np.int64)])
