"""Turns a classifier's decision into a relevance in [0, 1], for each kind of text unit (docs/method/, D36)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

KINDS = ("page", "block", "anchor", "context")

ANY_TERM = 1e-6
"""Evidence by this `half_terms` is 0 without a known term and 1 with one."""
# A prior is kept this far from 0 and 1: their log-odds are infinite.
_EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class Calibration:
    """The numbers that turn decisions about one kind of unit into relevances.

    With e = n / (n + half_terms), the evidence in n known terms, let z = (1 - e) logit(prior) + e (slope * decision +
    offset). Up to the border z = 0, the log-odds of the relevance are z; beyond it they are asinh(z). A line that fits
    at the border is too confident far from it, where pages are misjudged for reasons that the decision does not show.
    asinh(z) is z at 0 and grows like a logarithm, so the relevance does not saturate at 1 and the best pages keep their
    order. (A prior above 1/2 replaces the border.)
    """

    kind: str
    """One of `KINDS`."""
    slope: float
    """Positive: relevance rises strictly with the decision."""
    offset: float
    prior: float
    """Relevance of a unit without any known term, in (0, 1)."""
    half_terms: float
    """Number of distinct known terms at which decision and prior have equal weight; not negative."""
    threshold: float
    """A unit is relevant if its relevance is at least this; in (0, 1), above `prior`."""
    n_examples: int
    """How many texts (page, block) or links (anchor, context) the numbers were fitted on; 0: none."""

    def relevance(self, decisions: ArrayLike, n_known: ArrayLike) -> NDArray[np.float64]:
        """Return the relevance of each unit, in [0, 1].

        Parameters
        ----------
        decisions : array-like of shape (n_units,)
            Decision values of the topic's classifier.
        n_known : array-like of shape (n_units,)
            Number of distinct terms of each unit that are in the vocabulary.
        """
        return calibrated(np.asarray(decisions, dtype=np.float64), np.asarray(n_known), self.numbers())

    def log_odds(self, decisions: ArrayLike, n_known: ArrayLike) -> NDArray[np.float64]:
        """Return z, the log-odds before asinh; parameters as in `relevance`."""
        n = np.asarray(n_known, dtype=np.float64)
        evidence = n / np.maximum(n + self.half_terms, 1e-300)
        line = self.slope * np.asarray(decisions, dtype=np.float64) + self.offset
        return np.asarray(evidence * line + (1 - evidence) * logit(self.prior))

    def numbers(self, intercept: float = 0.0) -> NDArray[np.float64]:
        """Return the numbers that `calibrated` needs, shape (5,), for decisions without this intercept.

        Slope; offset, the intercept included; log-odds of the prior; log-odds of the border; half_terms.
        """
        prior = float(logit(self.prior))
        # The lower bound of half_terms avoids 0 / 0 and changes no other quotient.
        half_terms = max(self.half_terms, 1e-300)
        return np.array([self.slope, self.offset + self.slope * intercept - prior, prior, max(prior, 0.0), half_terms])


def calibrated(
    decisions: NDArray[np.float64], n_known: NDArray[Any], numbers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the relevance of units of several kinds at once, each by the `numbers` of its kind.

    Parameters
    ----------
    decisions, n_known : ndarray of shape (n_units,)
    numbers : ndarray of shape (5,) or (5, n_units)
    """
    slope, offset, prior, border, half_terms = numbers
    z = n_known / (n_known + half_terms) * (slope * decisions + offset) + prior
    beyond = np.maximum(z - border, 0.0)
    return np.asarray(expit(z - beyond + np.arcsinh(beyond)))


class CalibrationExamples(NamedTuple):
    """Units to learn a calibration from, each array of shape (n_units,)."""

    decisions: NDArray[np.float64]
    """Held-out decision values."""
    n_known: NDArray[np.float64]
    """Number of distinct known terms."""
    labels: NDArray[np.float64]
    """Probability that the unit (page, block) or its target (anchor, context) is relevant, in [0, 1]."""
    weights: NDArray[np.float64]
    """Number of units of the population that each stands for; not negative."""


def no_calibration(kind: str, prior: float) -> Calibration:
    """Return the starting point of a fit: only the prior, in (0, 1), is known."""
    prior = float(np.clip(prior, _EPSILON, 1 - _EPSILON))
    return Calibration(kind, 1.0, float(logit(prior)), prior, 0.0, 0.5, 0)


def shrink_to_prior(calibration: Calibration, belief: float) -> Calibration:
    """Shrink a calibration's line to the prior: keep this share, in [0, 1], of its distance in log-odds."""
    prior = float(logit(calibration.prior))
    offset = prior + belief * (calibration.offset - prior)
    return replace(calibration, slope=calibration.slope * belief, offset=offset)


