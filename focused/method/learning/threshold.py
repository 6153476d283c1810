"""From which relevance a unit is relevant: the threshold with the best F1, as far as P and U tell it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from focused.method.learning.estimators.class_prior import share_of_positives_above

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from focused.method.learning.calibration import Calibration, CalibrationExamples

# The relevances' own opinion of recall counts for as many positives as this. And a threshold may let in 1.5 times what
# is relevant, and once more what is relevant for each so many positives. Measured: docs/results.md, 'The default learner'.
_FEW_POSITIVES = 15.0
_EXCESS = 1.5


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

    F1 = 2 r pi / (s + pi), with recall r the share of positives above the threshold, s the share of all pages, pi the
    prior. r is that of the held-out positives (`share_of_positives_above`, in log-odds). Ten of them hardly tell it, so
    it is averaged with the share that lies above by the relevances of U, which counts for 15 positives. With so few, r
    is least known where much is accepted, and a threshold there would let in everything that resembles the topic:
    s is at most (1.5 + |P| / 15) pi.

    Parameters
    ----------
    decisions, n_known, positive : ndarray of shape (n_pages,)
        Held-out decisions, numbers of known terms, and which pages are labelled positive.
    prior : float
        pi, in (0, 1).
    is_background : bool
        Whether U holds no positive: s is then pi r + (1 - pi) times U's share, has no upper bound, and r is that of
        the held-out positives alone.
    """
    relevance = calibration.relevance(decisions, n_known)
    log_odds = calibration.log_odds(decisions, n_known)
    order = np.argsort(-log_odds, kind="stable")
    recall = share_of_positives_above(log_odds[positive], log_odds[~positive], log_odds[order])
    # Equal pages stand or fall together: the share at or above each.
    ascending = np.argsort(log_odds[~positive])
    first = np.searchsorted(log_odds[~positive][ascending], log_odds[order])
    accepted = 1 - first / (~positive).sum()
    if is_background:
        found = prior * recall
        return _with_threshold(calibration, relevance[order], 2 * found / (found + (1 - prior) * accepted + prior))
    below = np.append(0.0, np.cumsum(relevance[~positive][ascending]))
    strength = _FEW_POSITIVES / (_FEW_POSITIVES + positive.sum())
    recall = (1 - strength) * recall + strength * (1 - below[first] / below[-1])
    found = prior * recall
    f1 = 2 * found / (np.maximum(accepted, found) + prior)
    # Where even the first page is one of too many equal ones, it is they that are accepted.
    too_many = accepted > (_EXCESS + positive.sum() / _FEW_POSITIVES) * prior
    return _with_threshold(calibration, relevance[order], np.where(too_many, 0.0, f1))


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
