"""Decisions on held-out texts: cross-fitting over the training pages."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

from focused.method.learning.learners import make_learner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from focused.method.learning.estimators.base import LinearCountClassifier

SHORT_LENGTHS = (2, 4, 8, 16, 32, 64)
"""Lengths, in words, of the texts that are drawn from a page to represent its blocks, from a menu entry to a paragraph."""

_LEAST_WIDTH = 1e-9
"""Decisions that differ by less are the same number, computed in another order."""


@dataclass(frozen=True, slots=True)
class Units:
    """Texts of training pages. Each is judged by a model that was trained without its page."""

    counts: sparse.csr_matrix
    """Shape (n_units, n_terms)."""
    pages: NDArray[np.int64]
    """Row of each unit's page, shape (n_units,)."""

    @property
    def n_known(self) -> NDArray[np.float64]:
        """Number of distinct terms of each unit."""
        return np.asarray(np.diff(self.counts.indptr), dtype=np.float64)


def draw_words(counts: sparse.csr_matrix, n_words: int, rng: np.random.Generator) -> sparse.csr_matrix:
    """Return for each document the counts of `n_words` of its words, drawn without replacement.

    A document with fewer words keeps all of them.
    """
    n_of_entry = counts.data.astype(np.int64)
    document = np.repeat(np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr)), n_of_entry)
    term = np.repeat(counts.indices, n_of_entry)
    # Documents stay in their order, the words of each are shuffled: one sort is many times as fast as one by two keys.
    shuffled = np.argsort(document + rng.random(len(document)), kind="stable")
    document, term = document[shuffled], term[shuffled]
    starts = np.searchsorted(document, np.arange(counts.shape[0]))
    kept = np.arange(len(document)) - starts[document] < n_words
    drawn = sparse.csr_matrix(
        (np.ones(int(kept.sum())), (document[kept], term[kept])), shape=counts.shape, dtype=np.float64
    )
    drawn.sum_duplicates()
    return drawn


def short_texts(counts: sparse.csr_matrix, pages: NDArray[np.int64], rng: np.random.Generator) -> Units:
    """Return short texts drawn from the given pages, `SHORT_LENGTHS` from each."""
    drawn = [draw_words(counts[pages], n_words, rng) for n_words in SHORT_LENGTHS]
    return Units(sparse.vstack(drawn, format="csr"), np.tile(pages, len(SHORT_LENGTHS)))


def first_equal_rows(counts: sparse.csr_matrix) -> NDArray[np.int64]:
    """Return for each document the row of the first one with the same counts; shape (n_documents,)."""
    rows = sparse.csr_matrix(counts, copy=True)
    rows.sum_duplicates()
    ends = rows.indptr
    first: dict[tuple[bytes, bytes], int] = {}
    return np.array(
        [
            first.setdefault((rows.indices[a:b].tobytes(), rows.data[a:b].tobytes()), row)
            for row, (a, b) in enumerate(pairwise(ends.tolist()))
        ],
        dtype=np.int64,
    )


