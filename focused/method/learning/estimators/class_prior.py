"""How many of the unlabelled documents are positive: class prior from the decision values of P and U."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Counts for as many positives as this that the spread of the positives is that of all decisions: with
# three or ten positives their own spread is an accident.
_SPREAD_STRENGTH = 5.0
# Hidden positives in U may weigh at most this many times the labelled ones when the positives' mean and
# spread are re-estimated; without the bound a topic that overlaps its surroundings drifts into them.
_HIDDEN_WEIGHT = 2.0
# First guesses of the share of positives in U; the fit with the higher likelihood stays.
_STARTS = (0.1, 0.6)
# Distance of a standard Gaussian's quartiles from its middle.
_QUARTILE = 0.6745
_MIN_PRIOR, _MAX_PRIOR = 1e-4, 0.95
# At which values of U the shares of U and P are compared.
_QUANTILES = np.linspace(0.5, 1, 1000)
# The least ratio is looked for where at least so many positives are expected above a value, or a tenth of them.
_LEAST_POSITIVES, _LEAST_SHARE = 8, 0.1
# With so many positives the least ratio and the shape of the mixture weigh the same.
_FEW_POSITIVES = 20
# The upper Gaussian also takes what the negatives have beyond a Gaussian's tail, most where few are positive: below
# this share a mixture is made smaller, by the power of its ratio to it, and is at least so much. Measured:
# docs/results.md, 'The default learner'.
_PLAIN_MIXTURE, _TAIL_POWER, _LEAST_MIXTURE = 0.3, 0.3, 0.01
# A topic is rare; what counts when P and U lie on top of each other, and how much.
_OPINION, _OPINION_STRENGTH = 0.04, 5.0


class PriorEstimate(NamedTuple):
    """What `estimate_prior` found."""

    prior: float
    """Share of the unlabelled documents that are positive, in (0, 1)."""
    probabilities: NDArray[np.float64]
    """For each unlabelled document the probability that it is positive, in [0, 1]."""


def estimate_prior(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> PriorEstimate:
    """Estimate the class prior of U from decision values that were not trained on.

    The decisions of U are a mixture, prior * (decisions of P) + (1 - prior) * (decisions of N). Two readings of that
    are averaged geometrically, because their errors differ:

    - two Gaussians fitted by expectation-maximisation, with the labelled positives held in the upper one. Its errors
      are alike from draw to draw: the negatives' upper tail is longer than a Gaussian's, and what is left over of it
      counts as positive. Therefore a mixture m < 0.3 is read as m (m / 0.3)^0.3, at least 0.01 (docs/method/, D38);
    - the least ratio of (share of U above a value) to (share of P above it), which the prior cannot exceed; of P the
      lesser of the share found and the share that a Gaussian expects (docs/method/, D39). Where there are many
      positives it is the better one, and weighs n / (n + 20).

    Where P and U overlap, they hardly tell: the estimate is drawn to a prior opinion, 0.04 (docs/method/, D37).

    Parameters
    ----------
    positive : ndarray of shape (n_positive,)
        Held-out decision values of the labelled positives.
    unlabeled : ndarray of shape (n_unlabeled,)
        Held-out decision values of the unlabelled documents.
    """
    clipped = _without_left_tail(unlabeled)
    # Where most of U is positive, a start that takes its median for a negative ends in the wrong place.
    fits = [_two_gaussians(positive, clipped, start) for start in _STARTS]
    _, mixture, probabilities = max(fits, key=lambda fit: fit[0])
    from_shape = max(mixture * min(1.0, mixture / _PLAIN_MIXTURE) ** _TAIL_POWER, _LEAST_MIXTURE)
    share = len(positive) / (len(positive) + _FEW_POSITIVES)
    logarithm = (1 - share) * np.log(from_shape) + share * np.log(_least_ratio(positive, unlabeled))
    # Half of the prior is no overlap: hidden positives lie above labelled ones half of the time.
    doubt = _OPINION_STRENGTH * max(0.0, _overlap(positive, unlabeled) - max(from_shape, np.exp(logarithm)) / 2)
    prior = float(np.clip(np.exp((logarithm + doubt * np.log(_OPINION)) / (1 + doubt)), _MIN_PRIOR, _MAX_PRIOR))
    # Bayes' rule with the new prior: the odds of each document are multiplied by one factor.
    odds = prior / (1 - prior) * (1 - mixture) / mixture
    shifted = probabilities * odds / (probabilities * odds + 1 - probabilities)
    return PriorEstimate(prior, shifted)


def share_of_positives_above(
    positive: NDArray[np.float64], unlabeled: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return which share of the positives is expected at or above each value, by a Gaussian.

    A few dozen positives make a ragged curve; its steps would decide where the best threshold is. Mean and spread are
    those of P, the spread drawn to that of U by five documents.

    Parameters
    ----------
    positive : ndarray of shape (n_positive,)
        Held-out decision values of the labelled positives.
    unlabeled : ndarray of shape (n_unlabeled,)
        Those of the unlabelled documents.
    values : ndarray of shape (n_values,)

    Returns
    -------
    ndarray of shape (n_values,)
    """
    n = len(positive)
    spread = np.sqrt((n * positive.var() + _SPREAD_STRENGTH * unlabeled.var()) / (n + _SPREAD_STRENGTH))
    return np.asarray(ndtr((positive.mean() - values) / max(float(spread), 1e-12)))


