"""The non-negative risk of a linear decision on positive and unlabelled rows, and its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from scipy import sparse

LOSSES = ("logistic", "sigmoid")

# Width of the bend that rounds off max(0, r), as a share of the weight of the positives.
_BEND = 0.01


def pu_risk(
    rows: sparse.csr_matrix, positive: NDArray[np.bool_], prior: float, *, loss: str, balanced: bool, C: float
) -> Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]:
    """Return the function (coefficients, intercept) -> (penalised risk, its gradient), see `NonNegativePU`.

    Both are divided by the weight of the positives, so that their size does not depend on the prior.
    """
    n_positive, n_unlabeled = int(positive.sum()), int((~positive).sum())
    # Weights in units of the positives' weight; `of_unlabeled` is 1 / prior for the plain risk.
    of_unlabeled = 1 / (1 - prior) if balanced else 1 / prior
    columns = rows.T.tocsr()

    def value_and_gradient(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        decisions = rows @ theta[:-1] + theta[-1]
        as_positive, rises = _loss(decisions[positive], loss)
        not_negative, falls = _loss(-decisions[positive], loss)
        as_negative, unlabeled_falls = _loss(-decisions[~positive], loss)
        negative = of_unlabeled * (as_negative.mean() - prior * not_negative.mean())
        clipped, share = _BEND * np.logaddexp(0, negative / _BEND), expit(negative / _BEND)
        value = as_positive.mean() + clipped + theta[:-1] @ theta[:-1] / (2 * C * n_positive)
        by_decision = np.empty(len(decisions))
        by_decision[positive] = (rises + share * of_unlabeled * prior * falls) / n_positive
        by_decision[~positive] = -share * of_unlabeled * unlabeled_falls / n_unlabeled
        by_coef = columns @ by_decision + theta[:-1] / (C * n_positive)
        return float(value), np.append(by_coef, by_decision.sum())

    return value_and_gradient


def _loss(margins: NDArray[np.float64], name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the loss of each margin and its derivative."""
    wrong = expit(-margins)
    if name == "sigmoid":
        return wrong, -wrong * (1 - wrong)
    return np.logaddexp(0, -margins), -wrong
