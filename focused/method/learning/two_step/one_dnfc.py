"""1-DNFC: documents of the unlabelled set that are safely off topic [P13, Alg. 2]."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

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

LAMBDA_STEP = 0.05


def one_dnfc_negatives(
    positive: sparse.csr_matrix,
    unlabeled: sparse.csr_matrix,
    *,
    lambda_start: float = 0.2,
    min_share: float = 0.05,
    too_few: str = "error",
    random_state: Any = None,
) -> ReliableNegatives:
    """Find the documents of U without a positive feature; raise lambda until there are enough.

    Lambda rises by 0.05 until |RN| >= max(|P|, `min_share` |U|); the paper keeps it fixed, and training collapses if almost
    no document is left (docs/method/, D13). If there are too few at every lambda, "all" is the printed algorithm at lambda
    = 1: no term is a positive feature. "lowest" takes the documents with the fewest positive features at the first lambda, in
    [0, 1). Scores: the number of positive features held.
    """
    n_positive, n_unlabeled = positive.shape[0], unlabeled.shape[0]
    if not 0 <= lambda_start < 1:
        raise ValueError(f"lambda_start must be in [0, 1). Got {lambda_start}.")
    check_too_few(too_few)
    needed = needed_negatives(n_positive, n_unlabeled, min_share)
    rates = document_rates(positive), document_rates(unlabeled)
    # Steps are counted in whole numbers, because repeated addition of 0.05 would drift past rates like 0.3.
    n_steps = int(np.ceil((1.0 - lambda_start) / LAMBDA_STEP - 1e-9))
    lambdas = [round(lambda_start + step * LAMBDA_STEP, 10) for step in range(n_steps)]
    tried = first_enough(unlabeled, (positive_features(*rates, lambda_) for lambda_ in lambdas), needed)
    lambda_, features = lambdas[tried.step], tried.features
    if tried.rows is not None and tried.scores is not None:
        if tried.step:
            raised = "1-DNFC: lambda raised from %.2f to %.2f, which leaves %d reliable negatives of %d unlabelled"
            logger.info(raised, lambda_start, lambda_, len(tried.rows), n_unlabeled)
        return ReliableNegatives(tried.rows, tried.scores, 0.0, {"positive_features_": features, "lambda_": lambda_})
    if too_few == "error":
        why = "no positive feature is left" if not len(features) else "nearly all hold a positive feature"
        got = f"at most {tried.most} with lambda from {lambda_start:.2f} to {lambda_:.2f}, where {why}."
        raise too_few_error("1-DNFC", needed, n_unlabeled, got)
    lambda_used = 1.0 if too_few == "all" else lambda_start
    features = positive_features(*rates, lambda_used)
    evidence = {"positive_features_": features, "lambda_": lambda_used}
    scores = features_held(unlabeled, features)
    return select("1-DNFC", scores, 0.0, evidence, n_positive=n_positive, min_share=min_share, too_few=too_few)
