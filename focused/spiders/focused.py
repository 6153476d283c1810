"""The focused spider: takes arguments, requests seeds, yields pages. The link middleware judges and scores them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import signals
from scrapy.exceptions import IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError

from focused.crawl.crawl import Crawl
from focused.crawl.declared_settings import COMMAND_LINE
from focused.crawl.failures import WITHOUT_END, LinkWaitsError, why_failed
from focused.crawl.plan import CrawlPlan
from focused.crawl.planning import plan_crawl
from focused.crawl.private_addresses import AddressRefusedError
from focused.crawl.soft_404_probes import PROBE
from focused.items import LinkSource, PageItem

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class FocusedSpider(scrapy.Spider):
    """Crawls for one topic.

    Arguments: see :data:`focused.crawl.arguments.ARGUMENTS`; or ``plan``, a :class:`focused.crawl.plan.CrawlPlan` that
    the command has made of the same settings. Every page becomes an item; the link middleware judges it and requests its
    links.
    """

    name = "focused"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take the arguments; ``from_crawler`` has checked them."""
        super().__init__(*args, **kwargs)
        self.plan: CrawlPlan
        self.crawl: Crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Take the command's plan, or make one from the arguments; set the settings that topic and web bring."""
        made = kwargs.pop("plan") if isinstance(kwargs.get("plan"), CrawlPlan) else None
        plan = made or plan_crawl(kwargs, crawler.settings)
        crawler.settings.setdict(plan.settings, priority="spider")
        crawler.settings.setdict(plan.decided, priority=COMMAND_LINE + 1)
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.plan = plan
        spider.crawl = Crawl(crawler, plan)
        crawler.signals.connect(spider.dropped, signal=signals.request_dropped)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Request the seeds, which come before all links."""
        meta = {"focused_link_score": 1.0, "focused_link_reason": "seed"}
        for seed in self.plan.seeds:
            yield scrapy.Request(seed, errback=self.failed, priority=self.crawl.seed_priority, meta=dict(meta))

    def parse(self, response: Response) -> Iterator[PageItem]:
        """Yield the page; the link middleware does the rest."""
        yield PageItem.from_response(response)

    def parse_source(self, response: Response, **source: Any) -> Iterator[LinkSource]:
        """Yield a sitemap or a feed; the link middleware does the rest."""
        yield LinkSource(**source)

    def failed(self, failure: Failure) -> None:
        """Count a page that could not be fetched, and note why. Its traceback would not help anybody."""
        error = failure.value
        if isinstance(error, LinkWaitsError):
            return
        self.crawl.frontier.note_failure(failure.request, why_failed(error))  # type: ignore[attr-defined]
        if failure.request.callback == self.parse_source:  # type: ignore[attr-defined]
            if failure.request.cb_kwargs.get("kind") != PROBE:  # type: ignore[attr-defined]
                self.crawler.stats.inc_value("focused/sources/failed_count")
            return
        if isinstance(error, HttpError):
            if self.plan.web in ("live", "demo", "hostile") or "missing" not in error.response.flags:
                raise error  # counted by Scrapy's HttpErrorMiddleware
            self.crawler.stats.inc_value("focused/pages/not_recorded_count")
            return
        # Middlewares have counted what robots.txt forbids and refused addresses; nobody has counted long chains of redirects
        # and pages that are too large.
        is_counted = isinstance(error, AddressRefusedError) or "robots.txt" in str(error)
        if not isinstance(error, IgnoreRequest) or not is_counted:
            self.crawler.stats.inc_value("focused/pages/failed_count")
            if why_failed(error) == WITHOUT_END:
                self.crawler.stats.inc_value("focused/pages/endless_redirects_count")
            logger.debug("Not fetched: %s (%r)", failure.request, error)  # type: ignore[attr-defined]

    def dropped(self, request: Request) -> None:
        """Count a redirect that leads back to where it came from: the dupefilter drops it silently."""
        if request.url in request.meta.get("redirect_urls", ()):
            self.crawler.stats.inc_value("focused/pages/failed_count")
            self.crawler.stats.inc_value("focused/pages/endless_redirects_count")
            logger.debug("Not fetched: %s (redirected in a circle)", request)
