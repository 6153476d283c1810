"""The seam between Scrapy and strategies: no formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from focused.items import PageItem
from focused.method.scoring import REASONS, Evidence, Visit
from focused.method.scoring.link_meta import WAITS, write_evidence
from focused.method.scoring.page_scores import PAGE_SCORES, PageScores
from focused.method.scoring.priority import to_priority
from focused.utils.reactor import in_turns, yield_to_reactor
from focused.utils.steps import finish

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Generator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from focused.crawl.state import Crawl
    from focused.method.page.page import Page

_MANY_LINKS = 1_000
"""A page with more is judged in several turns of the reactor: learning from 10,000 links takes 0.2 s."""


class LinkScoringMiddleware(BaseSpiderMiddleware):
    """Gives every link its score before it is asked for, and the page's item its relevance.

    The page is judged once, in one product of all its text units; the spider's requests then take their scores from
    there. The score becomes the request's priority, added to what other middlewares gave it (Scrapy's DEPTH_PRIORITY).
    A link below the threshold is dropped or deferred, as FOCUSED_BELOW_THRESHOLD says.

    Place: 850, after Scrapy's DepthMiddleware (900) has set the depth and dropped what is too deep.

    Settings: FOCUSED_LINK_SCORING_ENABLED; the plan of the spider holds the others.

    Meta, written to each request: ``focused_link_score``, ``focused_link_reason``, ``focused_referrer``,
    ``focused_irrelevant_on_path``, and what :mod:`focused.method.scoring.link_meta` adds for strategies that need it.

    Stats: ``focused/links/scored_count``; of the requests that go on, ``focused/links/by_REASON_count``,
    ``focused/links/deferred_count``; ``focused/links/dropped_count``; ``focused/links/merged_count`` for links found
    again while they waited, and of those ``focused/links/pushed_again_count``, with Scrapy's own queues;
    ``focused/page/cut_NAME_count`` and ``focused/links/refused_REASON_count`` for what a page's limits and its own links
    lost.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        super().__init__(crawler)
        self.crawl = crawl
        self._drops = crawl.plan.drops_below_threshold
        # Scrapy's DepthMiddleware sees no links that are joined without a request.
        self._max_depth = crawler.settings.getint("DEPTH_LIMIT")
        assert crawler.request_fingerprinter is not None
        self._fingerprint = crawler.request_fingerprinter.fingerprint

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Switch off if the settings say so."""
        crawl = getattr(crawler.spider, "crawl", None)
        if not crawler.settings.getbool("FOCUSED_LINK_SCORING_ENABLED") or crawl is None:
            raise NotConfigured
        return cls(crawler, crawl)

    async def process_spider_output_async(  # type: ignore[override]  # Scrapy is about to take the argument spider away
        self, response: Response | None, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Judge the page before its links come; if they are many, in as many turns as that takes."""
        async for each in result:
            if isinstance(each, PageItem) and response is not None and each.analysed is not None:
                await self._look_in_turn(response, each.analysed)
            processed = self._get_processed(each, response)
            if processed is not None:
                yield processed

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Attach the relevance that was computed together with the link scores."""
        if isinstance(item, PageItem) and response is not None and item.analysed is not None:
            looked = self._look_at(response)
            if looked is not None:
                item.relevance, item.relevant = looked.relevance.page, looked.relevance.is_relevant
                item.model_version = looked.model_version
        return item

    def get_processed_request(self, request: Request, response: Response | None) -> Request | None:
        """Give a link its priority, or drop it."""
        if response is None:
            return request
        looked = self._look_at(response)
        number = None if looked is None else looked.links.get(request.url)
        if looked is None or number is None:
            return request  # not a link of the page as we read it
        if request.url in looked.noted:
            return None  # the frontier knows
        waiting = self.crawl.waiting
        link = b""
        if waiting is not None:
            link = self._fingerprint(request)
            if waiting.was_asked(link):
                self.crawl.remember(request.url)
                return None  # under another spelling, as the target of a redirect, or a moment ago
            known = waiting.get(link)
            if known is not None:
                return self._join(request, link, known, looked.evidence(number))
        if self._drops and not looked.admitted[number]:
            self.crawler.stats.inc_value("focused/links/dropped_count")
            return None
        evidence = looked.evidence(number)
        if waiting is not None and waiting.put(link, request.url, evidence):
            request.meta[WAITS] = True
        if self.crawl.frontier is not None and self._is_counted(request):
            request.priority += to_priority(evidence.score, evidence.admitted)
            write_evidence(request.meta, evidence)
            return request  # the frontier joins what this page says
        self.crawl.remember(request.url)
        return self._scored(request, evidence)

    def _is_counted(self, request: Request) -> bool:
        """Tell whether a link was asked for before, in this part of the crawl or in an earlier one."""
        if self.crawl.is_known(request.url):
            return True
        if not self.crawl.frontier.was_asked(request):
            return False
        self.crawl.remember(request.url)
        return True

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
        merged = self.crawl.waiting.merge(known, new)
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

    async def _look_in_turn(self, response: Response, page: Page) -> None:
        """Judge a page after those that came before it; one with many links in steps, so that others have their turn."""
        crawl, is_large = self.crawl, page.n_links > _MANY_LINKS
        if PAGE_SCORES in response.meta or not (is_large or crawl.judging.is_taken):
            return  # it is judged when it is asked for
        async with crawl.judging:
            if is_large:
                await yield_to_reactor()  # to read it was a long step, too
                await in_turns(self._looking(response, page))
            else:
                self._look_at(response)
        if is_large:
            await yield_to_reactor()

    def _look_at(self, response: Response) -> PageScores | None:
        """Judge the page of a response, and count its links, once: the results of many come here by turns."""
        if PAGE_SCORES in response.meta:
            looked: PageScores | None = response.meta[PAGE_SCORES]
            return looked
        page = self.crawl.page(response)
        if page is None:
            response.meta[PAGE_SCORES] = None
            return None
        return finish(self._looking(response, page))

    def _looking(self, response: Response, page: Page) -> Generator[int, None, PageScores]:
        """Judge a page, and count its links."""
        session, version = self.crawl.session, self.crawl.model_version
        urls = () if session is None else self.crawl.urls_of(response)
        visit = Visit(response.meta.get("depth", 0), response.meta.get("focused_carried"), self.crawl.n_judged, urls)
        relevance, scores = yield from self.crawl.judge(page, visit)
        looked = response.meta[PAGE_SCORES] = PageScores.on(response, relevance, page, scores, version)
        if self.crawl.merges:
            self._sift(page, looked)
        stats = self.crawler.stats
        stats.inc_value("focused/links/scored_count", len(looked.scores))
        if session is not None:
            for name, value in session.figures.items():
                stats.set_value(name, value)
        for what, count in page.cuts.items():
            name = f"links/refused_{what[6:]}" if what.startswith("links_") else f"page/cut_{what}"
            stats.inc_value(f"focused/{name}_count", count)
        return looked

    def _sift(self, page: Page, looked: PageScores) -> None:
        """Note of a page's links which are to be asked for, and which of those that wait are to be joined."""
        crawl, memory = self.crawl, self.crawl.memory
        n_before = 0 if memory is None else memory.n_passed
        crawl.sift(page, looked, joins=not 0 < self._max_depth < looked.depth)
        if memory is not None and memory.n_passed > n_before:
            what = "links" if crawl.frontier is None else "frontier"
            self.crawler.stats.inc_value(f"focused/{what}/merged_count", memory.n_passed - n_before)
