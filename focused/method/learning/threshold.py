"""Choose the threshold of the relevance with the best F1 that P and U let expect."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from focused.method.learning.estimators.class_prior import share_of_positives_above

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from focused.method.learning.calibration import Calibration, CalibrationExamples

# The recall that the relevances imply counts for this number of positives. A threshold may accept at most 1.5 times the
# number of relevant pages, plus that number once for each 15 positives. Measured: docs/results/calibration.md.
_FEW_POSITIVES = 15.0
_EXCESS = 1.5
_LEAST_SEEN = 20
"""Fewer pages do not show how many too many are called relevant."""
_STEP = 0.5
_MOST_RAISED = 0.8
"""How far a threshold is raised, as a part of the way in log-odds, and up to which relevance (docs/method/, D78)."""


def with_best_threshold(calibration: Calibration, examples: CalibrationExamples) -> tuple[Calibration, float]:
    """Set the threshold that has the highest expected F1 on a sample of units; return it and that F1.

    The relevances are taken as probabilities: above a threshold, their sum is the expected number of relevant units. The
    threshold lies above the prior, because a unit without any known term is unknown, not relevant.
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
    """Set the threshold of whole pages by counting pages above it, not by the calibration.

    F1 = 2 r pi / (s + pi), with recall r the share of positives above the threshold, s the share of all pages, pi the
    prior. r is that of the held-out positives (`share_of_positives_above`, in log-odds). Ten of them are a poor
    estimate, so it is averaged with the recall that the relevances of U imply, which counts for 15 positives. With few
    positives, r is least certain where many pages are accepted, and such a threshold would accept everything that
    resembles the topic. Therefore s is at most (1.5 + |P| / 15) pi.

    Parameters
    ----------
    decisions, n_known, positive : ndarray of shape (n_pages,)
        Held-out decisions, numbers of known terms, and which pages are labelled positive.
    prior : float
        pi, in (0, 1).
    is_background : bool
        Whether U holds no positive. Then s is pi r + (1 - pi) times U's share, without upper bound, and r comes from the
        held-out positives alone.
    """
    relevance = calibration.relevance(decisions, n_known)
    log_odds = calibration.log_odds(decisions, n_known)
    order = np.argsort(-log_odds, kind="stable")
    recall = share_of_positives_above(log_odds[positive], log_odds[~positive], log_odds[order])
    # Equal pages are accepted together: take the share at or above each.
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
    # If even the first page is one of too many equal ones, all of these are accepted.
    too_many = accepted > (_EXCESS + positive.sum() / _FEW_POSITIVES) * prior
    return _with_threshold(calibration, relevance[order], np.where(too_many, 0.0, f1))


def within_bounds(best: float, of_positives: NDArray[np.float64], least: float, least_recall: float) -> float:
    """Return the best threshold, or what stands above it: at least ``least``, but reached by so many of the positives.

    >>> within_bounds(0.3, np.array([0.1, 0.2, 0.9]), 0.4, 0.0)
    0.4
    >>> within_bounds(0.3, np.array([0.1, 0.2, 0.3]), 0.4, 0.5)
    0.2

    Parameters
    ----------
    best, least : float
        Relevances, in [0, 1].
    of_positives : ndarray of shape (n_positive,)
        Relevances of the labelled positives, each held out.
    least_recall : float
        Share of them, in [0, 1], that reach the threshold at least.
    """
    threshold = max(best, least)
    if least_recall:
        threshold = min(threshold, float(np.quantile(of_positives, 1 - least_recall, method="lower")))
    return threshold


def raised_to_share(threshold: float, seen: NDArray[np.float64], share: float) -> float:
    """Raise a threshold halfway to the one by which as many of the pages so far would have been called relevant as are.

    A crawl prefers pages that its model errs about, so too many of those that come are called relevant. How many, the share
    shows that is estimated once the model has learnt from them.

    >>> seen = np.linspace(0.01, 0.99, 99)
    >>> [round(raised_to_share(0.4, seen, share), 2) for share in (0.9, 0.4, 0.1, 0.01)]
    [0.4, 0.49, 0.7, 0.8]

    Parameters
    ----------
    threshold : float
        Relevance, in (0, 1).
    seen : ndarray of shape (n_pages,)
        Relevances that models gave pages of the crawl before these were learnt from, in [0, 1].
    share : float
        Estimated share of relevant pages among them, in [0, 1].
    """
    if len(seen) < _LEAST_SEEN:
        return threshold
    found = np.sort(seen)[::-1][min(round(share * len(seen)), len(seen) - 1)]
    border, right = logit(np.clip([threshold, found], 1e-4, 1 - 1e-4))
    raised = float(expit(border + _STEP * max(right - border, 0.0)))
    return max(threshold, min(raised, _MOST_RAISED))


def threshold_of_recall(known: Iterable[tuple[float, float]], recall: float) -> float:
    """Return the relevance that a share of the positives reaches, interpolated between the known thresholds.

    >>> threshold_of_recall([(0.5, 1.0), (0.8, 0.9), (0.9, 0.4)], 0.5)
    0.88
    >>> threshold_of_recall([(0.5, 0.3)], 0.5)
    0.5

    Parameters
    ----------
    known : iterable of (float, float)
        Thresholds, in (0, 1), with the share of the positives that reach each; at least one.
    recall : float
        In (0, 1). Where fewer reach the lowest threshold, that one is returned.
    """
    ordered = sorted(known)
    below, reached = ordered[0]
    for threshold, of_positives in [*ordered[1:], (1.0, 0.0)]:
        if reached <= recall:
            return below
        if of_positives <= recall:
            return below + (threshold - below) * (reached - recall) / (reached - of_positives)
        below, reached = threshold, of_positives
    return below


def _with_threshold(
    calibration: Calibration, ordered: NDArray[np.float64], f1: NDArray[np.float64]
) -> tuple[Calibration, float]:
    """Put the threshold under the unit with the best F1; relevances and F1 are in descending order of relevance."""
    best = int(np.argmax(np.where(ordered > calibration.prior, f1, -1.0)))
    at_least = np.nextafter(calibration.prior, 1.0)
    if ordered[best] <= calibration.prior:
        return replace(calibration, threshold=float(at_least)), 0.0
    # Halfway to the next unit below, so that rounding does not push the last accepted unit under the threshold.
    below = np.append(ordered[ordered < ordered[best]][:1], calibration.prior)[0]
    return replace(calibration, threshold=float(max((ordered[best] + below) / 2, at_least))), float(f1[best])
