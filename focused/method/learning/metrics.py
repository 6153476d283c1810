"""Cross-validated precision, recall and F1 from positive and unlabelled pages, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from focused.method.learning.estimators.class_prior import estimate_prior

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_RESAMPLES = 100
THRESHOLDS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9)
"""Thresholds that are reported beside the chosen one."""
# Each resample estimates the prior anew; more unlabelled pages than this no longer change it.
_MAX_RESAMPLED = 5000


def page_figures(
    decisions: NDArray[np.float64],
    accepted: NDArray[np.bool_],
    positive: NDArray[np.bool_],
    rng: np.random.Generator,
    *,
    prior: float,
    prior_is_assumed: bool,
) -> dict[str, float]:
    """Return prior, precision, recall and F1 of the accepted pages, each with the ends of a 95 % interval.

    Recall is the share of the held-out positives that are accepted. The relevant ones among the unlabelled pages are
    unknown, so precision follows from recall, the prior and the share of unlabelled pages that are accepted. Intervals:
    recall and that share from their Jeffreys distributions, the prior from bootstrap resamples of the pages. The
    threshold was fitted on the same pages, so the figures are slightly optimistic.

    Parameters
    ----------
    decisions, accepted, positive : ndarray of shape (n_pages,)
        Held-out decisions of the training pages, whether each is at or above the threshold, and
        whether it is a labelled positive.
    rng : numpy Generator
        Draws the intervals.
    prior : float
        Share of relevant pages in the population, in (0, 1).
    prior_is_assumed : bool
        True if the unlabelled pages are a background without relevant pages, and `prior` is assumed.

    Returns
    -------
    dict
        Keys prior, precision, recall, f1, and each with _low and _high; values in [0, 1].
    """
    n, m = int(positive.sum()), int((~positive).sum())
    hits, taken = int(accepted[positive].sum()), int(accepted[~positive].sum())
    values = _figures(np.array([hits / n]), np.array([taken / m]), np.array([prior]), prior_is_assumed)
    priors = np.full(N_RESAMPLES, prior)
    if not prior_is_assumed:
        size = min(m, _MAX_RESAMPLED)
        priors = np.array(
            [
                estimate_prior(rng.choice(decisions[positive], n), rng.choice(decisions[~positive], size)).prior
                for _ in range(N_RESAMPLES)
            ]
        )
    draws = _figures(
        rng.beta(hits + 0.5, n - hits + 0.5, N_RESAMPLES),
        rng.beta(taken + 0.5, m - taken + 0.5, N_RESAMPLES),
        priors,
        prior_is_assumed,
    )
    figures: dict[str, float] = {}
    for name, value in values.items():
        low, high = np.quantile(draws[name], [0.025, 0.975])
        # A figure lies within its interval even if all resamples fall on one side of it.
        figures[name] = float(value[0])
        figures[f"{name}_low"], figures[f"{name}_high"] = float(min(low, value[0])), float(max(high, value[0]))
    return figures


def brier_score(
    relevance: NDArray[np.float64], positive: NDArray[np.bool_], *, prior: float, prior_is_assumed: bool
) -> float:
    """Return the expected squared error of the relevance in the population; less is better.

    With g the relevance and y in {0, 1}: E[(g - y)^2] = E[g^2] - 2 pi E[g | y = 1] + pi. It needs no label of an unlabelled
    page. By chance it may fall below 0.

    Parameters
    ----------
    relevance, positive : ndarray of shape (n_pages,)
        Held-out relevance of the training pages, and whether each is a labelled positive.
    prior, prior_is_assumed
        pi; as in `page_figures`.
    """
    of_positives, of_others = relevance[positive], relevance[~positive]
    if prior_is_assumed:
        return float(prior * np.mean((1 - of_positives) ** 2) + (1 - prior) * np.mean(of_others**2))
    return float(np.mean(of_others**2) - 2 * prior * np.mean(of_positives) + prior)


@dataclass(frozen=True, slots=True)
class ThresholdFigures:
    """The figures at one threshold of the page's relevance; see `page_figures` for their estimation."""

    threshold: float
    precision: float | None
    """None if no page reaches the threshold."""
    recall: float
    f1: float
    is_chosen: bool
    """Whether it is the topic's own threshold."""


def figures_at_thresholds(
    relevance: NDArray[np.float64], positive: NDArray[np.bool_], chosen: float, *, prior: float, prior_is_assumed: bool
) -> tuple[ThresholdFigures, ...]:
    """Return the figures at the chosen threshold and at `THRESHOLDS`, in ascending order.

    Parameters
    ----------
    relevance, positive : ndarray of shape (n_pages,)
        Held-out relevance of the training pages, and whether each is a labelled positive.
    chosen : float
        The topic's threshold.
    prior, prior_is_assumed
        As in `page_figures`.
    """
    thresholds = np.array(sorted({chosen, *THRESHOLDS}))
    shares = [
        1 - np.searchsorted(np.sort(relevance[which]), thresholds) / max(which.sum(), 1)
        for which in (positive, ~positive)
    ]
    values = _figures(shares[0], shares[1], np.full(len(thresholds), prior), prior_is_assumed)
    is_empty = (shares[0] == 0) & (shares[1] == 0)
    rows = zip(thresholds, is_empty, values["precision"], values["recall"], values["f1"], strict=True)
    return tuple(
        ThresholdFigures(float(at), None if empty else float(precision), float(recall), float(f1), bool(at == chosen))
        for at, empty, precision, recall, f1 in rows
    )


def _figures(
    recall: NDArray[np.float64], share: NDArray[np.float64], prior: NDArray[np.float64], is_background: bool
) -> dict[str, NDArray[np.float64]]:
    found = prior * recall
    # A background holds no relevant page: relevant pages come in addition to its accepted pages.
    accepted = found + (1 - prior) * share if is_background else np.maximum(share, found)
    precision = np.divide(found, accepted, out=np.zeros_like(found), where=accepted > 0)
    return {"prior": prior, "precision": precision, "recall": recall, "f1": 2 * found / (accepted + prior)}