def halfway_to_prior(start: Calibration, kind: str, prior: float) -> Calibration:
    """Return `start` for another kind of unit, its log-odds drawn halfway to those of the prior.

    An anchor text or a context speaks of a page that has not been read. Without links to learn from, it is believed half as
    much as text on the page itself.
    """
    prior = no_calibration(kind, prior).prior
    return shrink_to_prior(replace(start, kind=kind, prior=prior, n_examples=0), 0.5)


def fit_line(start: Calibration, examples: CalibrationExamples, *, strength: float = 0.1) -> Calibration:
    """Fit slope and offset to labelled units by penalised maximum likelihood, `half_terms` as in `start`.

    Parameters
    ----------
    start : Calibration
        The calibration without examples; the fit is drawn to it.
    examples : CalibrationExamples
        Units with their labels.
    strength : float
        Number of examples that `start` counts for.
    """
    decisions, n_known, labels, weights = examples
    if not weights.sum() > 0:
        return start
    evidence = n_known / np.maximum(n_known + start.half_terms, 1e-300)
    from_prior = (1 - evidence) * logit(start.prior)
    # In units of the decisions' spread both parameters have the same scale, so one penalty suits both.
    centre = float(np.average(decisions, weights=weights))
    scale = float(np.sqrt(np.average((decisions - centre) ** 2, weights=weights)))
    scale = scale if scale > 1e-12 else 1.0
    x = (decisions - centre) / scale
    # The slope's logarithm is fitted, so that the slope stays positive and the ranking is not reversed.
    first = np.array([np.log(start.slope * scale), start.offset + start.slope * centre])

    def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        slope, offset = np.exp(theta[0]), theta[1]
        z = from_prior + evidence * (slope * x + offset)
        away = theta - first
        value = weights @ (np.logaddexp(0, z) - labels * z) + 0.5 * strength * (away @ away)
        residual = weights * (expit(z) - labels) * evidence
        return float(value), np.array([residual @ x * slope, residual.sum()]) + strength * away

    bounds = [(first[0] - 5, first[0] + 5), (first[1] - 50, first[1] + 50)]
    from scipy.optimize import minimize  # only a fit needs it, and a crawl fits nothing: it would wait for the import

    theta = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=bounds).x
    slope = float(np.exp(theta[0])) / scale
    return replace(start, slope=slope, offset=float(theta[1]) - slope * centre, n_examples=int(np.sum(weights > 0)))


def log_likelihood(calibration: Calibration, examples: CalibrationExamples) -> float:
    """Return the log-likelihood of labelled units, at most 0; labels are probabilities."""
    decisions, n_known, labels, weights = examples
    p = np.clip(calibration.relevance(decisions, n_known), _EPSILON, 1 - _EPSILON)
    return float(weights @ (labels * np.log(p) + (1 - labels) * np.log1p(-p)))


def fit_half_terms(
    start: Calibration, examples: CalibrationExamples, ranked: CalibrationExamples | None = None
) -> Calibration:
    """Choose the `half_terms` (0.25 to 64) with the highest likelihood for labelled short units.

    With `ranked`, a value qualifies only if it ranks those units with a known term no worse than their decisions alone do
    (average precision). If no value qualifies, one known term counts as much as many, and the ranking differs from that of
    the decisions only for units without a known term.
    """
    best, least = replace(start, half_terms=ANY_TERM), float("inf")
    known = None if ranked is None else CalibrationExamples(*(values[ranked.n_known > 0] for values in ranked))
    by_decision = 0.0 if known is None else _average_precision(known.decisions, known)
    for half_terms in 2.0 ** np.arange(-2, 6.5, 0.5):
        candidate = replace(start, half_terms=float(half_terms))
        lost = -log_likelihood(candidate, examples)
        if lost >= least:
            continue
        if known is not None:
            score = _average_precision(candidate.relevance(known.decisions, known.n_known), known)
            if score < by_decision - 1e-9:
                continue
        best, least = candidate, lost
    return best


def _average_precision(scores: NDArray[np.float64], examples: CalibrationExamples) -> float:
    """Return the average precision of a ranking; labels are probabilities, equal scores keep a fixed order."""
    order = np.argsort(-scores, kind="stable")
    found, weights = (examples.labels * examples.weights)[order], examples.weights[order]
    if not found.sum() > 0:
        return 0.0
    return float(found @ (np.cumsum(found) / np.maximum(np.cumsum(weights), 1e-300)) / found.sum())
