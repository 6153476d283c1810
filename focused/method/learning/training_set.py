"""The training set of a topic: pages and links, checked and restricted to the vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from focused.method.text.vocabulary import canonical, document_frequencies, select_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

MIN_PAGES = 3
"""Least number of positive, and of unlabelled, pages: fewer leave nothing to hold out."""


@dataclass(frozen=True, slots=True)
class LinkExamples:
    """Links between training pages, with their anchor texts and link contexts."""

    source_rows: NDArray[np.int64]
    """Row of the page that holds the link, shape (n_links,)."""
    target_rows: NDArray[np.int64]
    """Row of the target page, shape (n_links,)."""
    anchor_counts: Any
    """CSR counts of the anchor texts, shape (n_links, n_columns)."""
    context_counts: Any
    """CSR counts of the link contexts, shape (n_links, n_columns)."""


@dataclass(frozen=True, slots=True)
class TermRule:
    """Which terms a model knows. By default those that the examples hold often enough."""

    words: ArrayLike | None = None
    """Columns of words that name the topic, shape (n_words,). A page that holds each once is learnt from as one more
    positive; nothing else is told from it."""
    every_term: bool = False
    """Keep all terms, also those of one page. Among a few dozen pages most terms are rare, and each tells pages apart."""
    vectors: NDArray[np.floating[Any]] | None = None
    """Word vectors of the terms, shape (n_columns, n_dimensions), zeros where there is none. A learner that knows of them
    judges terms that no page holds by them (docs/method/, D86); for other learners they are left out."""


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Pages and links in the columns of the vocabulary; positives without a known word are left out."""

    n_columns: int
    """Columns of the counts before the vocabulary was chosen."""
    terms: NDArray[np.int64]
    """Columns of the vocabulary."""
    counts: sparse.csr_matrix
    """Shape (n_pages, n_terms)."""
    positive: NDArray[np.bool_]
    """Shape (n_pages,)."""
    rows: NDArray[np.int64]
    """Rows of the pages in the given counts, shape (n_pages,)."""
    left_out: NDArray[np.int64]
    """Rows of positive pages without a known word, in the given counts."""
    links: LinkExamples
    """Rows refer to `counts`; empty if no links were given."""


def prepare(counts: Any, y: ArrayLike, link_examples: LinkExamples | None, rule: TermRule) -> TrainingSet:
    """Check the examples, choose the vocabulary, and leave out positives without a known word.

    The page that ``rule.words`` make is not added. Parameters and errors as in
    `focused.method.learning.training.train_topic`.
    """
    matrix = canonical(counts)
    if matrix.nnz and matrix.data.min() < 0:
        raise ValueError(f"Term counts must not be negative. Got {matrix.data.min()}.")
    positive = _positive_flags(y, matrix.shape[0])
    n_positive, n_unlabeled = int(positive.sum()), int((~positive).sum())
    if not n_positive:
        raise ValueError("There is no positive page. Bring at least 3, better 10 to 50, that show the topic.")
    if not n_unlabeled:
        raise ValueError(
            f"No unlabelled page is left beside the {n_positive} positive ones. Bring pages of any topic "
            "that are not among the positives, a few hundred or more."
        )
    terms = np.flatnonzero(document_frequencies(matrix)) if rule.every_term else select_terms(matrix, positive)
    if rule.vectors is not None:
        # What no example holds is judged by its vector.
        terms = np.union1d(terms, np.flatnonzero(np.asarray(rule.vectors).any(axis=1)))
    known = matrix[:, terms]
    has_words = np.diff(known.indptr) > 0
    n_with_words = int((positive & has_words).sum())
    if not n_with_words:
        raise ValueError(
            f"None of the {n_positive} positive pages holds a known word: their text is empty or every word "
            "of it is too rare. Bring pages with text, or more of them."
        )
    if n_with_words < MIN_PAGES or n_unlabeled < MIN_PAGES:
        raise ValueError(
            f"At least {MIN_PAGES} positive pages with known words and {MIN_PAGES} unlabelled pages are needed. "
            f"Got {n_with_words:,} and {n_unlabeled:,}. Bring more examples."
        )
    kept = np.flatnonzero(has_words | ~positive)
    links = _links_among(link_examples, terms, kept, matrix.shape)
    left_out = np.flatnonzero(positive & ~has_words)
    return TrainingSet(matrix.shape[1], terms, known[kept], positive[kept], kept, left_out, links)


