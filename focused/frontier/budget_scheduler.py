"""Scrapy's scheduler, with a page budget that is kept exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.core.scheduler import Scheduler

from focused.frontier.budget import is_left
from focused.frontier.crawl_interface import crawl_of

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from twisted.internet.defer import Deferred


class BudgetScheduler(Scheduler):
    """Hands out no more requests than the budget has pages left, counting those under way as pages.

    One that turns out to be no page (a redirect, an error) gives its place back. With Scrapy's stock scheduler the crawl
    works as well, but may fetch up to CONCURRENT_REQUESTS pages too many. Reads ``focused/pages/fetched_count``.
    """

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Look up the page limit."""
        assert self.crawler is not None
        crawl = crawl_of(self.crawler)
        self._max_pages = 0 if crawl is None else crawl.task.max_pages
        return super().open(spider)

    def next_request(self) -> Request | None:
        """Return the next request, or None where there is none or the budget has no place for it now."""
        assert self.crawler is not None
        return super().next_request() if is_left(self.crawler, self._max_pages) else None
