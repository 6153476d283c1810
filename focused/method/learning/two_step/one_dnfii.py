"""1-DNFII: as 1-DNF, for terms that occur often enough in P [P15, Sect. 5; Peng, Zuo and He 2008]."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.two_step.one_dnf import document_rates, features_held, positive_features
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
    occurrences, and a threshold that leaves mainly such words lets positives pass. `min_occurrences` is the first threshold;
    None: half of |P|, or 0 if no feature has so many. "lowest" takes the documents with the fewest positive features at the
    first threshold. Scores: the number of positive features held.
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
