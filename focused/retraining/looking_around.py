"""How many links are drawn to look around, and when (docs/method/, D74)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.frontier.interface import Frontier
    from focused.retraining.stats import RetrainingStats

_TIMES_ROOT = 2.0


def n_drawn_wanted(n_pages: int) -> int:
    """Return how many of the first pages of a crawl should have been drawn: many at first, then ever fewer.

    >>> [n_drawn_wanted(n) for n in (1, 10, 100, 1000)]
    [2, 6, 20, 63]
    """
    return math.floor(_TIMES_ROOT * math.sqrt(n_pages))


@dataclass(eq=False)
class LookingAround:
    """Asks the frontier for links that are drawn. Stats: ``focused/retraining/drawn_count``."""

    frontier: Callable[[], Frontier]
    stats: RetrainingStats
    #: Links that were asked for.
    n_asked: int = 0

    def page_added(self, n_pages: int) -> None:
        """Ask for as many as are wanted after so many pages."""
        n_more = n_drawn_wanted(n_pages) - self.n_asked
        if n_more > 0:
            self.frontier().look_around(n_more)
            self.n_asked += n_more
            self.stats.count("drawn_count", n_more)
