"""Ends a page after Scrapy's item pipelines: its links enter the frontier, and all is committed at once.

A commit holds whole pages only. So the links of a page wait until its item has passed the pipelines
(:mod:`focused.middlewares.page_end`). From then until the links are in, no other item passes the pipelines, and no request
is handed out. (Pipelines that wait for something let other items in between. Then a page may be counted twice after a crash,
but it is never lost.)
"""

from __future__ import annotations

import logging
from typing import Any

from scrapy.exceptions import DropItem
from scrapy.pipelines import ItemPipelineManager

from focused.frontier.completion import EndedPage, PageText
from focused.frontier.durable_frontier import completion_of
from focused.items import PageItem

logger = logging.getLogger(__name__)


class PageEndItems(ItemPipelineManager):
    """Scrapy's item pipelines, and the end of the page after the last of them (setting ITEM_PROCESSOR)."""

    #: Whether links that wait for the end of their page come to it: see focused.crawl.scrapy_settings.
    ends_pages = True

    async def process_item_async(self, item: Any) -> Any:
        """Send an item through the pipelines once no page is about to end."""
        ending = completion_of(self.crawler)
        if ending is None:
            return await super().process_item_async(item)
        await ending.wait_until_no_page_ends()
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
                page.text = PageText(item.known_as, item.text_repeats, item.referrer, item.text_sketch)
                if item.scores is not None and (language := item.scores.relevance.other_language):
                    page.remark = f"in another language: {language}"
                elif item.duplicate_of:
                    page.remark = f"a copy of {item.duplicate_of}"
                await ending.page_ended(page)
            else:
                ending.count_ahead(counted)

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
            await ending.wait_until_no_page_ends()
        return await super().process_item_async(item)
