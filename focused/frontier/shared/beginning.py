"""Paces the beginning of a shared crawl: workers exchange news more often while it is small.

A crawl learns most from its first pages. Many workers choose them worse than one process does, because each worker has only a
part of the hosts and of what is known.
"""

from __future__ import annotations

_USUAL_FROM = 500
"""Pages of a crawl from which on workers look at the database as seldom as it is cheap."""
_SOONEST = 0.25


def pace(n_pages: int) -> float:
    """Return the time between two exchanges as a share of the usual one: short at first, so that little news comes late.

    >>> pace(0), pace(250), pace(10_000)
    (0.25, 0.5, 1.0)
    """
    return min(1.0, max(_SOONEST, n_pages / _USUAL_FROM))
