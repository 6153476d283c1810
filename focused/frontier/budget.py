"""Tells whether one more request may be under way: by the page budget, and by the limit of a strategy that learns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.utils.scrapy_internals import requests_in_progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

    from focused.frontier.leases import Leases
    from focused.method.scoring.session import Session

_UNANSWERED_SECS = 3.0
"""How long a host may take before a strategy that wants few requests under way no longer waits for it."""


def is_left(crawler: Crawler, max_pages: int) -> bool:
    """Tell whether the page budget has a place for one more request, counting those under way as pages; 0: no limit."""
    return not max_pages or pages_left(crawler, max_pages) > 0


def pages_left(crawler: Crawler, max_pages: int) -> int:
    """Return how many pages of a budget are left, counting requests under way as pages."""
    n_pages: int = crawler.stats.get_value("focused/pages/fetched_count", 0)
    return max_pages - n_pages - len(requests_in_progress(crawler))


@dataclass(eq=False)
class Budget:
    """Counts requests under way."""

    crawler: Crawler
    leases: Leases
    #: Of a strategy that learns: it may ask for few requests at a time.
    session: Session | None
    #: Whether pages come from the network, where a host may never answer.
    is_live: bool

    def __post_init__(self) -> None:
        #: To be set: returns how many pages have ended whose links are not known yet, because they are not durable.
        self.n_on_their_way: Callable[[], int] = lambda: 0

    def is_left(self, max_pages: int) -> bool:
        """Tell whether one more request may be under way."""
        return not self._strategy_waits() and is_left(self.crawler, max_pages)

    def next_check_time(self) -> float | None:
        """Return when the strategy may no longer wait for a silent host, on the downloader's clock; None: not by time."""
        return self.leases.now() + _UNANSWERED_SECS / 4 if self.is_live and self._strategy_waits() else None

    def _strategy_waits(self) -> bool:
        most = None if self.session is None else self.session.max_under_way()
        if most is None:
            return False
        n_under_way = len(requests_in_progress(self.crawler)) + self.n_on_their_way()
        return n_under_way - self._n_unanswered() >= most

    def _n_unanswered(self) -> int:
        """Return how many requests under way are for hosts that may never answer: the crawl does not wait for them."""
        if not self.is_live:  # a recorded or made web answers at once, and what is asked must not depend on the clock
            return 0
        assert self.crawler.engine is not None
        return self.leases.unanswered(self.crawler.engine.downloader.active, self.leases.now() - _UNANSWERED_SECS)