def held_out_decisions(
    learner: str,
    final: LinearCountClassifier,
    counts: sparse.csr_matrix,
    positive: NDArray[np.bool_],
    units: list[Units],
    *,
    n_folds: int,
    random_state: int,
    n_jobs: int | None = None,
    learnt_only: NDArray[np.bool_] | None = None,
    learnt: NDArray[np.bool_] | None = None,
    term_vectors: NDArray[np.floating[Any]] | None = None,
    hidden_share: float | None = None,
    scale_by_classes: bool = False,
) -> list[NDArray[np.float64]]:
    """Return the decisions on each group of units, by models that were not trained on the units' pages.

    The decisions are rescaled to the final model, which they represent: the voting classifier takes a different number of
    rounds in each fold, and that shifts its decisions.

    Parameters
    ----------
    learner : str
        A name of `focused.method.learning.learners.LEARNERS`.
    final : LinearCountClassifier
        The same learner, fitted on all pages.
    counts, positive : CSR matrix of shape (n_pages, n_terms), flags of shape (n_pages,)
        The training pages.
    units : list of Units
        Groups of texts, in the columns of `counts`.
    n_folds : int
        Number of models; at most the number of pages of the smaller class.
    random_state : int
        Seed of the folds and of the learner.
    n_jobs : int, optional
        Folds trained at the same time, as in joblib.
    learnt_only : ndarray of bool of shape (n_pages,), optional
        Pages of a crawl, see `train_topic`. Copies of a page are held out in the same fold, and unlabelled pages of a crawl
        do not count for the scale.
    learnt : ndarray of bool of shape (n_pages,), optional
        Pages that models are trained on; the others are only judged. None: all.
    term_vectors : ndarray of shape (n_terms, n_dimensions), optional
        Word vectors, for learners that know of them.
    hidden_share : float, optional
        Expected share of positives among the unlabelled pages, for learners that take it.
    scale_by_classes : bool
        Whether the scale is the distance from unlabelled pages to positives, each of a status that is the same for both
        models: learnt by both, or by none. Otherwise it is the upper spread of all unlabelled pages, which says nothing where
        the final model has learnt nearly all of them: all lie at its margin then.
    """
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    fold_of = np.empty(len(positive), dtype=np.int64)
    for fold, (_, test) in enumerate(folds.split(counts, positive)):
        fold_of[test] = fold
    unlabeled = counts[~positive]
    if learnt_only is not None:
        fold_of = fold_of[first_equal_rows(counts)]
        unlabeled = counts[~positive & ~learnt_only]
    is_learnt = np.ones(len(positive), dtype=np.bool_) if learnt is None else learnt
    members = [[np.flatnonzero(fold_of[group.pages] == fold) for group in units] for fold in range(n_folds)]
    scales = [_Scale(unlabeled)] * n_folds
    if scale_by_classes:
        scales = [_Scale.of_classes(counts, positive, (fold_of != fold) | ~is_learnt) for fold in range(n_folds)]
    results = Parallel(n_jobs=n_jobs)(
        delayed(_judge)(
            learner,
            random_state,
            counts[is_learnt & (fold_of != fold)],
            positive[is_learnt & (fold_of != fold)],
            [scales[fold].counts, *(group.counts[rows] for group, rows in zip(units, members[fold], strict=True))],
            term_vectors,
            hidden_share,
        )
        for fold in range(n_folds)
    )
    decisions = [np.empty(len(group.pages)) for group in units]
    for scale, rows_of_fold, (on_scale, *judged) in zip(scales, members, results, strict=True):
        centre, width = scale.measured(final.decision_function(scale.counts))
        fold_centre, fold_width = scale.measured(on_scale)
        for values, rows, found in zip(decisions, rows_of_fold, judged, strict=True):
            values[rows] = (found - fold_centre) * _ratio(width, fold_width) + centre
    return decisions


@dataclass(frozen=True, slots=True)
class _Scale:
    """Texts by whose decisions those of two models are compared: unlabelled pages, and behind them perhaps positives."""

    counts: sparse.csr_matrix
    n_positive: int = 0

    @classmethod
    def of_classes(cls, counts: sparse.csr_matrix, positive: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> _Scale:
        shown = counts[chosen & positive]
        return cls(sparse.vstack([counts[chosen & ~positive], shown], format="csr"), shown.shape[0])

    def measured(self, decisions: NDArray[np.float64]) -> tuple[float, float]:
        """Return the median of the unlabelled pages' decisions, and the distance from it to their upper tenth.

        With positives: the distance to the positives' median.
        """
        if self.n_positive:
            unlabeled, shown = np.split(decisions, [-self.n_positive])
            middle, upper = np.median(unlabeled), np.median(shown)
        else:
            middle, upper = np.quantile(decisions, [0.5, 0.9])
        return float(middle), float(upper - middle)


def _ratio(width: float, fold_width: float) -> float:
    """Return by what a fold's decisions are multiplied: 1 where one of the models calls those texts alike."""
    return width / fold_width if min(width, fold_width) > _LEAST_WIDTH else 1.0


def _judge(
    learner: str,
    random_state: int,
    counts: sparse.csr_matrix,
    positive: NDArray[np.bool_],
    texts: list[sparse.csr_matrix],
    term_vectors: NDArray[np.floating[Any]] | None,
    hidden_share: float | None,
) -> list[NDArray[np.float64]]:
    model = make_learner(learner, random_state, term_vectors, hidden_share).fit(counts, positive)
    return [model.decision_function(each) if each.shape[0] else np.empty(0) for each in texts]
