"""Lee and Liu's criterion, which compares classifiers without known negatives (ICML 2003)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from focused.method.learning.estimators.cross_fitting import class_weights, cross_fitted_decisions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from scipy import sparse


class Penalties(NamedTuple):
    """One point of a grid of penalties."""

    C: float
    """Penalty for one positive document; above 0."""
    unlabeled_weight: float
    """Total weight of U as a multiple of P's; above 0."""


class Choice(NamedTuple):
    """What `choose` found."""

    best: int
    """Position of the best candidate; ties go to the first."""
    criteria: NDArray[np.float64]
    """The criterion of each candidate, not negative."""


def lee_liu_criterion(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> float:
    """Return recall^2 / P(f = 1) of decisions at the threshold 0; larger is better [LL03].

    This equals precision * recall / p(y = 1), so it orders classifiers as precision * recall does, but needs no negatives.
    Recall is the accepted share of P; P(f = 1) is that of U, at least half a document (docs/method/, D35). The criterion of
    random decisions is their recall, so at most 1. Decisions are held-out.
    """
    recall = float(np.mean(positive > 0))
    return recall**2 / (max(float(np.sum(unlabeled > 0)), 0.5) / len(unlabeled))


def choose(
    candidates: Sequence[Penalties],
    make: Callable[[float], Any],
    rows: sparse.csr_matrix,
    positive: NDArray[np.bool_],
    *,
    n_folds: int,
    random_state: Any,
) -> Choice:
    """Cross-validate each candidate in the same folds and compare them by Lee and Liu's criterion.

    Recall and P(f = 1) are taken over the decisions of all folds together: the recall of a fold with two positives is
    meaningless, and the mean of squares is not the square of the mean.

    Candidates are in order of preference, because ties go to the first; `make` returns an unfitted classifier for a C.
    ValueError if a candidate is not above 0, or there is none; other errors and parameters as in `cross_fitted_decisions`.
    """
    if not candidates or min(min(candidate) for candidate in candidates) <= 0:
        raise ValueError(
            f"Penalties to choose from must be numbers above 0. Got {[tuple(each) for each in candidates]}."
        )
    seed = check_random_state(random_state).randint(2**31 - 1)
    criteria = []
    for C, unlabeled_weight in candidates:
        weights = class_weights(positive, unlabeled_weight)
        decisions = cross_fitted_decisions(make(C), rows, positive, weights, n_folds=n_folds, random_state=seed)
        criteria.append(lee_liu_criterion(decisions[positive], decisions[~positive]))
    return Choice(int(np.argmax(criteria)), np.array(criteria))
