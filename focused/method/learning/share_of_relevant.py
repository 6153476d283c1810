"""The share of relevant pages among those that a crawl met, with an interval (docs/method/, D77).

A focused crawl meets relevant pages on purpose, so nothing is expected of their share beforehand, other than by
`estimate_prior`. And it meets two populations: pages that it followed, and pages that it drew whatever their scores were.
They are mixed in other proportions from the same two kinds, which tells the kinds apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr

from focused.method.learning.estimators.class_prior import (
    SPREAD_STRENGTH,
    chance_above,
    estimate_prior,
    least_ratio,
    two_gaussians,
    upper_gaussian,
)
from focused.method.learning.share_by_drawn import DrawnReading, share_by_drawn

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST, _MOST = 0.005, 0.98
"""Bounds of the share, which is never certain."""
CONFIDENT = 1.645
"""Standard deviations on each side of a 90 % interval."""
_BASE, _PER_DISTANCE = 0.3, 0.25
"""Standard deviation of the estimate's log-odds where all readings agree and pages are many, and what each unit of the
readings' distance, in log-odds, adds."""
_SEEN_WEIGHT, _EXCESS = 0.3, 0.15
"""Weight of what earlier models said of the pages when they came, and the mean excess of the estimate, both in log-odds."""
_OVER_LEAST = 0.5
"""In log-odds, how far another reading may lie above the least ratio. That is an upper bound, but the least of many ratios of
a few dozen positives lies too low."""
_LOWEST_READING = 0.25
"""A reading below this share of the least ratio has lost the positives: it says nothing of how far the truth may lie."""
_ONE_HEAP = 0.65
"""Chance that an example looks more like the topic than a page met, below which both are one heap: where two are sought in it,
one may get nothing."""
_HEAP_DISTANCE, _UPPER_SHARE, _DRAWN_IN_UPPER, _EXAMPLES_IN_UPPER = 4.0, 0.4, 0.15, 0.9
"""Two heaps of pages met lie apart if the distance of their means is this many standard deviations or more. The upper one is
the topic's if it is at most this share of them, with at most this share of the drawn pages, and at least this share of the
examples. A heap of most pages is what the crawl has followed, whether it was right or not. Where other examples lie in the
lower heap, so do other relevant pages."""
_AMONG_EXAMPLES = 0.6
"""The upper heap is the topic's, however large, if an example looks more like the topic than a page of it with this chance at
most: its pages look like the examples."""
_WINDOW_SHARE = 0.4
_N_EDGES = 60
_LEAST_DRAWN = 5
"""Fewer drawn pages do not show what the rest looks like."""
_STARTS = (0.1, 0.5, 0.8)
_MAX_ROUNDS = 200
_HIDDEN_WEIGHT = 2.0
"""Hidden positives weigh at most this many times the known ones, as in `estimate_prior`."""


class ShareEstimate(NamedTuple):
    """A share in (0, 1), with a 90 % interval."""

    share: float
    low: float
    high: float


class _UpperHeap(NamedTuple):
    """The upper of two heaps of pages met that lie apart."""

    #: The share of the pages met that it is.
    share: float
    #: Whether its pages look like the examples.
    is_among_examples: bool


