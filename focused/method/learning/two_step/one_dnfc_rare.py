"""1-DNFC where the words of a site's navigation are no positive features: the papers' presets use it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from focused.method.learning.two_step.one_dnf import document_rates, features_held, first_enough, positive_features
from focused.method.learning.two_step.reliable_negatives import (
    ReliableNegatives,
    check_too_few,
    needed_negatives,
    select,
    too_few_error,
)

if TYPE_CHECKING:
    from scipy import sparse

logger = logging.getLogger(__name__)

RATE_STEP = 0.05


def one_dnfc_rare_negatives(
    positive: sparse.csr_matrix,
    unlabeled: sparse.csr_matrix,
    *,
    lambda_: float = 0.2,
    min_share: float = 0.05,
    too_few: str = "error",
    random_state: Any = None,
) -> ReliableNegatives:
    """Find the documents of U without a positive feature that is rare in U; let the bound fall until there are enough.

    A positive feature has freq(t,P)/|P| > freq(t,U)/|U|, freq(t,P)/|P| > lambda [P13, Alg. 2], and freq(t,U)/|U| <= mu. With
    mu = 1 this is 1-DNFC as printed. Where that finds too few, it is because nearly all pages hold a word such as "next",
    which a few more of the positives hold by chance. Such words are frequent in U; P13's own example of a positive feature
    (sect. 4.1) is one in 80 % of P and less than 5 % of U. So mu falls from 1 in steps of 0.05 until
    |RN| >= max(|P|, `min_share` |U|) (docs/method/, D80). If there are too few at every mu, `too_few` says what happens, at
    mu = 1. Scores: the number of positive features held. Evidence: `lambda_`, in [0, 1), and `most_common_`, mu.
    """
    if not 0 <= lambda_ < 1:
        raise ValueError(f"lambda_ must be in [0, 1). Got {lambda_}.")
    check_too_few(too_few)
    n_positive, n_unlabeled = positive.shape[0], unlabeled.shape[0]
    needed = needed_negatives(n_positive, n_unlabeled, min_share)
    rates = document_rates(positive), document_rates(unlabeled)
    features = positive_features(*rates, lambda_)
    # Counted in whole numbers: repeated subtraction of 0.05 would drift past rates like 0.7.
    bounds = [round(1 - step * RATE_STEP, 10) for step in range(round(1 / RATE_STEP))]
    tried = first_enough(unlabeled, (features[rates[1][features] <= bound] for bound in bounds), needed)
    if tried.rows is not None and tried.scores is not None:
        most_common = bounds[tried.step]
        if tried.step:
            logger.info(
                "1-DNFC: without %d positive features, which more than %.0f %% of U hold, %d reliable negatives of %d",
                *(len(features) - len(tried.features), 100 * most_common, len(tried.rows), n_unlabeled),
            )
        evidence = {"positive_features_": tried.features, "lambda_": lambda_, "most_common_": most_common}
        return ReliableNegatives(tried.rows, tried.scores, 0.0, evidence)
    if too_few == "error":
        got = f"at most {tried.most}, whichever of the {len(features)} positive features are left out for being common."
        raise too_few_error("1-DNFC", needed, n_unlabeled, got)
    scores = features_held(unlabeled, features)
    evidence = {"positive_features_": features, "lambda_": lambda_, "most_common_": 1.0}
    return select("1-DNFC", scores, 0.0, evidence, n_positive=n_positive, min_share=min_share, too_few=too_few)
