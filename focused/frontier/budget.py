"""Whether one more request may be under way: the page budget, and what a strategy says that learns from each page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.frontier.host_availability import now
from focused.frontier.leases import in_progress

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from focused.frontier.leases import Leases
    from focused.frontier.wakeup import Wakeup

_UNANSWERED_SECS = 3.0
"""So long a host may take before a strategy that wants few requests under way waits for it no more."""


class Room:
    """Counts requests under way.

    Parameters
    ----------
    crawler : Crawler
        Its spider is there.
    leases : Leases
    wake : Wakeup
        Asked to look again where a host that does not answer may soon be waited for no more.
    """

    def __init__(self, crawler: Crawler, leases: Leases, wake: Wakeup) -> None:
        spider: Any = crawler.spider
        self._crawler = crawler
        self._leases = leases
        self._wake = wake
        self._crawl = spider.crawl
        self._is_live = spider.crawl.plan.web == "live"

    def is_left(self) -> bool:
        """Tell whether there is room for one more."""
        max_pages, session = self._crawl.plan.max_pages, self._crawl.session
        most = None if session is None else session.max_under_way()
        if most is not None and len(in_progress(self._crawler)) - self._n_unanswered() >= most:
            if self._is_live:
                self._wake.at(now() + _UNANSWERED_SECS / 4)
            return False
        if not max_pages:
            return True
        n_pages: int = self._crawler.stats.get_value("focused/pages/fetched_count", 0)
        # The slot holds a request from here until its response's items have passed the pipelines.
        return bool(n_pages + len(in_progress(self._crawler)) < max_pages)

    def _n_unanswered(self) -> int:
        """Return how many requests under way wait for hosts that may never answer: nobody is to wait with them."""
        if not self._is_live:  # a recorded or made web answers at once, and what is asked must not depend on the clock
            return 0
        assert self._crawler.engine is not None
        return self._leases.unanswered(self._crawler.engine.downloader.active, now() - _UNANSWERED_SECS)
