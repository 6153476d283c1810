"""The seam between Scrapy and strategies: no formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from focused.frontier.priority import to_priority
from focused.items import PageItem
from focused.link_meta import WAITS, write_evidence
from focused.strategies import REASONS, Evidence, Visit

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from focused.crawl import Crawl
    from focused.relevance import PageRelevance


_LOOKED = "focused_looked"


@dataclass(frozen=True, slots=True)
class _Looked:
    """What was found on a page: lists with an entry for each link, and the place of each link's URL in them."""

    relevance: PageRelevance
    links: dict[str, int]
    scores: list[float]
    reasons: list[int]
    admitted: list[bool]
    carried: list[float] | None
    parts: list[list[float]] | None


class LinkScoringMiddleware(BaseSpiderMiddleware):
    """Gives every link its score before it is asked for, and the page's item its relevance.

    The page is judged once, in one product of all its text units; the spider's requests then take their scores from
    there. The score becomes the request's priority, added to what other middlewares gave it (Scrapy's DEPTH_PRIORITY).
    A link below the threshold is dropped or deferred, as FOCUSED_BELOW_THRESHOLD says.

    Place: 850, after Scrapy's DepthMiddleware (900) has set the depth and dropped what is too deep.

    Settings: FOCUSED_LINK_SCORING_ENABLED; the plan of the spider holds the others.

    Meta, written to each request: ``focused_link_score``, ``focused_link_reason``, ``focused_referrer``,
    ``focused_irrelevant_on_path``, and what :mod:`focused.link_meta` adds for strategies that need it.

    Stats: ``focused/links/scored_count``; of the requests that go on, ``focused/links/by_REASON_count``,
    ``focused/links/deferred_count``; ``focused/links/dropped_count``; ``focused/links/merged_count`` and
    ``focused/links/pushed_again_count`` for links that wait and are found again, where the strategy merges;
    ``focused/page/cut_NAME_count`` and ``focused/links/refused_REASON_count`` for what a page's limits and its own links
    lost.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        super().__init__(crawler)
        self.crawl = crawl
        self._drops = crawl.plan.drops_below_threshold
        assert crawler.request_fingerprinter is not None
        self._fingerprint = crawler.request_fingerprinter.fingerprint

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
            looked = self._look_at(response)
            if looked is not None:
                item.relevance, item.relevant = looked.relevance.page, looked.relevance.is_relevant
        return item

    def get_processed_request(self, request: Request, response: Response | None) -> Request | None:
        """Give a link its priority, or drop it."""
        if response is None:
            return request
        looked = self._look_at(response)
        number = None if looked is None else looked.links.get(request.url)
        if looked is None or number is None:
            return request  # not a link of the page as we read it
        waiting = self.crawl.waiting
        link = b""
        if waiting is not None:
            link = self._fingerprint(request)
            if waiting.was_asked(link):
                self.crawl.remember(request.url)
                return None  # under another spelling, as the target of a redirect, or a moment ago
            known = waiting.get(link)
            if known is not None:
                return self._join(request, link, known, _evidence(looked, number, response))
        if self._drops and not looked.admitted[number]:
            self.crawler.stats.inc_value("focused/links/dropped_count")
            return None
        evidence = _evidence(looked, number, response)
        if waiting is not None and waiting.put(link, request.url, evidence):
            request.meta[WAITS] = True
        if self.crawl.frontier is not None and self.crawl.is_known(request.url):
            request.priority += to_priority(evidence.score, evidence.admitted)
            write_evidence(request.meta, evidence)
            return request  # it is counted already; the frontier joins what this page says
        self.crawl.remember(request.url)
        return self._scored(request, evidence)

    def _scored(self, request: Request, evidence: Evidence) -> Request:
        """Write on a request what is known of its link."""
        what = f"by_{REASONS[evidence.reason]}" if evidence.admitted else "deferred"
        self.crawler.stats.inc_value(f"focused/links/{what}_count")
        request.priority += to_priority(evidence.score, evidence.admitted)
        write_evidence(request.meta, evidence)
        return request

    def _join(self, request: Request, link: bytes, known: Evidence, new: Evidence) -> Request | None:
        """Push a link again if this page makes it better; the request that waits is then one too many."""
        assert self.crawl.waiting is not None
        stats = self.crawler.stats
        stats.inc_value("focused/links/merged_count")
        merged = self.crawl.plan.strategy.merge(known, new)
        levels = [to_priority(each.score, each.admitted) for each in (known, merged)]
        is_better = levels[1] > levels[0]
        self.crawl.waiting.put(link, request.url, merged)
        self.crawl.remember(request.url)
        if not is_better:
            return None
        stats.inc_value("focused/links/pushed_again_count")
        request.dont_filter = True  # the dupefilter has seen the one that waits
        request.meta[WAITS] = True
        if merged.admitted and not known.admitted:
            stats.inc_value("focused/links/deferred_count", -1)
            return self._scored(request, merged)
        request.priority += levels[1]
        write_evidence(request.meta, merged)
        return request

    def _look_at(self, response: Response) -> _Looked | None:
        """Judge the page of a response, and count its links, once: the results of many come here by turns."""
        if _LOOKED in response.meta:
            looked: _Looked | None = response.meta[_LOOKED]
            return looked
        page = self.crawl.page(response)
        if page is None:
            response.meta[_LOOKED] = None
            return None
        session = self.crawl.session
        urls = () if session is None else self.crawl.urls_of(response)
        visit = Visit(response.meta.get("depth", 0), response.meta.get("focused_carried"), self.crawl.n_judged, urls)
        relevance, scores = self.crawl.judge(page, visit)
        looked = response.meta[_LOOKED] = _Looked(
            relevance,
            page.link_numbers,
            scores.scores.tolist(),
            scores.reasons.tolist(),
            scores.admitted.tolist(),
            None if scores.carried is None else scores.carried.tolist(),
            None if scores.parts is None else scores.parts.tolist(),
        )
        stats = self.crawler.stats
        stats.inc_value("focused/links/scored_count", len(looked.scores))
        if session is not None:
            for name, value in session.figures.items():
                stats.set_value(name, value)
        for what, count in page.cuts.items():
            name = f"links/refused_{what[6:]}" if what.startswith("links_") else f"page/cut_{what}"
            stats.inc_value(f"focused/{name}_count", count)
        return looked


def _evidence(looked: _Looked, number: int, response: Response) -> Evidence:
    """Return what a page says of one of its links."""
    return Evidence(
        score=looked.scores[number],
        reason=looked.reasons[number],
        admitted=looked.admitted[number],
        referrer=response.url,
        depth=response.meta.get("depth", 0) + 1,
        irrelevant_on_path=response.meta.get("focused_irrelevant_on_path", 0) + (not looked.relevance.is_relevant),
        carried=None if looked.carried is None else looked.carried[number],
        parts=() if looked.parts is None else tuple(looked.parts[number]),
    )
