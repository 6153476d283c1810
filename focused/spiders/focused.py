"""The spider: arguments, seeds, and which links to ask for. No scoring, no classifying."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError

from focused.crawl.declared_settings import COMMAND_LINE
from focused.crawl.failures import why_ignored
from focused.crawl.planning import CrawlPlan, plan_crawl
from focused.crawl.state import Crawl
from focused.method.scoring.page_scores import PAGE_SCORES
from focused.method.scoring.priority import SEED

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from twisted.python.failure import Failure
    from typing_extensions import Self

    from focused.items import PageItem

logger = logging.getLogger(__name__)


class FocusedSpider(scrapy.Spider):
    """Crawls for one topic.

    Arguments: see :data:`focused.crawl.arguments.ARGUMENTS`; or ``plan``, a
    :class:`focused.crawl.planning.CrawlPlan` for the same settings, where one has been made. Every page becomes an item;
    every link a request, whose priority the link scoring middleware sets.
    """

    name = "focused"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take the arguments; ``from_crawler`` has checked them."""
        super().__init__(*args, **kwargs)
        self.plan: CrawlPlan
        self.crawl: Crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Take the command's plan, or check the arguments; let the topic's and the web's settings reach the crawl."""
        made = kwargs.pop("plan") if isinstance(kwargs.get("plan"), CrawlPlan) else None
        plan = made or plan_crawl(kwargs, crawler.settings)
        crawler.settings.setdict(plan.settings, priority="spider")
        crawler.settings.setdict(plan.decided, priority=COMMAND_LINE + 1)
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.plan = plan
        settings = crawler.settings
        merges = settings.getbool("FOCUSED_MERGE_EVIDENCE") and settings.getbool("FOCUSED_LINK_SCORING_ENABLED")
        spider.crawl = Crawl(plan, not settings.getbool("FOCUSED_NOFOLLOW_ENABLED"), merges)
        crawler.signals.connect(spider.dropped, signal=signals.request_dropped)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Ask for the seeds first."""
        for seed in self.plan.seeds:
            meta = {"focused_link_score": 1.0, "focused_link_reason": "seed"}
            yield Request(seed, errback=self.failed, priority=SEED, meta=meta)

    def parse(self, response: Response) -> Iterator[PageItem | Request]:
        """Yield the page and a request for each link that has not been asked for."""
        if self.crawl.is_repeated(response):
            self.crawler.stats.inc_value("focused/pages/repeated_count")
            return
        page = self.crawl.page(response) if isinstance(response, TextResponse) else None
        if page is None:
            self.crawler.stats.inc_value("focused/pages/not_text_count")
            return
        yield self.crawl.item(response, page)
        for url in self.crawl.new_links(page, response.meta.get(PAGE_SCORES)):
            yield Request(url, errback=self.failed)

    def failed(self, failure: Failure) -> None:
        """Count a page that could not be fetched; its traceback would tell nobody anything."""
        error = failure.value
        if self.crawl.frontier is not None:
            self.crawl.frontier.note(failure.request, _note(error))  # type: ignore[attr-defined]
        if isinstance(error, HttpError):
            raise error  # counted by Scrapy's HttpErrorMiddleware
        # What robots.txt forbids is counted there; what was cut off, a chain of redirects or a page too large, is not.
        if not isinstance(error, IgnoreRequest) or "robots.txt" not in str(error):
            self.crawler.stats.inc_value("focused/pages/failed_count")
            logger.debug("Not fetched: %s (%r)", failure.request, error)  # type: ignore[attr-defined]

    def dropped(self, request: Request) -> None:
        """Count a redirect that leads back to where it came from: the dupefilter ends it without a word."""
        if request.url in request.meta.get("redirect_urls", ()):
            self.crawler.stats.inc_value("focused/pages/failed_count")
            logger.debug("Not fetched: %s (redirected in a circle)", request)


def _note(error: BaseException | None) -> str:
    """Return what the frontier is to know of why a page could not be fetched."""
    if isinstance(error, IgnoreRequest):
        return why_ignored(str(error))
    status = f" {error.response.status}" if isinstance(error, HttpError) else ""
    name = type(error).__name__
    # The exceptions of zlib and brotli have no other name.
    return f"{type(error).__module__}.{name}" if name == "error" else f"{name}{status}"
