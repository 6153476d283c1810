"""Connects Scrapy and strategies: a page comes in, its item and the scored requests for its links go out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request

from focused.crawl.crawl import Crawl
from focused.crawl.judging_in_turn import JudgingInTurn
from focused.crawl.link_sources import REASONS as SOURCE_REASONS
from focused.crawl.link_sources import LinkSources
from focused.crawl.page_reading import NOT_READ, PageReading, RepeatedText, is_text
from focused.crawl.repeated_pages import count_repeated
from focused.crawl.soft_404_probes import PROBE, Soft404Probes
from focused.frontier.crawl_interface import frontier_of
from focused.items import LinkSource, PageItem
from focused.utils.crawl_settings import LINK_SCORING_ENABLED
from focused.utils.reactor import in_turns

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from focused.crawl.page_reading import Page
    from focused.method.scoring.page_scores import PageScores


class LinkScoringMiddleware:
    """Reads and judges each page that a spider hands over, passes its item on, and requests its links.

    The page is judged once, in one product of all its text units. A link's score becomes its request's priority, to which
    other middlewares may add (Scrapy's DEPTH_PRIORITY). A link below the threshold is dropped or deferred, as
    FOCUSED_BELOW_THRESHOLD says. Everything else that a spider yields passes untouched: its own requests keep their priority.

    Place: 950, so that Scrapy's DepthMiddleware (900) and those below it see the requests.

    Settings: FOCUSED_LINK_SCORING_ENABLED (False: all links get the same priority), FOCUSED_OBEY_NOINDEX,
    FOCUSED_NOFOLLOW_ENABLED, FOCUSED_COPIES, and those of the scope (FOCUSED_SCOPE_ALLOW, FOCUSED_SCOPE_DENY, DEPTH_LIMIT).

    Meta, written to each request: ``focused_link_score``, ``focused_link_reason``, ``focused_referrer``,
    ``focused_irrelevant_on_path``, and what :mod:`focused.method.scoring.link_meta` adds for strategies that need it.

    Stats: those of :mod:`focused.crawl.repeated_pages`, ``focused/pages/not_text_count``, ``focused/pages/not_read_count``,
    ``focused/links/scored_count``, ``focused/links/dropped_count``, ``focused/links/nofollow_count``,
    ``focused/scope/REASON_count``;
    ``focused/page/cut_NAME_count`` and ``focused/links/refused_REASON_count`` for what a page's limits and its own links
    lost.
    """

    def __init__(
        self,
        crawler: Crawler,
        *,
        reading: PageReading,
        sources: LinkSources,
        judging: JudgingInTurn,
        probes: Soft404Probes | None,
        drops: bool,
    ) -> None:
        self.crawler = crawler
        self._reading = reading
        self._sources = sources
        self._judging = judging
        self._probes = probes
        self._drops = drops
        self._is_scoring = LINK_SCORING_ENABLED.read(crawler.settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware from the parts of the crawl; switch it off for spiders that do not crawl for a topic."""
        crawl = Crawl.needed(crawler)
        repeated = RepeatedText(crawl.texts, crawl.furniture)
        reading = PageReading(crawl.plan.reader, crawl.plan.scope, crawler.settings, repeated)
        sources = LinkSources(crawler, crawl.plan.reader, crawl.judging, crawl.plan.scope)
        judging = JudgingInTurn(crawler, crawl.judging, crawl.harvest)
        probes = None if crawl.texts is None else Soft404Probes(crawler, crawl.plan.scope, crawl.texts)
        drops = crawl.plan.drops_below_threshold
        return cls(crawler, reading=reading, sources=sources, judging=judging, probes=probes, drops=drops)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Judge each page that comes, pass it on, and request its links."""
        async for each in result:
            if isinstance(each, LinkSource):
                async for request in self._requests_of_source(each, response):
                    yield request
            elif isinstance(each, PageItem):
                page = self._analyse(each, response)
                if page is not None:
                    for item_or_request in await self._judge(each, page, response):
                        yield item_or_request
            else:
                yield _without_link_meta(each)

    # --- The page

    def _analyse(self, item: PageItem, response: Response) -> Page | None:
        """Analyse a page; None where it was fetched before under another URL, or is empty or binary."""
        session, stats = self._judging.session, self.crawler.stats
        if frontier_of(self.crawler).note_fetched(item.known_as):
            count_repeated(item, response, stats)
            if session is not None and response.request is not None:
                session.note_same_page(response.request.url, item.known_as)
            return None
        page = self._reading.read(response, item.raw_type)
        if page is None:
            stats.inc_value(NOT_READ if is_text(response) else "focused/pages/not_text_count")
        else:
            item.attach(page)
        return page

    async def _judge(self, item: PageItem, page: Page, response: Response) -> Iterator[Any]:
        """Judge a page; return its item and the requests for its links, which are made one at a time."""
        directives = self._reading.directives(response, page)
        item.noindex = directives.noindex
        newness = self._compare(item, page)
        if self._is_scoring:
            item.scores = await self._judging.scores(page, response, newness=newness)
            self._note_irrelevant(item)
        followed = self._reading.links_to_follow(page, item.depth, directives)
        return self._item_and_requests(item, page, self._allowed_links(followed), follows=not directives.nofollow)

    def _compare(self, item: PageItem, page: Page) -> float:
        """Compare the text and the lines of a page with those of earlier pages. Return how new its text is, in [0, 1]."""
        copies, furniture = self._reading.repeated
        newness = 1.0
        if copies is not None and not item.noindex:  # what is not delivered has no copies
            comparison = copies.find_copy_or_remember(page, item.known_as, item.referrer)
            if self._probes is not None:
                comparison = self._probes.as_copy_of_answer(item, page, comparison)
            item.duplicate_of, item.text_repeats, item.text_sketch, newness = comparison
        if furniture is not None:
            item.repeated_lines = furniture.mark_and_learn(page, item.known_as, is_copy=bool(item.duplicate_of))
        return newness

    def _note_irrelevant(self, item: PageItem) -> None:
        """Note that a page is irrelevant, so that its later copies are, too."""
        copies, scores = self._reading.repeated.copies, item.scores
        is_relevant = scores is None or scores.relevance.is_relevant
        if copies is not None and item.text_sketch and not (is_relevant or item.duplicate_of):
            copies.note_irrelevant(item.known_as)

    def _item_and_requests(
        self, item: PageItem, page: Page, links: Mapping[str, int], *, follows: bool
    ) -> Iterator[Any]:
        """Yield a page's item, the requests for its links, and those for the sitemap of a host with relevant pages."""
        scores = item.scores
        sorted_links = frontier_of(self.crawler).sort_links(links, scores)
        # A copy says nothing new of the links that are known.
        item.updated_links = () if item.duplicate_of else sorted_links.updated_links
        yield item
        yield from self._requests(scores, {url: links[url] for url in sorted_links.new}, self._callback(item))
        if scores is not None and (scores.relevance.is_relevant or not item.depth):
            yield from self._sources.requests.of_page(page, follows=follows)
        if self._probes is not None:
            yield from self._probes.of_page(item)
        self._count(page, scores)

    # --- Its links

    async def _requests_of_source(self, source: LinkSource, response: Response) -> AsyncIterator[Request]:
        """Yield the requests for the links of a sitemap or feed, scored like those of a page; of an index, for sitemaps."""
        if source.kind == PROBE:
            if self._probes is not None:
                self._probes.answered(response, self._reading.read(response, _type_of(response)))
            return
        found = await in_turns(self._sources.read_in_steps(response))
        directives = self._reading.directives(response)
        if found is None or directives.nofollow:
            return
        for request in await in_turns(self._sources.nested_requests(found, source, response)):
            yield request
        page = await in_turns(self._sources.page_of_links(found, response))
        if page is None:
            return
        scores = await self._judging.scores(page, response, is_source=True)
        scores = scores.of_source(SOURCE_REASONS[found.kind])
        links = self._allowed_links(self._reading.links_to_follow(page, scores.visit.depth))
        new = frontier_of(self.crawler).sort_links(links, None).new
        for request in self._requests(scores, {url: links[url] for url in new}, None):
            yield request
        self._count(page, scores)

    def _allowed_links(self, followed: tuple[Mapping[str, int], Mapping[str, int]]) -> Mapping[str, int]:
        """Return the links that may be followed; count the others."""
        links, left_out = followed
        for stat, n_links in left_out.items():
            self.crawler.stats.inc_value(stat, n_links)
        return links

    def _requests(self, scores: PageScores | None, links: Mapping[str, int], callback: Any) -> Iterator[Request]:
        """Yield the requests for new links of a page, each with its score as priority."""
        frontier = frontier_of(self.crawler)
        for url, number in links.items():
            if scores is not None and self._drops and not scores.admitted[number]:
                self.crawler.stats.inc_value("focused/links/dropped_count")
                continue
            request = frontier.request(url, None if scores is None else scores.evidence(number))
            if request is not None:
                request.callback = callback
                yield request

    def _callback(self, item: PageItem) -> Any:
        """Return the spider's method that gets the pages of an item's links; None: ``parse``."""
        name = item.links_callback
        if name is None:
            return None
        if not callable(method := getattr(self.crawler.spider, name, None)):
            raise ValueError(f"The callback of {type(item).__name__} must be a method of the spider. Got {name!r}.")
        return method

    def _count(self, page: Page, scores: PageScores | None) -> None:
        """Count what a page's limits and its own links lost, and what the strategy has learnt."""
        stats = self.crawler.stats
        for what, count in page.cuts.items():
            name = f"links/refused_{what[6:]}" if what.startswith("links_") else f"page/cut_{what}"
            stats.inc_value(f"focused/{name}_count", count)
        if scores is not None:
            stats.inc_value("focused/links/scored_count", len(scores.scores))
        if self._judging.session is not None:
            for name, value in self._judging.session.figures.items():
                stats.set_value(name, value)


def _type_of(response: Response) -> str:
    """Return the Content-Type of a response."""
    return (response.headers.get("Content-Type") or b"").decode("latin-1")


def _without_link_meta(result: Any) -> Any:
    """Return what a spider yields. A request whose meta was copied from a response loses what that says of another link."""
    if isinstance(result, Request):
        for key in [key for key in result.meta if str(key).startswith("focused_")]:
            del result.meta[key]
    return result
