"""Calibrate a topic for each kind of text unit (pages, blocks, anchor texts, link contexts) from held-out decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from focused.method.learning.calibration import (
    ANY_TERM,
    Calibration,
    CalibrationExamples,
    fit_half_terms,
    fit_line,
    halfway_to_prior,
    log_likelihood,
    no_calibration,
    shrink_to_prior,
)
from focused.method.learning.pu_calibration import STRENGTH, fit_line_to_unlabeled
from focused.method.learning.threshold import with_best_threshold

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The calibration without links counts for this number of links.
_LINK_STRENGTH = 10.0
# Two fitted numbers gain 1 in log-likelihood from independent links without information. Links of one page, or to one page,
# are not independent. At least half is believed, as without links.
_GAIN_OF_CHANCE, _LEAST_BELIEF = 4.0, 0.5
_LINE_STRENGTH = 1.0
"""Verdicts that the line of P and U counts for."""
_MOST_UNKNOWN = 0.35
"""Largest relevance of a page without a known term, once there are verdicts."""


def population(
    positive: NDArray[np.bool_], probabilities: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return labels and weights that join labelled positives and unlabelled examples to one population.

    The unlabelled examples are the population. The labelled positives share the weight of the positives among them, so they
    add information without raising the share of positives.

    Parameters
    ----------
    positive : ndarray of bool of shape (n_examples,)
        The labelled positives.
    probabilities : ndarray of shape (n_examples,)
        Probability that an example is positive; not read for labelled ones.
    """
    hidden = float(probabilities[~positive].sum())
    share = hidden / max(hidden + positive.sum(), 1e-300)
    weights = np.where(positive, share, probabilities * share + 1 - probabilities)
    of_positives = np.where(positive, 1.0, probabilities) * share
    labels = np.divide(of_positives, weights, out=np.zeros_like(weights), where=weights > 0)
    return labels, weights


def background_population(positive: NDArray[np.bool_], prior: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return labels and weights if the unlabelled examples hold no positive and `prior` is assumed.

    Labels are smoothed by one example of each class (Platt 1999): ten positives without an error do not prove a probability
    of 1.
    """
    n_positive, n_background = int(positive.sum()), int((~positive).sum())
    labels = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_background + 2))
    weights = np.where(positive, prior / (1 - prior) * n_background / n_positive, 1.0)
    return labels, weights


def page_line(
    prior: float,
    decisions: NDArray[np.float64],
    n_known: NDArray[np.float64],
    positive: NDArray[np.bool_],
    *,
    is_background: bool,
    strength: float = STRENGTH,
) -> Calibration:
    """Return a calibration of pages with slope and offset only, because every page has enough text.

    Parameters
    ----------
    prior : float
        Share of relevant pages in the population, in (0, 1).
    decisions, n_known, positive : ndarray of shape (n_pages,)
        Held-out decisions, numbers of known terms, and which pages are labelled positive.
    is_background : bool
        Whether U holds no positive: then its pages are negatives and `prior` is assumed.
    strength : float
        Number of examples that the expected slope counts for, where U holds positives.
    """
    start = no_calibration("page", prior)
    if is_background:
        examples = CalibrationExamples(decisions, n_known, *background_population(positive, prior))
        return fit_line(start, examples)
    return fit_line_to_unlabeled(start, decisions, n_known, positive, strength=strength)


def line_by_verdicts(
    line: Calibration,
    decisions: NDArray[np.float64],
    n_known: NDArray[np.float64],
    verdicts: NDArray[np.float64],
) -> Calibration:
    """Return a calibration of pages, corrected by what people say of some of them.

    How probably a page of a given decision is relevant does not depend on how it was chosen to be judged, if it was chosen by
    decisions or at random. So the logistic fit to the verdicts holds for all pages, and the line of P and U, which assumes
    more, counts for `_LINE_STRENGTH` verdicts (docs/method/, D90).

    Parameters
    ----------
    line : Calibration
        Of pages, slope and offset only.
    decisions, n_known : ndarray of shape (n_pages,)
        Held-out decisions and numbers of known terms.
    verdicts : ndarray of shape (n_pages,)
        1 relevant, 0 not, NaN not judged.
    """
    judged = ~np.isnan(verdicts) & (n_known > 0)
    if not judged.any():
        return line
    # Where most pages met are relevant, the share of them is no relevance of a page of which nothing is known.
    start = replace(line, prior=min(line.prior, _MOST_UNKNOWN))
    examples = CalibrationExamples(decisions[judged], n_known[judged], verdicts[judged], np.ones(int(judged.sum())))
    return fit_line(start, examples, strength=_LINE_STRENGTH)


def calibrate_pages(
    line: Calibration, pages: CalibrationExamples, short: CalibrationExamples
) -> tuple[Calibration, Calibration]:
    """Return the calibrations of pages and of blocks.

    Slope and offset come from whole pages, `half_terms` from short texts drawn from them: the text of a block is on topic
    with the same probability as a short page of this text. `half_terms` must rank whole pages no worse than their decisions
    do. The threshold of blocks is the best for short texts; that of pages is set by `with_best_page_threshold`.
    """
    page = fit_half_terms(line, short, pages)
    block = replace(fit_half_terms(line, short), kind="block")
    return page, with_best_threshold(block, short)[0]


def calibrate_links(
    kind: str, page: Calibration, links: CalibrationExamples | None, short: CalibrationExamples
) -> Calibration:
    """Return the calibration of anchor texts or of link contexts: the target's probability of relevance.

    Anchor texts of few known terms are drawn to the prior as far as that ranks them no worse. A context of few terms keeps
    its decision; only one without any is unknown (docs/method/, D41).

    Parameters
    ----------
    kind : {"anchor", "context"}
        Kind of unit.
    page : Calibration
        Of whole pages; with few links, the result is drawn halfway from it to the prior.
    links : CalibrationExamples or None
        Held-out decisions of links among the training pages, labelled by their targets.
    short : CalibrationExamples
        Short texts, for the threshold if there are no links.
    """
    n_links = 0 if links is None else float(links.weights.sum())
    if links is None or not n_links:
        return with_best_threshold(halfway_to_prior(page, kind, page.prior), short)[0]
    relevant = float(links.weights @ links.labels)
    prior = (relevant + _LINK_STRENGTH * page.prior) / (n_links + _LINK_STRENGTH)
    start = halfway_to_prior(page, kind, prior)
    if kind == "context":
        bent = replace(start, half_terms=ANY_TERM)
    else:
        # First fit slope and offset with the pages' half_terms, then again with the links' own.
        line = fit_line(start, links, strength=_LINK_STRENGTH)
        bent = replace(start, half_terms=fit_half_terms(line, links, links).half_terms)
    fitted = fit_line(bent, links, strength=_LINK_STRENGTH)
    gain = log_likelihood(fitted, links) - log_likelihood(shrink_to_prior(fitted, 0.0), links)
    belief = max(1 - _GAIN_OF_CHANCE / max(gain, 1e-300), _LEAST_BELIEF)
    return with_best_threshold(shrink_to_prior(fitted, belief), links)[0]