def _least_ratio(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> float:
    """Return the least (share of U above a value) / (share of P above it), where enough of P is above."""
    values = np.unique(np.concatenate([np.quantile(unlabeled, _QUANTILES), positive]))
    # Decisions crowd at a margin: a Gaussian may expect every fifth positive above the highest of all documents (D39).
    found = 1 - np.searchsorted(np.sort(positive), values) / len(positive)
    in_positive = np.minimum(share_of_positives_above(positive, unlabeled, values), found)
    above = 1 - np.searchsorted(np.sort(unlabeled), values) / len(unlabeled)
    low = in_positive >= max(_LEAST_SHARE, min(0.5, _LEAST_POSITIVES / len(positive)))
    if not low.any():
        return _MAX_PRIOR
    # Half a document rather than none: a share of 0 would be too sure.
    ratio = np.maximum(above[low], 0.5 / len(unlabeled)) / in_positive[low]
    return float(np.clip(ratio.min(), _MIN_PRIOR, _MAX_PRIOR))


def _overlap(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> float:
    """Return the probability that a document of U lies above one of P; half of the prior where they are separated."""
    below = np.searchsorted(np.sort(unlabeled), positive) / len(unlabeled)
    return float(1 - below.mean())


def _without_left_tail(unlabeled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the decisions, the lowest of them raised to where a Gaussian would end.

    Documents without a word in common with the topic, or with hardly a word at all, lie in a heap of
    their own far down. It says nothing about the border, but would widen and shift the negatives' Gaussian.
    """
    lower, middle = np.quantile(unlabeled, [0.25, 0.5])
    return np.asarray(np.maximum(unlabeled, middle - 4 * (middle - lower) / _QUARTILE))


def _two_gaussians(
    positive: NDArray[np.float64], unlabeled: NDArray[np.float64], prior: float, max_rounds: int = 100
) -> tuple[float, float, NDArray[np.float64]]:
    """Return the mean log-likelihood of U, the prior and the probabilities, from a first guess of the prior."""
    n = len(positive)
    spread = max(float(unlabeled.std()), 1e-9)
    floor = 1e-3 * spread
    low, low_spread, high = float(np.quantile(unlabeled, (1 - prior) / 2)), spread, float(positive.mean())
    high_spread = np.sqrt((n * positive.var() + _SPREAD_STRENGTH * spread**2) / (n + _SPREAD_STRENGTH))
    probabilities = np.zeros(len(unlabeled))
    likelihood = 0.0
    for _ in range(max_rounds):
        constant = float(np.log(prior / (1 - prior) * low_spread / high_spread))
        far_low = 0.5 * ((unlabeled - low) / low_spread) ** 2
        log_odds = constant - 0.5 * ((unlabeled - high) / high_spread) ** 2 + far_low
        likelihood = float(np.mean(np.logaddexp(0, log_odds) - far_low) + np.log((1 - prior) / low_spread))
        # Far from both means the wider Gaussian wins, whichever it is. A document above the positives'
        # mean is at least as positive as at it, and one below the negatives' mean is not positive.
        at_high = constant + 0.5 * ((high - low) / low_spread) ** 2
        log_odds = np.where(unlabeled > high, np.maximum(log_odds, at_high), log_odds)
        probabilities = np.where(unlabeled < low, 0.0, expit(log_odds))
        previous, prior = prior, float(np.clip(probabilities.mean(), _MIN_PRIOR, _MAX_PRIOR))
        rest = 1.0 - probabilities
        low = float(np.average(unlabeled, weights=rest)) if rest.sum() > 0 else low
        low_spread = max(float(np.sqrt(rest @ (unlabeled - low) ** 2 / max(rest.sum(), 1e-9))), floor)
        hidden = probabilities * min(1.0, _HIDDEN_WEIGHT * n / max(probabilities.sum(), 1e-9))
        high = float((positive.sum() + hidden @ unlabeled) / (n + hidden.sum()))
        squares = ((positive - high) ** 2).sum() + hidden @ (unlabeled - high) ** 2
        total = n + hidden.sum() + _SPREAD_STRENGTH
        high_spread = max(float(np.sqrt((squares + _SPREAD_STRENGTH * low_spread**2) / total)), floor)
        if abs(prior - previous) < 1e-5:
            break
    return likelihood, prior, probabilities
