"""Spies: positives hidden in U show how the positives of U are scored (Liu, Lee, Yu and Li 2002)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB
from sklearn.utils import check_random_state

from focused.method.learning.two_step.reliable_negatives import ReliableNegatives, noise_threshold, select


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
    without the EM of the source (docs/method/, D16). `spy_share`, in (0, 1), is the share of P that become spies; at least one
    document does and at least one does not. A share `noise`, in [0, 1), of them may fall below the threshold. Scores: the log
    odds of P. ValueError if P holds fewer than two documents.
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
    of_spies = positive[spies] @ log_ratios + log_prior_ratio
    return select(
        "The spy technique",
        # Log odds, not probabilities: these are 0 or 1 to the last digit for whole pages, and nearly all would be ties.
        unlabeled @ log_ratios + log_prior_ratio,
        noise_threshold(of_spies, noise),
        {"spies_": spies, "spy_scores_": of_spies},
        n_positive=n_positive,
        min_share=min_share,
        too_few=too_few,
        reason=f" below the threshold that {n_spies} spies set",
    )
