"""Where a request for a link that may have changed its score meanwhile comes up: passed on, passed over, pushed back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import IgnoreRequest, NotConfigured

from focused.frontier.priority import to_priority
from focused.link_meta import WAITS, read_evidence, write_evidence

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from focused.waiting import WaitingLinks


class WaitingLinkMiddleware:
    """Lets through of a link that waits the first request that comes up, with all that is known by then.

    Others that were pushed for it are stale and end here, before robots.txt is asked and without a place in the page
    budget. A link that has got worse is pushed back to its new place. Only for strategies that merge, with schedulers
    that cannot change the priority of what they hold.

    Place: 10, before all other downloader middlewares.

    Stats: ``focused/links/stale_count``, ``focused/links/pushed_back_count``.
    """

    def __init__(self, crawler: Crawler, waiting: WaitingLinks) -> None:
        self.crawler = crawler
        self.waiting = waiting

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of crawls in which no link changes its score."""
        crawl = getattr(crawler.spider, "crawl", None)
        if crawl is None or crawl.waiting is None:
            raise NotConfigured
        middleware = cls(crawler, crawl.waiting)
        crawler.signals.connect(middleware.request_dropped, signal=signals.request_dropped)
        return middleware

    def process_request(self, request: Request) -> Request | None:
        """Pass a request on, end it, or push it back."""
        if WAITS not in request.meta:
            return None  # a seed, a retry, the target of a redirect
        url = request.url
        stats = self.crawler.stats
        if self.waiting.is_stale(url):
            self.waiting.take(url)
            stats.inc_value("focused/links/stale_count")
            request.errback = None  # nothing failed
            raise IgnoreRequest("pushed again and fetched")
        evidence = self.waiting.get(url)
        if evidence is not None:
            then = read_evidence(request.meta)
            change = to_priority(evidence.score, evidence.admitted) - to_priority(then.score, then.admitted)
            write_evidence(request.meta, evidence)
            if change < 0:
                stats.inc_value("focused/links/pushed_back_count")
                return request.replace(priority=request.priority + change, dont_filter=True)
            self.waiting.take(url)
        # From here on it is like any other: its retries pass, the dupefilter sees where it redirects to.
        del request.meta[WAITS]
        request.dont_filter = False
        return None

    def request_dropped(self, request: Request) -> None:
        """Forget a link that the dupefilter knows under another spelling, or fetched as the target of a redirect."""
        if WAITS in request.meta:
            self.waiting.forget(request.url)
