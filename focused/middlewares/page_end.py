"""Where a page ends: its item has passed the pipelines, its links are taken in, and all of it is committed at once.

Responses are processed side by side. So that a commit for one page holds nothing of another, a page's links are kept
until its item has passed the pipelines; from there to the commit no other item passes them, and no request is handed out
(pipelines that wait for something let others in between: a page may then be counted twice after a crash, never lost).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import DropItem
from scrapy.pipelines import ItemPipelineManager

from focused.items import PageItem
from focused.method.scoring.page_scores import PAGE_SCORES
from focused.utils.reactor import yield_to_reactor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from focused.frontier.leases import Lease
    from focused.frontier.scheduler import FrontierScheduler
    from focused.frontier.store.link import Link


_SLICE_LINKS = 250
"""So many links of a page are made ready in one go, some 20 ms: then whatever else waits has its turn."""


class PageEndItems(ItemPipelineManager):
    """Scrapy's item pipelines, and the end of the page after the last of them (setting ITEM_PROCESSOR)."""

    async def process_item_async(self, item: Any) -> Any:
        """Send an item through the pipelines, when no page is about to end."""
        frontier = _frontier(self.crawler)
        if frontier is not None:
            await frontier.ends.ending.free()
        counted: tuple[str, ...] = ()
        try:
            passed = await super().process_item_async(item)
            counted = ("item_scraped_count",)
            return passed
        except DropItem as dropped:
            counted = ("item_dropped_count", f"item_dropped_reasons_count/{type(dropped).__name__}")
            raise
        finally:
            if frontier is not None:
                await frontier.ends.item_ended(item, counted)


class PageEndMiddleware:
    """Spider middleware that keeps the links of a page for its end. With Scrapy's own scheduler it lets all pass.

    Place: 10, after all others that have a say in a page's links.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Take the crawler along."""
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on what is no link of the page, then its item."""
        page = _Page.of(self.crawler, response)
        if page is None:
            async for each in result:
                yield each
            return
        try:
            async for each in result:
                if not page.keeps(each):
                    yield each
                elif page.n_links and not page.n_links % _SLICE_LINKS:
                    await yield_to_reactor()
        except Exception as error:
            await page.fails(error)
            raise
        for each in await page.ends(response):
            yield each


class _Page:
    """What a response has given so far."""

    def __init__(self, frontier: FrontierScheduler, lease: Lease) -> None:
        self._frontier = frontier
        self._lease = lease
        self._links: list[tuple[Request, Link]] = []
        #: How many links it has given, some of which may be nobody's business.
        self.n_links = 0
        self._item: PageItem | None = None

    @classmethod
    def of(cls, crawler: Crawler, response: Response) -> Self | None:
        frontier = _frontier(crawler)
        lease = None if frontier is None else frontier.lease_of(response)
        return None if frontier is None or lease is None else cls(frontier, lease)

    def keeps(self, each: Any) -> bool:
        if isinstance(each, Request) and self._frontier.intake.can_wait(each):
            self.n_links += 1
            link = self._frontier.intake.prepare(each)
            if link is not None:
                self._links.append((each, link))
            return True
        if isinstance(each, PageItem) and self._item is None:
            self._item = each
            return True
        return False

    async def ends(self, response: Response) -> list[PageItem]:
        if self._item is not None:
            looked = response.meta.get(PAGE_SCORES)
            again = [] if looked is None else looked.again
            self._frontier.ends.stage(self._lease, self._item, self._links, again)
            return [self._item]
        note = "" if 200 <= response.status < 300 else f"HTTP {response.status}"
        await self._frontier.ends.page_ended(self._lease, self._links, relevant=None, note=note)
        return []

    async def fails(self, error: Exception) -> None:
        await self._frontier.ends.page_ended(
            self._lease, self._links, relevant=None, note=f"exception: {type(error).__name__}"
        )


def _frontier(crawler: Crawler | None) -> FrontierScheduler | None:
    frontier: FrontierScheduler | None = getattr(getattr(crawler and crawler.spider, "crawl", None), "frontier", None)
    return frontier
