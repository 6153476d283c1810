"""Where a page ends: its item has passed the pipelines, its links are taken in, and all of it is committed at once.

A commit for one page may hold nothing of another, so a page's links are kept until its item has passed the pipelines. From
there to the commit no other item passes them, and no request is handed out. (Pipelines that wait for something let other
items in between: such a page may be counted twice after a crash, but it is never lost.)
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import DropItem
from scrapy.pipelines import ItemPipelineManager

from focused.crawl.source_requests import CALLBACK
from focused.frontier.completion import Completion, EndedPage, MetText
from focused.frontier.durable_frontier import DurableFrontier
from focused.frontier.interface import crawl_of
from focused.items import PageItem
from focused.utils.reactor import yield_to_reactor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

logger = logging.getLogger(__name__)

_SLICE_LINKS = 250
"""So many links of a page are prepared at a time, some 20 ms. Then the reactor has its turn."""


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
        ending = completion_of(self.crawler)
        lease = None if ending is None else ending.lease_of(response)
        if ending is None or lease is None:
            async for each in result:
                yield each
            return
        page, item, n_links = EndedPage(lease), None, 0
        try:
            async for each in result:
                if isinstance(each, PageItem) and item is None:
                    item = each
                elif not isinstance(each, Request) or not ending.keeps(each, page):
                    yield each
                else:
                    n_links += 1
                    if not n_links % _SLICE_LINKS:
                        await yield_to_reactor()
        except Exception as error:
            page.note = f"exception: {type(error).__name__}"
            await ending.page_ended(page)
            raise
        if item is None:
            page.note = lease.note if 200 <= response.status < 300 else f"HTTP {response.status}"
            page.remark = _source(response)
            await ending.page_ended(page)
            return
        page.joined = item.joined
        item.ended_page = page
        yield item


def _source(response: Response) -> str:
    """Return what kind of link source a response was asked for as; empty for all others."""
    callback = None if response.request is None else response.request.callback
    return str(response.cb_kwargs.get("kind", "")) if getattr(callback, "__name__", "") == CALLBACK else ""


class PageEndItems(ItemPipelineManager):
    """Scrapy's item pipelines, and the end of the page after the last of them (setting ITEM_PROCESSOR)."""

    #: Whether links that wait for the end of their page come to it: see focused.crawl.scrapy_settings.
    ends_pages = True

    async def process_item_async(self, item: Any) -> Any:
        """Send an item through the pipelines once no page is about to end."""
        ending = completion_of(self.crawler)
        if ending is None:
            return await super().process_item_async(item)
        await ending.no_page_ends()
        counted: tuple[str, ...] = ()
        try:
            passed = await super().process_item_async(item)
            counted = ("item_scraped_count",)
            return passed
        except DropItem as dropped:
            counted = ("item_dropped_count", f"item_dropped_reasons_count/{type(dropped).__name__}")
            raise
        finally:
            page = item.ended_page if isinstance(item, PageItem) else None
            if isinstance(page, EndedPage):
                relevant = bool(item.relevant) and not item.duplicate_of
                item.ended_page, page.relevant, page.counted = None, relevant, counted
                page.text = MetText(item.known_as, item.duplicate_of, item.referrer, item.text_sketch)
                if item.scores is not None and (language := item.scores.relevance.other_language):
                    page.remark = f"in another language: {language}"
                elif item.duplicate_of:
                    page.remark = f"a copy of {item.duplicate_of}"
                await ending.page_ended(page)
            else:
                ending.will_count(counted)

    async def close_spider_async(self) -> None:
        """Let pipelines change what is delivered while all others still listen (``before_close``), then close all."""
        for pipeline in self.middlewares:
            if callable(before_close := getattr(pipeline, "before_close", None)):
                try:
                    await before_close()
                except Exception:
                    logger.exception("A pipeline failed before it was closed")
        await super().close_spider_async()

    async def process_late_item(self, item: Any) -> Any:
        """Send the item of a page that ended long ago through the pipelines, once no page is about to end."""
        ending = completion_of(self.crawler)
        if ending is not None:
            await ending.no_page_ends()
        return await super().process_item_async(item)


def completion_of(crawler: Crawler | None) -> Completion | None:
    """Return what ends the pages of a crawl on the durable frontier; None where Scrapy's scheduler holds the links."""
    crawl = None if crawler is None else crawl_of(crawler)
    frontier = None if crawl is None else crawl.frontier
    return frontier.completion if isinstance(frontier, DurableFrontier) else None
