"""Spies: positives hidden in U show how the positives of U are scored (Liu, Lee, Yu and Li 2002)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB
from sklearn.utils import check_random_state

from focused.method.learning.two_step.base import ReliableNegativeFinder
from focused.method.learning.two_step.reliable_negatives import ReliableNegatives, below_most, select

if TYPE_CHECKING:
    from numpy.typing import NDArray


def spy_negatives(
    positive: sparse.csr_matrix,
    unlabeled: sparse.csr_matrix,
    *,
    spy_share: float = 0.15,
    noise: float = 0.05,
    min_share: float = 0.05,
    too_few: str = "error",
    random_state: Any = None,
) -> ReliableNegatives:
    """Find the documents of U that naive Bayes scores lower than nearly all spies.

    Spies are drawn from P and put into U. Multinomial naive Bayes learns the other positives against U and the spies once,
    without the EM of the source (docs/method/, D16).

    Parameters
    ----------
    positive, unlabeled : CSR matrices of shape (n_positive, n_terms) and (n_unlabeled, n_terms)
        Term counts.
    spy_share : float
        Share of P that become spies, in (0, 1); at least one document does and at least one does not.
    noise : float
        Share of the spies that may fall below the threshold, in [0, 1).
    min_share : float
        Reliable negatives needed, as a share of U, in [0, 1]; at least as many as positives.
    too_few : {"error", "all", "lowest"}
        If there are too few: fail, take all of U, or take the documents least like P.
    random_state : int, RandomState instance or None
        Seed of the draw.

    Returns
    -------
    ReliableNegatives
        Scores: the log odds of P. Evidence: `log_ratios_`, `log_prior_ratio_`, `spies_`.

    Raises
    ------
    TooFewReliableNegativesError
        With `too_few="error"`, if there are too few.
    ValueError
        If P holds fewer than two documents.
    """
    if not 0 < spy_share < 1:
        raise ValueError(f"spy_share must be in (0, 1). Got {spy_share}.")
    n_positive = positive.shape[0]
    if n_positive < 2:
        raise ValueError(f"Spies need at least two positive documents, one of which spies. Got {n_positive}.")
    n_spies = min(max(round(spy_share * n_positive), 1), n_positive - 1)
    spies = np.sort(check_random_state(random_state).permutation(n_positive)[:n_spies])
    honest = np.setdiff1d(np.arange(n_positive), spies)
    rows = sparse.vstack([positive[honest], unlabeled, positive[spies]], format="csr")
    bayes = MultinomialNB().fit(rows, np.arange(rows.shape[0]) < len(honest))
    log_ratios = bayes.feature_log_prob_[1] - bayes.feature_log_prob_[0]
    log_prior_ratio = float(bayes.class_log_prior_[1] - bayes.class_log_prior_[0])
    return select(
        "The spy technique",
        # Log odds, not probabilities: these are 0 or 1 to the last digit for whole pages, and nearly all would be ties.
        unlabeled @ log_ratios + log_prior_ratio,
        below_most(positive[spies] @ log_ratios + log_prior_ratio, noise),
        {"log_ratios_": log_ratios, "log_prior_ratio_": log_prior_ratio, "spies_": spies},
        n_positive=n_positive,
        min_share=min_share,
        too_few=too_few,
        reason=f" below the threshold that {n_spies} spies set",
    )


class Spy(ReliableNegativeFinder):
    """Spy technique: naive Bayes of P against U, with a threshold that nearly all spies reach.

    Parameters
    ----------
    spy_share : float, default=0.15
        Share of the positives that become spies, in (0, 1).
    noise : float, default=0.05
        Share of the spies that may fall below the threshold, in [0, 1).
    min_share : float, default=0.05
        Reliable negatives needed, as a share of the unlabelled documents; at least as many as positives.
    too_few : {"error", "all", "lowest"}, default="lowest"
        If there are too few: fail, take all unlabelled documents, or those least like the positives.
    random_state : int, RandomState instance or None, default=None
        Seed of the draw.

    Attributes
    ----------
    log_ratios_ : ndarray of shape (n_terms,)
        Log of the ratio of each term's probability in P to that in U.
    log_prior_ratio_ : float
    spies_ : ndarray of int
        Positions of the spies among the positives.
    classes_, reliable_negatives_, threshold_, n_features_in_
        As in `ReliableNegativeFinder`.
    """

    log_ratios_: NDArray[np.float64]
    log_prior_ratio_: float
    spies_: NDArray[np.intp]

    def __init__(
        self,
        *,
        spy_share: float = 0.15,
        noise: float = 0.05,
        min_share: float = 0.05,
        too_few: str = "lowest",
        random_state: Any = None,
    ) -> None:
        self.spy_share = spy_share
        self.noise = noise
        self.min_share = min_share
        self.too_few = too_few
        self.random_state = random_state

    def _find(self, positive: sparse.csr_matrix, unlabeled: sparse.csr_matrix) -> ReliableNegatives:
        return spy_negatives(positive, unlabeled, **self.get_params(deep=False))

    def _scores(self, counts: sparse.csr_matrix) -> NDArray[np.float64]:
        return np.asarray(counts @ self.log_ratios_ + self.log_prior_ratio_, dtype=np.float64)
