"""Calibrate from P and U, without negatives: the line of maximum likelihood, given the class prior."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from focused.method.learning.calibration import Calibration

# The slope expected beforehand, in units of the spread of U's decisions, and the number of examples this counts for.
_EXPECTED_SLOPE, STRENGTH = 2.0, 1.0


def fit_line_to_unlabeled(
    start: Calibration,
    decisions: NDArray[np.float64],
    n_known: NDArray[np.float64],
    positive: NDArray[np.bool_],
    *,
    strength: float = STRENGTH,
) -> Calibration:
    """Fit slope and offset to positive and unlabelled units by maximum likelihood, `prior` and `half_terms` as in `start`.

    A document of the sample P + U is a labelled one with probability w p / (w p + 1), where p is its relevance and
    w = |P| / (|U| prior): P is a draw from the positives, U one from all (Steinberg and Cardell 1992; docs/method/,
    D40). The p that makes the labels of the sample most likely needs no label of any unlabelled document.

    Parameters
    ----------
    start : Calibration
        Of pages; its prior is that of U.
    decisions, n_known, positive : ndarray of shape (n_documents,)
        Held-out decisions, numbers of known terms, and which documents are labelled positive.
    strength : float
        Number of examples that the expected slope counts for.
    """
    from scipy.optimize import minimize  # only a fit needs it, and a crawl fits nothing: it would wait for the import

    unlabeled = decisions[~positive]
    centre, scale = float(unlabeled.mean()), max(float(unlabeled.std()), 1e-12)
    x = (decisions - centre) / scale
    evidence = n_known / np.maximum(n_known + start.half_terms, 1e-300)
    from_prior = (1 - evidence) * logit(start.prior)
    border = max(float(logit(start.prior)), 0.0)
    w = float(positive.sum()) / (len(unlabeled) * start.prior)
    first = np.array([np.log(_EXPECTED_SLOPE), float(logit(start.prior)) - _EXPECTED_SLOPE])

    def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        # The slope's logarithm is fitted, so that the slope stays positive and the ranking is not reversed.
        slope = np.exp(theta[0])
        z = from_prior + evidence * (slope * x + theta[1])
        beyond = np.maximum(z - border, 0.0)
        bent = z - beyond + np.arcsinh(beyond)
        p = expit(bent)
        log_likelihood = np.where(positive, np.log(w) - np.logaddexp(0, -bent), 0.0) - np.log1p(w * p)
        by_bent = (1 - p) * np.where(positive, 1.0, -w * p) / (1 + w * p)
        by_z = by_bent / np.sqrt(1 + beyond**2) * evidence
        away = theta[0] - first[0]
        value = -log_likelihood.sum() + 0.5 * strength * away**2
        return float(value), np.array([-(by_z @ x) * slope + strength * away, -by_z.sum()])

    bounds = [(first[0] - 5, first[0] + 5), (first[1] - 50, first[1] + 50)]
    theta = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=bounds).x
    slope = float(np.exp(theta[0])) / scale
    return replace(start, slope=slope, offset=float(theta[1]) - slope * centre, n_examples=len(decisions))
