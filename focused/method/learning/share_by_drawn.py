"""The share of relevant pages by what decisions mean among pages that were drawn (docs/method/, D103).

A crawl follows links whose texts look like the topic, so irrelevant pages behind them look like it, too. Beside the examples
they pass for relevant. Pages that were drawn were not chosen by their looks: they show how many pages with some decision are
relevant. That holds for followed pages as far as these were chosen by what the decision sees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, logit

from focused.method.learning.estimators.class_prior import SPREAD_STRENGTH, chance_above

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LEAST_DRAWN = 5
"""Fewer drawn pages do not show what the rest looks like."""
_RELEVANT_BEFORE, _IRRELEVANT_BEFORE = 1.0, 10.0
"""Pages that are taken for drawn ones beside those that were: few drawn pages are relevant."""
_OWN_SPREAD = 0.5
"""Share of the variance of the pages met that is expected of those that are irrelevant."""
_START = 0.1
_MAX_ROUNDS = 100
_NEAR, _APART = 1.4, 2.4
"""Standard deviations between examples and irrelevant pages that were drawn. Up to the first the reading may have all weight;
from the second on it is not needed."""
_UNLIKE_EXAMPLES = 0.25
"""Pages that look less like the topic than this share of the examples do not are irrelevant, most of them."""
_BY_CHANCE, _BY_LOOKS = 0.6, 0.75
"""Chance that such a page that was followed looks more like the topic than such a one that was drawn. Up to the first, pages
were not followed for their looks; from the second on they were."""
_DRAWN_SPREAD = 0.05
"""Least standard deviation of the irrelevant pages, in those of the pages met."""


class DrawnReading(NamedTuple):
    """What drawn pages say of all pages met."""

    share: float
    """Share of relevant pages among those met, in (0, 1)."""
    weight: float
    """How much it is to be believed, in [0, 1], where other readings say more: 0 where the topic is easily told."""


def share_by_drawn(positive: Floats, met: Floats, drawn: NDArray[np.bool_]) -> DrawnReading | None:
    """Return the mean relevance of pages met, where drawn pages say what a decision means; None of fewer than five of these.

    The decisions of relevant pages are a Gaussian, that of the positives. Those of irrelevant pages are another. It and the
    share of relevant ones are fitted to the drawn pages by expectation-maximisation.

    Other readings take irrelevant pages that were followed to look like those that were drawn. Where the two Gaussians lie far
    apart, both come to the same. Where they lie near each other, it depends on why pages were followed. If it was for their
    looks, even those that are surely irrelevant look more like the topic than such pages that were drawn. Then the other
    readings take many others for relevant. If not, they are right, and this reading has no weight.

    Parameters
    ----------
    positive, met, drawn
        As of `focused.method.learning.share_of_relevant.estimate_share`.
    """
    if drawn.sum() < _LEAST_DRAWN or drawn.all():
        return None
    n, variance = len(positive), max(float(met.var()), 1e-12)
    high = float(positive.mean())
    high_spread = float(np.sqrt((n * positive.var() + SPREAD_STRENGTH * variance) / (n + SPREAD_STRENGTH)))
    share, low, low_spread = _fitted(met[drawn], high, high_spread, variance)
    odds = _log_odds(met, high, high_spread, low, low_spread)
    # Far from both means the wider Gaussian would win, as in `estimate_prior`.
    odds = np.where(met > high, np.maximum(odds, _log_odds(high, high, high_spread, low, low_spread)), odds)
    relevant = np.where(met < low, 0.0, expit(logit(share) + odds))
    apart = (high - low) / np.sqrt((high_spread**2 + low_spread**2) / 2)
    weight = _between(_APART, _NEAR, float(apart)) * _between(_BY_CHANCE, _BY_LOOKS, _looks(positive, met, drawn))
    return DrawnReading(float(relevant.mean()), weight)


def _looks(positive: Floats, met: Floats, drawn: NDArray[np.bool_]) -> float:
    """Return the chance that an irrelevant page that was followed looks more like the topic than one that was drawn."""
    is_unlike = met < np.quantile(positive, _UNLIKE_EXAMPLES)
    followed, others = met[is_unlike & ~drawn], met[is_unlike & drawn]
    return chance_above(followed, others) if min(len(followed), len(others)) >= _LEAST_DRAWN else _BY_CHANCE


def _between(none: float, all_of_it: float, value: float) -> float:
    """Return 0 at the first number, 1 at the second, and in proportion between them."""
    return float(np.clip((value - none) / (all_of_it - none), 0.0, 1.0))


def _fitted(decisions: Floats, high: float, high_spread: float, variance: float) -> tuple[float, float, float]:
    """Return the share of relevant pages among the drawn ones, and mean and spread of the others."""
    share, low = _START, float(decisions.mean())
    low_spread = max(float(decisions.std()), _DRAWN_SPREAD * np.sqrt(variance))
    n_before = _RELEVANT_BEFORE + _IRRELEVANT_BEFORE
    for _ in range(_MAX_ROUNDS):
        relevant = expit(logit(share) + _log_odds(decisions, high, high_spread, low, low_spread))
        relevant = np.where(decisions < low, 0.0, relevant)
        rest, before = 1 - relevant, share
        share = float((relevant.sum() + _RELEVANT_BEFORE) / (len(decisions) + n_before))
        low = float(np.average(decisions, weights=rest)) if rest.sum() > 0 else low
        squares = rest @ (decisions - low) ** 2 + SPREAD_STRENGTH * _OWN_SPREAD * variance
        low_spread = float(np.sqrt(squares / (rest.sum() + SPREAD_STRENGTH)))
        if abs(share - before) < 1e-6:
            break
    return share, low, low_spread


def _log_odds(values: Floats | float, high: float, high_spread: float, low: float, low_spread: float) -> Floats:
    """Return the log-odds of a value under the upper Gaussian against the lower one."""
    of_high = -0.5 * ((values - high) / high_spread) ** 2 - np.log(high_spread)
    of_low = -0.5 * ((values - low) / low_spread) ** 2 - np.log(low_spread)
    return np.asarray(of_high - of_low)
