"""The seam between Scrapy and strategies: no formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from focused.frontier.priority import to_priority
from focused.items import PageItem
from focused.strategies import REASONS

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from focused.crawl import Crawl
    from focused.relevance import PageRelevance


class LinkScoringMiddleware(BaseSpiderMiddleware):
    """Gives every link its score before it is asked for, and the page's item its relevance.

    The page is judged once, in one product of all its text units; the spider's requests then take their scores from
    there. The score becomes the request's priority, added to what other middlewares gave it (Scrapy's DEPTH_PRIORITY).
    A link below the threshold is dropped or deferred, as FOCUSED_BELOW_THRESHOLD says.

    Place: 850, after Scrapy's DepthMiddleware (900) has set the depth and dropped what is too deep.

    Settings: FOCUSED_LINK_SCORING_ENABLED; the plan of the spider holds the others.

    Meta, written to each request: ``focused_link_score``, ``focused_link_reason``, ``focused_referrer``,
    ``focused_irrelevant_on_path``.

    Stats: ``focused/links/scored_count``; of the requests that go on, ``focused/links/by_REASON_count``,
    ``focused/links/deferred_count``; ``focused/links/dropped_count``; ``focused/page/cut_NAME_count`` and
    ``focused/links/refused_REASON_count`` for what a page's limits and its own links lost.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        super().__init__(crawler)
        self.crawl = crawl
        self._drops = crawl.plan.drops_below_threshold
        self._response: Response | None = None  # the one that the following is about
        self._relevance: PageRelevance | None = None
        self._links: dict[str, int] = {}
        self._scores: list[float] = []
        self._reasons: list[int] = []
        self._admitted: list[bool] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Switch off if the settings say so."""
        crawl = getattr(crawler.spider, "crawl", None)
        if not crawler.settings.getbool("FOCUSED_LINK_SCORING_ENABLED") or crawl is None:
            raise NotConfigured
        return cls(crawler, crawl)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Attach the relevance that was computed together with the link scores."""
        if isinstance(item, PageItem) and response is not None and item.analysed is not None:
            self._look_at(response)
            if self._relevance is not None:
                item.relevance, item.relevant = self._relevance.page, self._relevance.is_relevant
        return item

    def get_processed_request(self, request: Request, response: Response | None) -> Request | None:
        """Give a link its priority, or drop it."""
        if response is None:
            return request
        self._look_at(response)
        number = self._links.get(request.url)
        if number is None or self._relevance is None:
            return request  # not a link of the page as we read it
        admitted = self._admitted[number]
        stats = self.crawler.stats
        if not admitted and self._drops:
            stats.inc_value("focused/links/dropped_count")
            return None
        score, reason = self._scores[number], REASONS[self._reasons[number]]
        stats.inc_value(f"focused/links/by_{reason}_count" if admitted else "focused/links/deferred_count")
        request.priority += to_priority(score, admitted)
        request.meta["focused_link_score"] = score
        request.meta["focused_link_reason"] = reason
        request.meta["focused_referrer"] = response.url
        request.meta["focused_irrelevant_on_path"] = response.meta.get("focused_irrelevant_on_path", 0) + (
            not self._relevance.is_relevant
        )
        self.crawl.remember(request.url)
        return request

    def _look_at(self, response: Response) -> None:
        """Judge the page of a response unless that is what was done last."""
        if response is self._response:
            return
        self._response, self._relevance, self._links = response, None, {}
        page = self.crawl.page(response)
        if page is None:
            return
        self._relevance, scores = self.crawl.judge(page)
        self._links = page.link_numbers
        self._scores = scores.scores.tolist()
        self._reasons = scores.reasons.tolist()
        self._admitted = scores.admitted.tolist()
        stats = self.crawler.stats
        stats.inc_value("focused/links/scored_count", len(self._scores))
        for what, count in page.cuts.items():
            name = f"links/refused_{what[6:]}" if what.startswith("links_") else f"page/cut_{what}"
            stats.inc_value(f"focused/{name}_count", count)
