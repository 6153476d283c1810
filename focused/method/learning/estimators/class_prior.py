"""Estimate the class prior (the share of positives in U) from the decision values of P and U."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The spread of all decisions counts for this number of positives: with three or ten positives their own spread is accidental.
SPREAD_STRENGTH = 5.0
# When mean and spread of the positives are re-estimated, hidden positives in U weigh at most this many times the labelled
# ones. Without the bound a topic that overlaps its surroundings drifts into them.
_HIDDEN_WEIGHT = 2.0
# Initial shares of positives in U; the fit with the higher likelihood is taken.
_STARTS = (0.1, 0.6)
# Distance of a standard Gaussian's quartiles from its mean.
_QUARTILE = 0.6745
_MIN_PRIOR, _MAX_PRIOR = 1e-4, 0.95
# Quantiles of U at which the shares of U and P are compared.
_QUANTILES = np.linspace(0.5, 1, 1000)
# A value counts for the least ratio if at least this number of positives, or a tenth of them, is expected above it.
_LEAST_POSITIVES, _LEAST_SHARE = 8, 0.1
# With this number of positives the least ratio and the mixture have equal weight.
_FEW_POSITIVES = 20
# The upper Gaussian also takes the negatives beyond their own Gaussian's tail. This matters most if few documents are
# positive: below this share the mixture is reduced, by this power of its ratio to the share, down to this least value.
# Measured: docs/results/calibration.md.
_PLAIN_MIXTURE, _TAIL_POWER, _LEAST_MIXTURE = 0.3, 0.3, 0.01
# Topics are rare: the estimate if P and U coincide, and its weight.
_OPINION, _OPINION_STRENGTH = 0.04, 5.0


class PriorEstimate(NamedTuple):
    """What `estimate_prior` found."""

    prior: float
    """Share of the unlabelled documents that are positive, in (0, 1)."""
    probabilities: NDArray[np.float64]
    """For each unlabelled document the probability that it is positive, in [0, 1]."""


def estimate_prior(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> PriorEstimate:
    """Estimate the class prior of U from decision values that were not trained on.

    The decisions of U are a mixture, prior * (decisions of P) + (1 - prior) * (decisions of N). The geometric mean of two
    estimates is taken, because their errors differ:

    - two Gaussians fitted by expectation-maximisation, with the labelled positives held in the upper one. It errs alike from
      sample to sample: the negatives' upper tail is longer than a Gaussian's, and the excess counts as positive. Therefore a
      mixture m < 0.3 is read as m (m / 0.3)^0.3, at least 0.01 (docs/method/, D38);
    - the least ratio of (share of U above a value) to (share of P above it), which the prior cannot exceed; the share of P is
      the lesser of the observed one and the one that a Gaussian expects (docs/method/, D39). It is the better one with many
      positives, and its weight is n / (n + 20).

    If P and U overlap they tell little, so the estimate is drawn to 0.04 (docs/method/, D37).

    Parameters
    ----------
    positive : ndarray of shape (n_positive,)
        Held-out decision values of the labelled positives.
    unlabeled : ndarray of shape (n_unlabeled,)
        Held-out decision values of the unlabelled documents.
    """
    mixture, probabilities = _best_fit(positive, unlabeled)
    from_shape = max(mixture * min(1.0, mixture / _PLAIN_MIXTURE) ** _TAIL_POWER, _LEAST_MIXTURE)
    share = len(positive) / (len(positive) + _FEW_POSITIVES)
    logarithm = (1 - share) * np.log(from_shape) + share * np.log(least_ratio(positive, unlabeled))
    # Half of the prior is no overlap, because hidden positives lie above labelled ones half of the time.
    doubt = _OPINION_STRENGTH * max(0.0, _overlap(positive, unlabeled) - max(from_shape, np.exp(logarithm)) / 2)
    prior = float(np.clip(np.exp((logarithm + doubt * np.log(_OPINION)) / (1 + doubt)), _MIN_PRIOR, _MAX_PRIOR))
    # Bayes' rule with the new prior: the odds of each document are multiplied by one factor.
    odds = prior / (1 - prior) * (1 - mixture) / mixture
    shifted = probabilities * odds / (probabilities * odds + 1 - probabilities)
    return PriorEstimate(prior, shifted)


def upper_gaussian(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> float:
    """Return the share of the upper of two Gaussians that U is a mixture of; parameters as of `estimate_prior`."""
    return _best_fit(positive, unlabeled)[0]


def two_gaussians(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return the share of that Gaussian, and for each document of U the probability that it belongs to it."""
    return _best_fit(positive, unlabeled)


