"""Checks requests for links whose score may have changed meanwhile: passed on, passed over, or pushed back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest, NotConfigured

from focused.crawl.scrapy_settings import scheduler_class
from focused.frontier.crawl_interface import crawl_of, frontier_of
from focused.frontier.scrapy_frontier import ScrapyFrontier
from focused.method.scoring.link_meta import WAITS, read_evidence, write_evidence
from focused.method.scoring.priority import to_priority

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from focused.frontier.scrapy_frontier import WaitingLinks


class WaitingLinkMiddleware:
    """Lets through of a link that waits the first request that comes up, with all that is known by then.

    Others that were pushed for it are stale and end here, before robots.txt is asked and without a place in the page budget.
    A link that has got worse is pushed back. Only for strategies that merge, with schedulers that cannot change a priority.

    Place: 10, before all other downloader middlewares.

    Stats: ``focused/links/stale_count``, ``focused/links/pushed_back_count``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        assert crawler.request_fingerprinter is not None
        self._fingerprint = crawler.request_fingerprinter.fingerprint

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of crawls in which no link changes its score, and of those whose scheduler can change a priority."""
        crawl = crawl_of(crawler)
        is_durable = getattr(scheduler_class(crawler.settings), "is_durable", False)
        if crawl is None or crawl.task.merge is None or is_durable:
            raise NotConfigured
        return cls(crawler)

    def process_request(self, request: Request) -> Request | None:
        """Pass a request on, end it, or push it back."""
        waiting, meta = self._waiting(), request.meta
        # A retry has to pass, and so has whatever is asked for about a host.
        if waiting is None or (request.dont_filter and WAITS not in meta) or meta.get("dont_obey_robotstxt"):
            return None
        link = self._fingerprint(request)
        stats = self.crawler.stats
        if waiting.was_asked(link):
            stats.inc_value("focused/links/stale_count")
            request.errback = None  # nothing failed
            raise IgnoreRequest("pushed again and fetched")
        evidence = waiting.get(link)
        if evidence is not None and WAITS in meta:
            then = read_evidence(meta)
            change = to_priority(evidence.score, evidence.admitted) - to_priority(then.score, then.admitted)
            write_evidence(meta, evidence)
            if change < 0:
                stats.inc_value("focused/links/pushed_back_count")
                return request.replace(priority=request.priority + change, dont_filter=True)
        waiting.take(link)
        # From here on it is like any other: its retries pass, the dupefilter sees where it redirects to.
        meta.pop(WAITS, None)
        request.dont_filter = False
        return None

    def _waiting(self) -> WaitingLinks | None:
        """Return the links that wait in Scrapy's scheduler; None where another scheduler holds them."""
        frontier = frontier_of(self.crawler)
        return frontier.waiting if isinstance(frontier, ScrapyFrontier) else None