def with_page_of_words(
    words: ArrayLike, counts: Any, y: ArrayLike, masks: Sequence[ArrayLike | None]
) -> tuple[sparse.csr_matrix, NDArray[np.bool_], list[NDArray[np.bool_] | None]]:
    """Return the examples with one more positive, which holds each of some words once (docs/method/, D76).

    Parameters
    ----------
    words : array-like of shape (n_words,)
        Columns.
    counts, y
        As in `focused.method.learning.training.train_topic`, of n_pages pages.
    masks : sequence of array-like of bool of shape (n_pages,), or None
        Flags of pages; those of the new page are False.
    """
    columns, matrix = np.unique(np.asarray(words, dtype=np.int64)), canonical(counts)
    page = sparse.csr_matrix((np.ones(len(columns)), columns, [0, len(columns)]), shape=(1, matrix.shape[1]))
    flags = np.append(_positive_flags(y, matrix.shape[0]), True)
    wider = [None if mask is None else np.append(np.asarray(mask, dtype=np.bool_), False) for mask in masks]
    return sparse.vstack([matrix, page], format="csr"), flags, wider


def _positive_flags(y: ArrayLike, n_pages: int) -> NDArray[np.bool_]:
    labels = np.asarray(y)
    if labels.shape != (n_pages,):
        raise ValueError(f"y must hold one label a page ({n_pages}). Got an array of shape {labels.shape}.")
    classes = np.unique(labels)
    if len(classes) > 2:
        raise ValueError(f"y must hold two labels, positive (the larger) and unlabelled. Got {len(classes)}.")
    if len(classes) == 2:
        return np.asarray(labels == classes[1])
    # With only one label, its truth value tells whether all are positive (True, 1) or none (False, 0, -1).
    return np.asarray(labels > 0)


def _links_among(
    links: LinkExamples | None, terms: NDArray[np.int64], kept: NDArray[np.int64], shape: tuple[int, int]
) -> LinkExamples:
    """Return the links between kept pages, with the new rows of these."""
    n_pages, n_columns = shape
    if links is None:
        none, no_rows = sparse.csr_matrix((0, len(terms))), np.empty(0, dtype=np.int64)
        return LinkExamples(no_rows, no_rows, none, none)
    sources, targets = np.asarray(links.source_rows), np.asarray(links.target_rows)
    n_links = len(sources)
    expected = (n_links, n_columns)
    if len(targets) != n_links or links.anchor_counts.shape != expected or links.context_counts.shape != expected:
        raise ValueError(
            f"link_examples must hold one target, anchor and context a link, in {n_columns} columns. "
            f"Got {n_links} sources, {len(targets)} targets, anchors of shape {links.anchor_counts.shape}, "
            f"contexts of shape {links.context_counts.shape}."
        )
    for name, rows in (("source_rows", sources), ("target_rows", targets)):
        if n_links and not (rows.min() >= 0 and rows.max() < n_pages):
            raise ValueError(f"{name} must be rows of the {n_pages} pages. Got rows from {rows.min()} to {rows.max()}.")
    row_now = np.full(n_pages, -1, dtype=np.int64)
    row_now[kept] = np.arange(len(kept))
    both = (row_now[sources] >= 0) & (row_now[targets] >= 0)
    return LinkExamples(
        row_now[sources][both],
        row_now[targets][both],
        canonical(links.anchor_counts)[both][:, terms],
        canonical(links.context_counts)[both][:, terms],
    )