def share_of_positives_above(
    positive: NDArray[np.float64], unlabeled: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return which share of the positives is expected at or above each value, by a Gaussian.

    The empirical curve of a few dozen positives is ragged, and its steps would decide the best threshold. Mean and spread are
    those of P; the spread is drawn to that of U by the weight of five documents.

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
    spread = np.sqrt((n * positive.var() + SPREAD_STRENGTH * unlabeled.var()) / (n + SPREAD_STRENGTH))
    return np.asarray(ndtr((positive.mean() - values) / max(float(spread), 1e-12)))


def _best_fit(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    clipped = _without_left_tail(unlabeled)
    # If most of U is positive, a start that takes the median as negative converges to the wrong fit.
    fits = [_two_gaussians(positive, clipped, start) for start in _STARTS]
    _, mixture, probabilities = max(fits, key=lambda fit: fit[0])
    return mixture, probabilities


def least_ratio(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> float:
    """Return the least (share of U above a value) / (share of P above it) over the values with enough of P above."""
    values = np.unique(np.concatenate([np.quantile(unlabeled, _QUANTILES), positive]))
    # Decisions crowd at the SVM's margin: a Gaussian may expect every fifth positive above the highest document (D39).
    found = 1 - np.searchsorted(np.sort(positive), values) / len(positive)
    in_positive = np.minimum(share_of_positives_above(positive, unlabeled, values), found)
    above = 1 - np.searchsorted(np.sort(unlabeled), values) / len(unlabeled)
    low = in_positive >= max(_LEAST_SHARE, min(0.5, _LEAST_POSITIVES / len(positive)))
    if not low.any():
        return _MAX_PRIOR
    # Half a document instead of none: a share of 0 would be too certain.
    ratio = np.maximum(above[low], 0.5 / len(unlabeled)) / in_positive[low]
    return float(np.clip(ratio.min(), _MIN_PRIOR, _MAX_PRIOR))


def _overlap(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> float:
    """Return the probability that a document of U lies above one of P; half of the prior if they are separated."""
    below = np.searchsorted(np.sort(unlabeled), positive) / len(unlabeled)
    return float(1 - below.mean())


def _without_left_tail(unlabeled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the decisions, with the lowest ones raised to the end of a Gaussian's tail.

    Documents that share no word with the topic, or are nearly empty, form a cluster far below. It does not matter for the
    border but would widen and shift the negatives' Gaussian.
    """
    lower, middle = np.quantile(unlabeled, [0.25, 0.5])
    return np.asarray(np.maximum(unlabeled, middle - 4 * (middle - lower) / _QUARTILE))


def _two_gaussians(
    positive: NDArray[np.float64], unlabeled: NDArray[np.float64], prior: float, max_rounds: int = 100
) -> tuple[float, float, NDArray[np.float64]]:
    """Return the mean log-likelihood of U, the prior and the probabilities, starting from an initial prior."""
    n = len(positive)
    spread = max(float(unlabeled.std()), 1e-9)
    floor = 1e-3 * spread
    low, low_spread, high = float(np.quantile(unlabeled, (1 - prior) / 2)), spread, float(positive.mean())
    high_spread = np.sqrt((n * positive.var() + SPREAD_STRENGTH * spread**2) / (n + SPREAD_STRENGTH))
    probabilities = np.zeros(len(unlabeled))
    likelihood = 0.0
    for _ in range(max_rounds):
        constant = float(np.log(prior / (1 - prior) * low_spread / high_spread))
        far_low = 0.5 * ((unlabeled - low) / low_spread) ** 2
        log_odds = constant - 0.5 * ((unlabeled - high) / high_spread) ** 2 + far_low
        likelihood = float(np.mean(np.logaddexp(0, log_odds) - far_low) + np.log((1 - prior) / low_spread))
        # Far from both means the wider Gaussian would win. So a document above the positives' mean is at least as positive as
        # one at the mean, and one below the negatives' mean is not positive.
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
        total = n + hidden.sum() + SPREAD_STRENGTH
        high_spread = max(float(np.sqrt((squares + SPREAD_STRENGTH * low_spread**2) / total)), floor)
        if abs(prior - previous) < 1e-5:
            break
    return likelihood, prior, probabilities


def chance_above(values: NDArray[np.float64], others: NDArray[np.float64]) -> float:
    """Return the chance that one of `values` is larger than one of `others`; half a chance where they are the same."""
    ordered = np.sort(others)
    places = np.searchsorted(ordered, values, side="left") + np.searchsorted(ordered, values, side="right")
    return float(places.mean()) / (2 * len(others))
