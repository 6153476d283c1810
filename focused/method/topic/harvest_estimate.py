"""Estimates how many of the pages that a crawl fetched are relevant (docs/method/, D77).

Counting the pages above the threshold gives no harvest. The threshold is that of the best F1, which on a hard web accepts more
pages than are relevant. Besides, pages that an earlier model judged keep its judgement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, logit

from focused.method.learning.share_of_relevant import CONFIDENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.method.learning.share_of_relevant import ShareEstimate

_SINCE = 1.0
"""Standard deviation, in log-odds, of the share among pages that came after a training: the crawl prefers pages that the
model errs about (docs/results/harvest-tried.md)."""
_SUMMED, _PER_DISTANCE = 0.3, 0.25
"""The same by a model that was not trained again, where its relevances and verdicts agree, and what each unit of their
distance adds (docs/results/harvest-tried.md)."""
_LEAST, _MOST = 0.005, 0.98


class HarvestEstimate(NamedTuple):
    """Share of relevant pages among those fetched, in [0, 1], with the 90 % interval."""

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return it as people read it.

        >>> str(HarvestEstimate(0.24, 0.151, 0.352))
        '0.24 (0.15 to 0.35)'
        """
        return f"{self.share:.2f} ({self.low:.2f} to {self.high:.2f})"


def of_pages_met(share: ShareEstimate, n_pages: int, n_known: int, n_relevant: int) -> HarvestEstimate:
    """Return the harvest of the pages met when a model was trained against them.

    Parameters
    ----------
    share : ShareEstimate
        Of the pages whose relevance is not known.
    n_pages, n_known, n_relevant : int
        All pages met, at least one; the pages whose relevance is known (examples of the topic, verdicts); the relevant ones
        among these.

    >>> from focused.method.learning.share_of_relevant import ShareEstimate
    >>> of_pages_met(ShareEstimate(0.2, 0.1, 0.3), 100, 50, 40)
    HarvestEstimate(share=0.5, low=0.45, high=0.55)
    """
    n_unknown = n_pages - n_known
    values = ((n_relevant + n_unknown * each) / n_pages for each in (share.share, share.low, share.high))
    return HarvestEstimate(*(round(each, 6) for each in values))


def with_pages_since(met: HarvestEstimate, n_met: int, since: Sequence[float], n_pages: int) -> HarvestEstimate:
    """Return the harvest of a crawl, some of whose pages came after the last training.

    Their share lies halfway, in log-odds, between that of the pages before and the mean of their relevances: a crawl prefers
    pages that its model errs about, so the mean is too high where few pages are relevant.

    Parameters
    ----------
    met : HarvestEstimate
        Of the first `n_met` pages.
    since : sequence of float
        Relevances of the pages after these, in [0, 1].
    n_pages : int
        All pages fetched.
    """
    n_since = n_pages - n_met
    if n_since <= 0 or not len(since):
        return met
    middle = (_log_odds(met.share) + _log_odds(float(np.mean(since)))) / 2
    of_since = expit(middle + CONFIDENT * _SINCE * np.array([0.0, -1.0, 1.0]))
    return _joined(met, n_met, of_since, n_pages)


def of_relevances(relevances: Sequence[float], share_judged: float | None = None) -> HarvestEstimate:
    """Return the harvest by the relevances of all pages, at least one, of a model whose unlabelled pages are of this web.

    `Calibration` holds back relevances beyond 1/2, so their mean is too low where most pages are relevant. Here they are taken
    from its line instead. The share of pages that were judged relevant is too high where few are. The harvest lies between
    both, in log-odds; the farther apart they are, the wider is its interval.

    Parameters
    ----------
    relevances : sequence of float
        In [0, 1].
    share_judged : float, optional
        Share of these pages that were judged relevant by the threshold of the training, in [0, 1].
    """
    z = logit(np.clip(np.asarray(relevances, dtype=np.float64), 1e-6, 1 - 1e-6))
    held_back = np.maximum(z, 0.0)
    readings = [_log_odds(float(np.mean(expit(np.where(z > 0, np.sinh(held_back), z)))))]
    if share_judged is not None:
        readings.append(_log_odds(share_judged))
    middle = float(np.mean(readings))
    sampling = 1 / (expit(middle) * expit(-middle) * len(relevances))
    spread = float(np.sqrt(_SUMMED**2 + (_PER_DISTANCE * (max(readings) - min(readings))) ** 2 + sampling))
    share, low, high = expit(middle + CONFIDENT * spread * np.array([0.0, -1.0, 1.0]))
    return HarvestEstimate(float(share), float(low), float(high))


def _joined(met: HarvestEstimate, n_met: int, of_since: Sequence[float], n_pages: int) -> HarvestEstimate:
    parts = zip(met, of_since, strict=True)
    return HarvestEstimate(*(float((n_met * a + (n_pages - n_met) * b) / n_pages) for a, b in parts))


def _log_odds(share: float) -> float:
    return float(logit(np.clip(share, _LEAST, _MOST)))
