"""From which relevance a unit is relevant: the threshold with the best F1, as far as P and U tell it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from focused.learning.priors.prior import share_of_positives_above

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from focused.learning.calibration import Calibration, CalibrationExamples


def with_best_threshold(calibration: Calibration, examples: CalibrationExamples) -> tuple[Calibration, float]:
    """Set the threshold that has the highest expected F1 on a sample of units; return it and that F1.

    The relevances are taken at their word: above a threshold their sum is the number of relevant units
    to be expected. The threshold is never at or below the prior, because a unit without any known term
    is not relevant but unknown.
    """
    relevance = calibration.relevance(examples.decisions, examples.n_known)
    order = np.argsort(-relevance, kind="stable")
    ordered, weights = relevance[order], examples.weights[order]
    found = np.cumsum(weights * ordered)
    f1 = 2 * found / (np.cumsum(weights) + found[-1])
    return _with_threshold(calibration, ordered, f1)


def with_best_page_threshold(
    calibration: Calibration,
    decisions: NDArray[np.float64],
    n_known: NDArray[np.float64],
    positive: NDArray[np.bool_],
    *,
    prior: float,
    is_background: bool,
) -> tuple[Calibration, float]:
    """Set the threshold for whole pages by what is counted above it, not by what the calibration says.

    F1 = 2 r pi / (s + pi), with recall r the share of the held-out positives above the threshold
    (`share_of_positives_above`, in log-odds), s the share of all pages, pi the prior. It needs no probability of a single
    page, and so is right where the calibration's line is not.

    Parameters
    ----------
    decisions, n_known, positive : ndarray of shape (n_pages,)
        Held-out decisions, numbers of known terms, and which pages are labelled positive.
    prior : float
        pi, in (0, 1).
    is_background : bool
        Whether U holds no positive: s is then pi r + (1 - pi) times U's share.
    """
    relevance = calibration.relevance(decisions, n_known)
    log_odds = calibration.log_odds(decisions, n_known)
    order = np.argsort(-log_odds, kind="stable")
    recall = share_of_positives_above(log_odds[positive], log_odds[~positive], log_odds[order])
    # Equal pages stand or fall together: the share at or above each.
    accepted = 1 - np.searchsorted(np.sort(log_odds[~positive]), log_odds[order]) / (~positive).sum()
    found = prior * recall
    share = found + (1 - prior) * accepted if is_background else np.maximum(accepted, found)
    return _with_threshold(calibration, relevance[order], 2 * found / (share + prior))


def _with_threshold(
    calibration: Calibration, ordered: NDArray[np.float64], f1: NDArray[np.float64]
) -> tuple[Calibration, float]:
    """Put the threshold under the unit with the best F1; relevances and figures in descending order of relevance."""
    best = int(np.argmax(np.where(ordered > calibration.prior, f1, -1.0)))
    at_least = np.nextafter(calibration.prior, 1.0)
    if ordered[best] <= calibration.prior:
        return replace(calibration, threshold=float(at_least)), 0.0
    # Half way to the next unit below: rounding must not push the last accepted unit under it.
    below = np.append(ordered[ordered < ordered[best]][:1], calibration.prior)[0]
    return replace(calibration, threshold=float(max((ordered[best] + below) / 2, at_least))), float(f1[best])
