"""1-DNFII: as 1-DNF, for terms that occur often enough in P [P15, Sect. 5; Peng, Zuo and He 2008]."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.two_step.base import ReliableNegativeFinder
from focused.method.learning.two_step.positive_features import document_rates, features_held, positive_features
from focused.method.learning.two_step.reliable_negatives import ReliableNegatives, needed_negatives, select
from focused.method.text.vocabulary import total_frequencies

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

logger = logging.getLogger(__name__)


def one_dnfii_negatives(
    positive: sparse.csr_matrix,
    unlabeled: sparse.csr_matrix,
    *,
    min_occurrences: float | None = None,
    min_share: float = 0.05,
    too_few: str = "error",
    random_state: Any = None,
) -> ReliableNegatives:
    """Find the documents of U without a frequent positive feature; raise the threshold until there are enough.

    A positive feature is commoner in P than in U, as in 1-DNF, and its absolute frequency, the number of its
    occurrences in P, exceeds a threshold. No paper prints one (docs/method/, D15). Like 1-DNFC's lambda it rises to the
    least value that leaves enough reliable negatives, but not above |P|: words that all pages hold have the most
    occurrences, and a threshold that leaves mainly such words lets positives pass.

    Parameters
    ----------
    positive, unlabeled : CSR matrices of shape (n_positive, n_terms) and (n_unlabeled, n_terms)
        Term counts.
    min_occurrences : float, optional
        The threshold to start from, not negative. `None` is half of |P|, or 0 if no positive feature occurs that often in
        short texts.
    min_share : float
        Reliable negatives needed, as a share of U, in [0, 1]; at least as many as positives.
    too_few : {"error", "all", "lowest"}
        If there are too few at every threshold up to |P| that leaves a positive feature: fail, take all of U, or take the
        documents with the fewest positive features at the first threshold.
    random_state : ignored
        The search draws nothing.

    Returns
    -------
    ReliableNegatives
        Scores: the number of positive features held. Evidence: `positive_features_`, `min_occurrences_`.

    Raises
    ------
    TooFewReliableNegativesError
        With `too_few="error"`, if there are too few.
    """
    n_positive = positive.shape[0]
    needed = needed_negatives(n_positive, unlabeled.shape[0], min_share)
    if min_occurrences is not None and min_occurrences < 0:
        raise ValueError(f"min_occurrences must not be negative. Got {min_occurrences}.")
    occurrences = total_frequencies(positive)
    commoner = positive_features(document_rates(positive), document_rates(unlabeled), 0.0)
    most = occurrences[commoner].max(initial=0.0)
    start = min_occurrences
    if start is None:
        start = 0.5 * n_positive if most > 0.5 * n_positive else 0.0
    least = _least_threshold(unlabeled, commoner, occurrences, needed)
    used = least if start < least < most and least <= n_positive else start
    if used > start:
        logger.info("1-DNFII: threshold raised from %g to %g occurrences", start, used)
    features = commoner[occurrences[commoner] > used]
    return select(
        "1-DNFII",
        features_held(unlabeled, features),
        # Without positive features all scores are 0 and tell nothing.
        0.0 if len(features) else -1.0,
        {"positive_features_": features, "min_occurrences_": used},
        n_positive=n_positive,
        min_share=min_share,
        too_few=too_few,
        reason=f" with a threshold of {start:g} occurrences in P, and no higher one up to |P| serves",
    )


def _least_threshold(
    unlabeled: sparse.csr_matrix, terms: NDArray[np.intp], occurrences: NDArray[np.float64], needed: int
) -> float:
    """Return the least threshold of occurrences at which `needed` documents hold no positive feature.

    A document holds no feature once the threshold reaches the most frequent of its `terms`.
    """
    if needed > unlabeled.shape[0]:
        return np.inf
    weights = np.zeros(unlabeled.shape[1])
    weights[terms] = occurrences[terms]
    most = np.maximum.reduceat(np.append(weights[unlabeled.indices], 0.0), unlabeled.indptr[:-1])
    most[np.diff(unlabeled.indptr) == 0] = 0.0
    return float(np.partition(most, needed - 1)[needed - 1])


class OneDNFII(ReliableNegativeFinder):
    """1-DNFII: a document that holds a frequent positive feature is labelled positive, any other one is not.

    Parameters
    ----------
    min_occurrences : float, default=None
        A positive feature must have more occurrences in P than this; None: half of |P|, or 0 if no feature has. Raised to the
        least value up to |P| that leaves enough reliable negatives.
    min_share : float, default=0.05
        Reliable negatives needed, as a share of the unlabelled documents; at least as many as positives.
    too_few : {"error", "all", "lowest"}, default="lowest"
        If there are too few at every such threshold: fail, take all unlabelled documents, or those with the fewest positive
        features at the first threshold.

    Attributes
    ----------
    min_occurrences_ : float
        The threshold used.
    positive_features_ : ndarray of int
        Columns of the positive features.
    classes_, reliable_negatives_, threshold_, n_features_in_
        As in `ReliableNegativeFinder`.
    """

    min_occurrences_: float
    positive_features_: NDArray[np.intp]

    def __init__(
        self, *, min_occurrences: float | None = None, min_share: float = 0.05, too_few: str = "lowest"
    ) -> None:
        self.min_occurrences = min_occurrences
        self.min_share = min_share
        self.too_few = too_few

    def _find(self, positive: sparse.csr_matrix, unlabeled: sparse.csr_matrix) -> ReliableNegatives:
        return one_dnfii_negatives(
            positive, unlabeled, min_occurrences=self.min_occurrences, min_share=self.min_share, too_few=self.too_few
        )

    def _scores(self, counts: sparse.csr_matrix) -> NDArray[np.float64]:
        return features_held(counts, self.positive_features_)
