"""Ends a crawl when its time is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.utils.defer import deferred_from_coro

from focused.crawl.crawl import Crawl
from focused.utils.clock import clock_of
from focused.utils.scrapy_internals import is_closing

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from typing_extensions import Self

REASON = "max_minutes"


class TimeLimit:
    """Ends a crawl after FOCUSED_MAX_MINUTES, earlier runs included. Pages under way at the end are still counted.

    On recorded and demo webs in virtual time the minutes are virtual ones.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._crawler, self._crawl = crawler, crawl
        self._cancel: Callable[[], None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of crawls without a limit."""
        crawl = Crawl.needed(crawler)
        if not crawl.plan.max_minutes:
            raise NotConfigured
        extension = cls(crawler, crawl)
        crawler.signals.connect(extension.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signal=signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        """Begin to count; the crawl ends at once if earlier runs have spent its time."""
        secs_left = 60 * self._crawl.plan.max_minutes - self._crawl.harvest.spent_secs()
        if secs_left <= 0:
            raise CloseSpider(REASON)
        clock = clock_of(self._crawler)
        self._cancel = clock.call_at(clock.now() + secs_left, self._end)

    def spider_closed(self) -> None:
        """Cancel the end that was planned."""
        if self._cancel is not None:
            self._cancel()
            self._cancel = None

    def _end(self) -> None:
        self._cancel = None
        assert self._crawler.engine is not None
        if not is_closing(self._crawler):
            deferred_from_coro(self._crawler.engine.close_spider_async(reason=REASON))
