"""The class prior of U from the label frequency c: Elkan and Noto's estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

if TYPE_CHECKING:
    from numpy.typing import NDArray

C_ESTIMATORS = ("e1", "e2", "e3", "fitted")

# As in `focused.method.learning.estimators.class_prior`: an estimate of 0 or 1 would make all weights 0 or 1.
_MIN_PRIOR, _MAX_PRIOR = 1e-4, 0.95
# Penalty of the slope, with the weight of one example: without it separable groups have no best line.
_PENALTY = 1e-3


class MixtureEstimate(NamedTuple):
    """The result of an estimator of the class prior; the first two fields are those of `PriorEstimate`."""

    prior: float
    """Share of the unlabelled documents that are positive, in (0, 1)."""
    probabilities: NDArray[np.float64]
    """For each unlabelled document the probability that it is positive, in [0, 1]."""
    label_frequency: float
    """c = p(labelled | positive) among P and U together, in (0, 1)."""


def check_decisions(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> None:
    """Raise ValueError unless both are finite, one-dimensional and not empty."""
    for name, values in (("positive", positive), ("unlabeled", unlabeled)):
        if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
            raise ValueError(
                f"{name} must hold at least one finite decision value, in one dimension. Got shape {values.shape}"
                + ("." if not values.size or np.isfinite(values).all() else " with values that are not finite.")
            )


def prior_of_label_frequency(c: float, n_positive: int, n_unlabeled: int) -> float:
    """Return the class prior of U that a label frequency c implies, n_positive (1 - c) / (c n_unlabeled).

    Elkan and Noto draw one sample and label some of its positives. Ours are two samples: P from p(x | y = 1), U from
    p(x). Together they are such a sample, with the density (n f_P(x) + m f_U(x)) / (n + m). Its positives are the n
    labelled documents and pi m hidden ones, drawn alike, so "selected completely at random" holds in it with

        c = n / (n + pi m),    hence    pi = n (1 - c) / (c m).

    Their p(y = 1) = p(s = 1) / c would be the share of positives in P and U together, not in U.
    The result is kept in [0.0001, 0.95].
    """
    implied = n_positive * (1 - c) / max(c * n_unlabeled, 1e-300)
    return float(np.clip(implied, _MIN_PRIOR, _MAX_PRIOR))


def label_frequency_of_prior(prior: float, n_positive: int, n_unlabeled: int) -> float:
    """Return c = n_positive / (n_positive + prior n_unlabeled), the inverse of `prior_of_label_frequency`."""
    return n_positive / (n_positive + prior * n_unlabeled)


def elkan_noto_prior(
    positive: NDArray[np.float64], unlabeled: NDArray[np.float64], *, c_estimator: str = "e1"
) -> MixtureEstimate:
    """Estimate c and the class prior of U from g(x) = p(labelled | x) on held-out decisions [EN08].

    g is a logistic function of the decision value (Platt scaling, as in [EN08]), fitted to both samples.
    An unlabelled document is positive with probability w(x) = (1 - c) / c * g(x) / (1 - g(x)), kept in [0, 1].

    Parameters
    ----------
    positive : ndarray of shape (n_positive,)
        Held-out decision values of the labelled positives.
    unlabeled : ndarray of shape (n_unlabeled,)
        Held-out decision values of the unlabelled documents.
    c_estimator : {"e1", "e2", "e3", "fitted"}
        How c is estimated: the mean of g over P; the sum of g over P divided by that over P and U (the same number
        here, as the sum of a fitted logistic g is the number of labelled); the largest g. A logistic g does not level
        off at c as it should, because g = c p(y = 1 | x). "fitted" fits this product for priors from 0.002 to 0.95 in
        equal ratios and returns their mean, weighted by likelihood (docs/method/, D32).

    Raises
    ------
    ValueError
        If `c_estimator` is none of those, or decisions are missing or not finite.
    """
    if c_estimator not in C_ESTIMATORS:
        raise ValueError(f"c_estimator must be one of {', '.join(C_ESTIMATORS)}. Got {c_estimator!r}.")
    check_decisions(positive, unlabeled)
    n, m = len(positive), len(unlabeled)
    if c_estimator == "fitted":
        return mixture_estimate(_likely_prior(positive, unlabeled), positive, unlabeled)
    slope, offset, _ = labeled_probability(positive, unlabeled, c=1.0)
    of_positive, of_unlabeled = expit(slope * positive + offset), expit(slope * unlabeled + offset)
    if c_estimator == "e1":
        c = float(of_positive.mean())
    elif c_estimator == "e2":
        c = float(of_positive.sum() / (of_positive.sum() + of_unlabeled.sum()))
    else:
        c = float(max(of_positive.max(), of_unlabeled.max()))
    prior = prior_of_label_frequency(c, n, m)
    c = label_frequency_of_prior(prior, n, m)
    odds = np.exp(np.minimum(slope * unlabeled + offset, 500.0))
    return MixtureEstimate(prior, np.minimum((1 - c) / c * odds, 1.0), c)


def mixture_estimate(prior: float, positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> MixtureEstimate:
    """Return the estimate that a known class prior leads to.

    With c given by the prior and g = c p(y = 1 | x), Bayes' rule gives the unlabelled documents
    p(y = 1 | x, unlabelled) = (1 - c) p / (1 - c p); p is a logistic function of the decision.
    """
    c = label_frequency_of_prior(prior, len(positive), len(unlabeled))
    slope, offset, _ = labeled_probability(positive, unlabeled, c=c)
    p = expit(slope * unlabeled + offset)
    return MixtureEstimate(prior, (1 - c) * p / (1 - c * p), c)


def _likely_prior(positive: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> float:
    # The mean, not the maximum: with ten positives the likelihood is so flat that its maximum may be at c = 1.
    priors = np.geomspace(0.002, _MAX_PRIOR, 24)
    c_of_priors = [label_frequency_of_prior(float(prior), len(positive), len(unlabeled)) for prior in priors]
    likelihoods = np.array([labeled_probability(positive, unlabeled, c)[2] for c in c_of_priors])
    return float(np.average(priors, weights=np.exp(likelihoods - likelihoods.max())))


def labeled_probability(
    positive: NDArray[np.float64], unlabeled: NDArray[np.float64], c: float
) -> tuple[float, float, float]:
    """Fit p(labelled | decision d) = c / (1 + exp(-slope d - offset)) by maximum likelihood.

    Parameters
    ----------
    positive, unlabeled : ndarray of shape (n_positive,), (n_unlabeled,)
        Decision values.
    c : float
        In (0, 1]; 1 is the usual logistic regression.

    Returns
    -------
    tuple of float
        Slope (not negative), offset, log-likelihood.
    """
    values = np.concatenate([positive, unlabeled])
    centre, scale = float(values.mean()), max(float(values.std()), 1e-12)
    x = (values - centre) / scale
    n = len(positive)

    def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = theta[0] * x + theta[1]
        p = expit(z)
        g = c * p[n:]
        rest = np.maximum(1 - g, 1e-300)
        likelihood = n * np.log(c) - np.logaddexp(0, -z[:n]).sum() + np.log(rest).sum()
        # d/dz log(g) = 1 - p, d/dz log(1 - g) = -g (1 - p) / (1 - g)
        by_z = np.concatenate([1 - p[:n], -g / rest * (1 - p[n:])])
        gradient = np.array([_PENALTY * theta[0] - by_z @ x, -by_z.sum()])
        return float(0.5 * _PENALTY * theta[0] ** 2 - likelihood), gradient

    start = np.array([1.0, np.log(n / len(unlabeled))])
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0.0, 1e3), (-1e3, 1e3)])
    slope, offset = float(best.x[0]) / scale, float(best.x[1])
    return slope, offset - slope * centre, -float(best.fun)
