"""The learning curve: expected F1 of models trained on fewer positives. It tells whether more examples would help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed

from focused.method.learning.learners import LEARNERS, make_learner
from focused.method.text.vocabulary import canonical, select_terms

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from scipy import sparse

SIZES = (5, 10, 20, 30, 50)
"""Numbers of positives that are tried, if there are enough."""

_N_FOLDS, _N_REPEATS = 5, 3
_MAX_UNLABELED = 1000
# A model of fewer positives is useless, and fewer sizes make no curve.
_MIN_POSITIVE = 13
_MORE = (10, 20, 30, 50, 100)
_WORTH_IT, _HARDLY = 0.05, 0.02


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Expected F1 of whole pages by number of positives; empty if there are too few positives."""

    sizes: tuple[int, ...] = ()
    f1: tuple[float, ...] = ()
    """Mean over the repeats, in [0, 1]."""
    f1_spread: tuple[float, ...] = ()
    """Standard deviation over the repeats."""
    n_more: int = 0
    """The smallest number of additional positives that would add 0.05, else the largest number considered."""
    gain: float = 0.0
    """Expected gain from this number, by the line fitted to the curve; not negative."""

    @property
    def advice(self) -> str:
        """One line for people."""
        if not self.sizes:
            return f"Too few positives to tell whether more would help; it takes {_MIN_POSITIVE}."
        if self.gain < _HARDLY:
            return "More examples will hardly help."
        return f"About {self.n_more} more pages would add about {self.gain:.2f}."


def learning_curve(
    counts: Any,
    positive: ArrayLike,
    *,
    prior: float,
    prior_is_assumed: bool,
    learner: str = LEARNERS[0],
    random_state: int = 0,
    n_jobs: int | None = None,
) -> LearningCurve:
    """Cross-validate models trained on subsets of the positives, and extrapolate.

    In five folds, repeated three times, positives are drawn from those outside the fold, and the fold is judged. A
    positive counts by the share of the fold's unlabelled pages above it: this needs no calibration. F1 is the highest
    of any threshold, from recall, that share and the prior as in `focused.method.learning.metrics.page_figures`. The
    line fitted for the advice is F1 = a - b / sqrt(n), b >= 0.

    Parameters
    ----------
    counts : sparse matrix of shape (n_pages, n_terms)
        Term counts of all training pages.
    positive : array-like of bool of shape (n_pages,)
        Which of them are positive.
    prior : float
        Share of relevant pages in the population, in (0, 1).
    prior_is_assumed : bool
        Whether the unlabelled pages hold no relevant page.
    learner : str
        A name of `focused.method.learning.learners.LEARNERS`.
    random_state : int
        Seed of the subsets, the folds, and the 1,000 unlabelled pages if there are more.
    n_jobs : int, optional
        Models trained at the same time, as in joblib.
    """
    flags = np.asarray(positive, dtype=bool)
    positives, unlabeled = np.flatnonzero(flags), np.flatnonzero(~flags)
    n = len(positives)
    if n < _MIN_POSITIVE or len(unlabeled) < 2 * _N_FOLDS:
        return LearningCurve()
    rng = np.random.default_rng(random_state)
    unlabeled = rng.choice(unlabeled, min(len(unlabeled), _MAX_UNLABELED), replace=False)
    matrix = canonical(counts)
    largest = n - -(-n // _N_FOLDS)
    sizes = tuple(sorted({*(size for size in SIZES if size < largest), min(largest, SIZES[-1])}))
    jobs = []
    for _ in range(_N_REPEATS):
        folds = [np.array_split(rng.permutation(rows), _N_FOLDS) for rows in (positives, unlabeled)]
        for test_positive, test_unlabeled in zip(*folds, strict=True):
            # Each size adds to the one before, so that sizes differ in number only.
            order = rng.permutation(np.setdiff1d(positives, test_positive))
            train_unlabeled = np.setdiff1d(unlabeled, test_unlabeled)
            jobs += [(order[:size], train_unlabeled, test_positive, test_unlabeled) for size in sizes]
    above = Parallel(n_jobs=n_jobs)(
        delayed(_shares_above)(*(matrix[rows] for rows in job), learner, random_state) for job in jobs
    )
    by_repeat = np.array(
        [
            [
                _best_f1(
                    np.concatenate([above[(repeat * _N_FOLDS + fold) * len(sizes) + at] for fold in range(_N_FOLDS)]),
                    prior,
                    prior_is_assumed,
                )
                for at in range(len(sizes))
            ]
            for repeat in range(_N_REPEATS)
        ]
    )
    means = by_repeat.mean(axis=0)
    n_more, gain = _extrapolated(np.array(sizes), means, n)
    return LearningCurve(
        sizes, tuple(map(float, means)), tuple(map(float, by_repeat.std(axis=0))), n_more, round(gain, 4)
    )


def _shares_above(
    positive: sparse.csr_matrix,
    unlabeled: sparse.csr_matrix,
    test_positive: sparse.csr_matrix,
    test_unlabeled: sparse.csr_matrix,
    learner: str,
    random_state: int,
) -> NDArray[np.float64]:
    """Train; return for each test positive the share of the test's unlabelled pages that are judged at least as high."""
    from scipy import sparse

    counts = sparse.vstack([positive, unlabeled], format="csr")
    y = np.arange(counts.shape[0]) < positive.shape[0]
    terms = select_terms(counts, y)
    try:
        model = make_learner(learner, random_state).fit(counts[:, terms], y)
    except ValueError:  # too few to learn from: no better than guessing
        return np.ones(test_positive.shape[0])
    positive_decisions, unlabeled_decisions = (
        model.decision_function(test[:, terms]) for test in (test_positive, test_unlabeled)
    )
    return np.asarray(1 - np.searchsorted(np.sort(unlabeled_decisions), positive_decisions) / len(unlabeled_decisions))


def _best_f1(above: NDArray[np.float64], prior: float, prior_is_assumed: bool) -> float:
    """Return the highest F1 of any threshold, from the share of U accepted at the level of each positive."""
    share = np.sort(above)
    found = prior * np.arange(1, len(share) + 1) / len(share)
    accepted = found + (1 - prior) * share if prior_is_assumed else np.maximum(share, found)
    return float((2 * found / (accepted + prior)).max())


def _extrapolated(sizes: NDArray[np.int64], f1: NDArray[np.float64], n: int) -> tuple[int, float]:
    """Return a number of additional positives, and their expected gain."""
    x = 1 / np.sqrt(sizes)
    slope = float(np.cov(x, f1, bias=True)[0, 1] / x.var())
    gains = [max(-slope, 0.0) * (n**-0.5 - (n + more) ** -0.5) for more in _MORE]
    worth = [(more, gain) for more, gain in zip(_MORE, gains, strict=True) if gain >= _WORTH_IT]
    return worth[0] if worth else (_MORE[-1], gains[-1])