def estimate_share(
    positive: NDArray[np.float64],
    met: NDArray[np.float64],
    drawn: NDArray[np.bool_],
    seen: NDArray[np.float64] | None = None,
) -> ShareEstimate:
    """Estimate the share of relevant pages from decisions (or their log-odds) that were not trained on.

    Four readings are taken, of which none may lie far above the first; their median counts:

    - the least ratio of (share of the pages met above a value) to (share of the positives above it);
    - the same over windows that hold at least 0.4 of the positives;
    - the upper of two Gaussians that drawn and followed pages share, in proportions of their own;
    - the upper of two Gaussians without that distinction.

    Where examples and pages met can hardly be told apart, they are one heap (docs/method/, D95). The least of many ratios then
    lies too low, and two Gaussians may take all of the heap for the lower one. So the first reading is at least what the
    chance allows that an example looks more like the topic than a page met, and a mixture far below it does not count.

    Where the pages met are two heaps that lie apart, the upper one is counted in the place of the four readings
    (docs/method/, D101). Where its pages look like the examples, it counts alone, without a fifth reading (D102).

    Where examples and drawn pages are not easily told apart, followed pages that only look like the topic pass for relevant.
    There the estimate is moved down towards what drawn pages say a decision means, and the interval reaches what it was before
    (`share_by_drawn`; docs/method/, D103).

    The estimate is drawn to a fifth reading: the mean relevance that pages had when they came, by models that had learnt of
    this web but not met them. These errors are others. The interval grows with the distance between the readings: where they
    agree, the pages fall into two heaps. The constants come from six webs (docs/results/harvest-tried.md).

    Parameters
    ----------
    positive : ndarray of shape (n_positive,)
        Held-out decisions of the known positives, at least one.
    met : ndarray of shape (n_met,)
        Those of the pages met, at least one.
    drawn : ndarray of bool of shape (n_met,)
        Which of them were drawn.
    seen : ndarray, optional
        Relevances that models gave some of the pages met before these were learnt from, in [0, 1].
    """
    upper_heap = _upper_of_two_heaps(positive, met, drawn)
    by_drawn = share_by_drawn(positive, met, drawn) if upper_heap is None else None
    return _estimated(positive, met, drawn, seen, upper_heap, by_drawn)


def _estimated(
    positive: NDArray[np.float64],
    met: NDArray[np.float64],
    drawn: NDArray[np.bool_],
    seen: NDArray[np.float64] | None,
    upper_heap: _UpperHeap | None,
    by_drawn: DrawnReading | None = None,
) -> ShareEstimate:
    """Return the estimate; ``upper_heap``: None if no two heaps lie apart; ``by_drawn``: what it is moved down to."""
    readings = _four_readings(positive, met, drawn) if upper_heap is None else np.array([upper_heap.share])
    middle = float(logit(np.clip(np.median(readings), _LEAST, _MOST)))
    believed = logit(np.clip(readings, max(_LOWEST_READING * readings[0], _LEAST), _MOST))
    if upper_heap is None or not upper_heap.is_among_examples:
        if seen is not None and len(seen):
            at_first = float(logit(np.clip(seen.mean(), _LEAST, _MOST)))
            middle += _SEEN_WEIGHT * (at_first - middle)
            believed = np.append(believed, at_first)
        middle -= _EXCESS
    doubt = 0.0
    if by_drawn is not None:
        below = middle - float(logit(np.clip(by_drawn.share, _LEAST, _MOST)))
        doubt = by_drawn.weight * max(below, 0.0)
        middle -= doubt
    sampling = 1 / (expit(middle) * expit(-middle) * len(met))
    distance = believed.max() - believed.min()
    spread = float(np.sqrt(_BASE**2 + (_PER_DISTANCE * distance) ** 2 + (doubt / CONFIDENT) ** 2 + sampling))
    share, low, high = expit(middle + CONFIDENT * spread * np.array([0.0, -1.0, 1.0]))
    return ShareEstimate(float(share), float(low), float(high))


def prior_of_pages_met(
    positive: NDArray[np.float64],
    met: NDArray[np.float64],
    drawn: NDArray[np.bool_],
    seen: NDArray[np.float64] | None = None,
) -> float:
    """Return the share of relevant pages that relevances are calibrated to: halfway, in log-odds, between two estimates.

    `estimate_prior` takes topics to be rare. In a crawl that finds its topic it is far too low, and the next pages are called
    irrelevant. `estimate_share` is the better estimate of the pages met, but the pages that come next are those that the model
    errs about, and by it too many of them are called relevant (docs/method/, D92). Where two heaps lie apart the model hardly
    errs, and the second estimate counts alone (D101). D103 has no part in it: with lower relevances a crawl finds fewer pages.
    Parameters are those of `estimate_share`.
    """
    upper_heap = _upper_of_two_heaps(positive, met, drawn)
    estimates = [_estimated(positive, met, drawn, seen, upper_heap).share]
    if upper_heap is None:
        estimates.append(estimate_prior(positive, met).prior)
    return float(expit(logit(np.clip(estimates, _LEAST, _MOST)).mean()))


