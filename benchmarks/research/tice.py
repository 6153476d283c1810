"""The class prior of U from the purest leaves of a tree: TIcE of Bekker and Davis (AAAI 2018)."""

from __future__ import annotations

import heapq
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from focused.method.learning.estimators.mixture_proportion import (
    MixtureEstimate,
    check_decisions,
    mixture_estimate,
    prior_of_label_frequency,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

# All as in [BD18]: one fold grows the tree and the other four estimate; two rounds, the first with c = 0.5.
_N_FOLDS = 5
_N_ROUNDS = 2
_BEPP_STRENGTH = 5
_MIN_LEAF = 10
_MAX_SPLITS = 500


def tice_prior(
    positive: NDArray[np.float64], unlabeled: NDArray[np.float64], *, random_state: Any = 0
) -> MixtureEstimate:
    """Estimate the class prior of U by tree induction for the label frequency c [BD18].

    In any part of the space the labelled share is at most c, and it is c if all documents there are positive. So c is the
    highest lower bound over the parts of a tree that is grown for the largest labelled share. The bound allows for chance
    (one-sided Chebyshev), so the prior tends to be too high.

    Departure (docs/method/, D33): the only attribute is the decision value. Each node is split at the quartiles of its own
    values, repeatedly; published trees split each attribute once, in four equal widths.

    Parameters
    ----------
    positive : ndarray of shape (n_positive,)
        Held-out decision values of the labelled positives.
    unlabeled : ndarray of shape (n_unlabeled,)
        Held-out decision values of the unlabelled documents.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds.

    Raises
    ------
    ValueError
        If decisions are missing or not finite.
    """
    check_decisions(positive, unlabeled)
    n, m = len(positive), len(unlabeled)
    values = np.concatenate([positive, unlabeled])
    labeled = np.arange(n + m) < n
    rng = check_random_state(random_state)
    n_folds = min(_N_FOLDS, n + m)
    fold_of = np.empty(n + m, dtype=np.intp)
    fold_of[np.concatenate([rng.permutation(n), n + rng.permutation(m)])] = np.arange(n + m) % n_folds
    c = 0.5
    for _ in range(_N_ROUNDS):
        bounds = []
        for fold in range(n_folds):
            grows, rest = fold_of == fold, fold_of != fold
            delta = max(0.025, 1 / (1 + 0.004 * rest.sum()))
            best = labeled[rest].mean()  # all documents together are a part, too
            for low, high in tree_parts(values[grows], labeled[grows]):
                inside = rest & (values > low) & (values <= high)
                best = max(best, lower_bound(int(labeled[inside].sum()), int(inside.sum()), c, delta))
            bounds.append(best)
        c = float(np.mean(bounds))
    return mixture_estimate(prior_of_label_frequency(c, n, m), positive, unlabeled)


def lower_bound(n_labeled: int, n_all: int, c: float, delta: float) -> float:
    """Return the value that c exceeds with probability 1 - delta, given the counts of a part [BD18].

    n_labeled / n_all - sqrt(c (1 - c) (1 - delta) / (delta n_all)) with an earlier estimate of c; 0 if there are fewer than
    ten.
    """
    if n_all < _MIN_LEAF:
        return 0.0
    return n_labeled / n_all - float(np.sqrt(c * (1 - c) * (1 - delta) / (delta * n_all)))


def tree_parts(values: NDArray[np.float64], labeled: NDArray[np.bool_]) -> Iterator[tuple[float, float]]:
    """Yield the intervals (low, high] into which a tree splits the decision values, the most promising nodes first.

    A quarter of a node is split further if it holds more than ten documents, labelled and unlabelled ones. The most promising
    quarter has the largest labelled share, with k = 5 documents added to its size (max-bepp).
    """
    queue: list[tuple[float, float, float]] = [(0.0, -np.inf, np.inf)]
    n_splits = 0
    while queue and n_splits < _MAX_SPLITS:
        _, low, high = heapq.heappop(queue)
        inside = (values > low) & (values <= high)
        cuts = np.unique(np.quantile(values[inside], [0.25, 0.5, 0.75]))
        borders = [low, *cuts[(cuts > low) & (cuts < high)], high]
        n_splits += 1
        for left, right in pairwise(borders):
            yield left, right
            part = (values > left) & (values <= right)
            n_all, n_labeled = int(part.sum()), int(labeled[part].sum())
            if (left, right) != (low, high) and n_all > _MIN_LEAF and 0 < n_labeled < n_all:
                heapq.heappush(queue, (-n_labeled / (n_all + _BEPP_STRENGTH), left, right))
