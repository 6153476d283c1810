"""Paces the beginning of a shared crawl: workers exchange news more often while it is small.

A crawl's first pages teach it most. Asked for by many workers at once, each with a part of the hosts and of what is known,
they are poorer than those of one process.
"""

from __future__ import annotations

_USUAL_FROM = 500
"""Pages of a crawl from which on workers look at the database as seldom as it is cheap."""
_SOONEST = 0.25


def pace(n_pages: int) -> float:
    """Return the share of the usual time after which workers hear of each other: what comes late is to be a small part of all.

    >>> pace(0), pace(250), pace(10_000)
    (0.25, 0.5, 1.0)
    """
    return min(1.0, max(_SOONEST, n_pages / _USUAL_FROM))
