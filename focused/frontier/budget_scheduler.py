"""Scrapy's scheduler, with a page budget that is kept exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.core.scheduler import Scheduler

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred


class BudgetScheduler(Scheduler):
    """Hands out no more requests than the budget has pages left, counting those under way as pages.

    One that turns out to be no page (a redirect, an error) gives its place back. With Scrapy's stock scheduler the
    crawl works as well, but may fetch up to CONCURRENT_REQUESTS pages too many.

    Reads ``spider.plan.max_pages`` and the stat ``focused/pages/fetched_count``.
    """

    _crawler: Crawler | None = None

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Take down what the budget needs."""
        self._crawler = spider.crawler
        self._max_pages: int = getattr(getattr(spider, "plan", None), "max_pages", 0)
        return super().open(spider)

    def next_request(self) -> Request | None:
        """Return the next request, or None where there is none or the budget has no place for it now."""
        if self._max_pages and self._crawler is not None:
            n_pages = self._crawler.stats.get_value("focused/pages/fetched_count", 0)
            # The slot holds a request from here until its response's items have passed the pipelines.
            slot = self._crawler.engine._slot
            n_under_way = len(slot.inprogress) if slot is not None else 0
            if n_pages + n_under_way >= self._max_pages:
                return None
        return super().next_request()