def _four_readings(
    positive: NDArray[np.float64], met: NDArray[np.float64], drawn: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the readings that count, the least ratio first."""
    first, is_one_heap = _upper_bound(positive, met)
    others = (
        _least_ratio_of_windows(positive, met),
        _upper_of_two_populations(positive, met, drawn),
        upper_gaussian(positive, met),
    )
    most = float(expit(logit(np.clip(first, _LEAST, _MOST)) + _OVER_LEAST))
    counted = [each for each in others if not is_one_heap or each >= _LOWEST_READING * first]
    return np.array([first, *(min(each, most) for each in counted)])


def _upper_bound(positive: NDArray[np.float64], met: NDArray[np.float64]) -> tuple[float, bool]:
    """Return an upper bound of the share, and whether examples and pages met are one heap.

    A relevant page looks more like the topic than an example half of the time. So if an example does so more than a page met
    with probability A, at most 2 (1 - A) of these are relevant.
    """
    ratio, above = least_ratio(positive, met), chance_above(positive, met)
    return (max(ratio, min(2 * (1 - above), _MOST)), True) if above < _ONE_HEAP else (ratio, False)


def _upper_of_two_heaps(
    positive: NDArray[np.float64], met: NDArray[np.float64], drawn: NDArray[np.bool_]
) -> _UpperHeap | None:
    """Return the upper of two heaps of pages met, if it is the topic's; None if no two lie apart (docs/method/, D101, D102).

    The relevant pages of a crawl may be of another kind than its examples: course pages, and not examination papers. All of
    them look less like the topic than the examples do, so shares among these are no bound. But they can be counted, if they
    are a heap of their own. A heap that examples lie below is not that of the topic. Nor is one with most pages, or with many
    of those that were drawn, unless its pages look like the examples.
    """
    if drawn.sum() < _LEAST_DRAWN:
        return None
    share, probabilities = two_gaussians(positive, met)
    is_upper = probabilities > 0.5
    if not is_upper.any() or is_upper.all():
        return None
    upper, lower = met[is_upper], met[~is_upper]
    border = min(upper.min(), (upper.min() + lower.max()) / 2)
    spread = max(float(np.sqrt((upper.var() + lower.var()) / 2)), 1e-9)
    if upper.mean() - lower.mean() < _HEAP_DISTANCE * spread or (positive >= border).mean() < _EXAMPLES_IN_UPPER:
        return None
    if chance_above(positive, upper) <= _AMONG_EXAMPLES:
        return _UpperHeap(share, is_among_examples=True)
    is_small = share <= _UPPER_SHARE and is_upper[drawn].mean() <= _DRAWN_IN_UPPER
    return _UpperHeap(share, is_among_examples=False) if is_small else None


def _least_ratio_of_windows(positive: NDArray[np.float64], met: NDArray[np.float64]) -> float:
    """Return the least (share of the pages met in a window) / (share of the positives in it).

    Relevant pages in a window cannot be more than all pages in it. Where pages that are not relevant look more like the
    topic than its own examples, the ratio above a value says nothing; that of a window may.
    """
    n = len(positive)
    spread = np.sqrt((n * positive.var() + SPREAD_STRENGTH * met.var()) / (n + SPREAD_STRENGTH))
    edges = np.concatenate([[-np.inf], np.quantile(met, np.linspace(0, 1, _N_EDGES))[1:], [np.inf]])
    counted = np.searchsorted(np.sort(positive), edges) / n
    smooth = ndtr((edges - positive.mean()) / max(float(spread), 1e-12))
    below = np.searchsorted(np.sort(met), edges) / len(met)
    of_counted, of_smooth, of_met = (each[None, :] - each[:, None] for each in (counted, smooth, below))
    of_positive = np.minimum(of_counted, of_smooth)
    holds = of_positive >= _WINDOW_SHARE
    if not holds.any():
        return _MOST
    return float(np.clip((np.maximum(of_met, 0.5 / len(met))[holds] / of_positive[holds]).min(), _LEAST, _MOST))


def _upper_of_two_populations(
    positive: NDArray[np.float64], met: NDArray[np.float64], drawn: NDArray[np.bool_]
) -> float:
    """Return the share of the upper of two Gaussians, whose proportions differ between drawn and followed pages."""
    fits = [_fitted(positive, met, drawn, start) for start in _STARTS]
    return max(fits)[1]


def _fitted(
    positive: NDArray[np.float64], met: NDArray[np.float64], drawn: NDArray[np.bool_], start: float
) -> tuple[float, float]:
    """Return the mean log-likelihood of the pages met and the share, fitted by expectation-maximisation from a start."""
    n, spread = len(positive), max(float(met.std()), 1e-9)
    others = met[drawn] if drawn.sum() >= _LEAST_DRAWN else np.sort(met)[: max(len(met) // 3, 1)]
    low, low_spread = float(others.mean()), max(float(others.std()), 0.3 * spread)
    high = float(positive.mean())
    high_spread = float(np.sqrt((n * positive.var() + SPREAD_STRENGTH * spread**2) / (n + SPREAD_STRENGTH)))
    followed, looked, likelihood = start, 0.05, 0.0
    for _ in range(_MAX_ROUNDS):
        share = np.where(drawn, looked, followed)
        of_low = np.log1p(-share) + _log_density(met, low, low_spread)
        of_high = np.log(share) + _log_density(met, high, high_spread)
        likelihood = float(np.logaddexp(of_low, of_high).mean())
        odds = of_high - of_low
        # Far from both means the wider Gaussian would win, as in `estimate_prior`.
        at_high = logit(share) + _log_density(high, high, high_spread) - _log_density(high, low, low_spread)
        odds = np.where(met > high, np.maximum(odds, at_high), odds)
        relevant = np.where(met < low, 0.0, expit(odds))
        before = followed
        followed = _mean(relevant[~drawn], _MOST)
        looked = _mean(relevant[drawn], 0.5)
        rest = 1 - relevant
        low = float(np.average(met, weights=rest)) if rest.sum() > 0 else low
        low_spread = max(float(np.sqrt(rest @ (met - low) ** 2 / max(rest.sum(), 1e-9))), 0.05 * spread)
        hidden = relevant * min(1.0, _HIDDEN_WEIGHT * n / max(relevant.sum(), 1e-9))
        high = float((positive.sum() + hidden @ met) / (n + hidden.sum()))
        squares = ((positive - high) ** 2).sum() + hidden @ (met - high) ** 2 + SPREAD_STRENGTH * low_spread**2
        high_spread = max(float(np.sqrt(squares / (n + hidden.sum() + SPREAD_STRENGTH))), 0.05 * spread)
        if abs(followed - before) < 1e-5:
            break
    share_of_all = (followed * (~drawn).sum() + looked * drawn.sum()) / len(met)
    return likelihood, float(np.clip(share_of_all, _LEAST, _MOST))


def _log_density(values: NDArray[np.float64] | float, mean: float, spread: float) -> NDArray[np.float64]:
    return np.asarray(-0.5 * ((values - mean) / spread) ** 2 - np.log(spread))


def _mean(values: NDArray[np.float64], most: float) -> float:
    return float(np.clip(values.mean(), 1e-3, most)) if len(values) else 1e-3
