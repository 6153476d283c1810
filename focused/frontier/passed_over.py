"""Links that had to wait for their hosts while poorer ones were fetched: how many, by how much, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.method.scoring.priority import LEVELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.statscollectors import StatsCollector

COUNT = "focused/frontier/passed_over_count"
BY_LEVELS = "focused/frontier/passed_over_levels_count"
_REQUESTS = "scheduler/dequeued"
_MANY, _MUCH, _ENOUGH_REQUESTS = 0.25, 0.01, 20


def count_passed_over(stats: StatsCollector, levels: int) -> None:
    """Count a link that was handed out although a better one waited for its host.

    Parameters
    ----------
    stats : StatsCollector
    levels : int
        By how many levels of priority the link is poorer; more than a whole scale of scores (a link below the threshold
        instead of one above it, or of a seed) counts as one scale.
    """
    stats.inc_value(COUNT)
    stats.inc_value(BY_LEVELS, min(levels, LEVELS))


def advice(stats: Mapping[str, Any]) -> str:
    """Return what to say of it at the end of a crawl; empty where few links were passed over, or hardly better ones.

    >>> advice({COUNT: 24, BY_LEVELS: 6000, "scheduler/dequeued": 100})
    ''
    >>> advice({COUNT: 40, BY_LEVELS: 6000, "scheduler/dequeued": 100}).partition(":")[0]
    '40 of 100 requests were for poorer links while better ones waited for their hosts (by 0.15 of score in the mean)'
    """
    n_passed_over, n_requests = stats.get(COUNT, 0), stats.get(_REQUESTS, 0)
    if n_requests < _ENOUGH_REQUESTS or n_passed_over <= _MANY * n_requests:
        return ""
    mean = stats.get(BY_LEVELS, 0) / n_passed_over / LEVELS
    if mean < _MUCH:
        return ""
    return (
        f"{n_passed_over:,} of {n_requests:,} requests were for poorer links while better ones waited for their hosts (by "
        f"{mean:.2f} of score in the mean): no time was lost, but pages of the budget were. To have more of the better "
        "ones: a shorter delay for hosts that allow it (DOWNLOAD_DELAY, DOWNLOAD_SLOTS), more pages (-a max_pages), or "
        "seeds on fewer hosts"
    )
