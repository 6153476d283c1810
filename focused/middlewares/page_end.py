"""Keeps the links of a page until its item has passed the pipelines: :mod:`focused.pipelines.page_end` ends the page then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request

from focused.crawl.source_requests import CALLBACK
from focused.frontier.completion import EndedPage
from focused.frontier.durable_frontier import completion_of
from focused.items import PageItem
from focused.utils.reactor import yield_to_reactor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

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
        completion = completion_of(self.crawler)
        lease = None if completion is None else completion.lease_of(response)
        if completion is None or lease is None:
            async for each in result:
                yield each
            return
        page, item, n_links = EndedPage(lease), None, 0
        try:
            async for each in result:
                if isinstance(each, PageItem) and item is None:
                    item = each
                elif not isinstance(each, Request) or not completion.hold(each, page):
                    yield each
                else:
                    n_links += 1
                    if not n_links % _SLICE_LINKS:
                        await yield_to_reactor()
        except Exception as error:
            said = f"exception: {type(error).__name__}"
            if item is None:
                page.note = said
                await completion.page_ended(page)
            else:  # what a spider hands over before it fails counts, as Scrapy has it
                page.remark = said
                yield _with_end(item, page)
            raise
        if item is None:
            page.note = lease.note if 200 <= response.status < 300 else f"HTTP {response.status}"
            page.remark = _source(response)
            await completion.page_ended(page)
            return
        yield _with_end(item, page)


def _with_end(item: PageItem, page: EndedPage) -> PageItem:
    """Let an item carry the end of its page through the pipelines."""
    page.updated_links = item.updated_links
    item.ended_page = page
    return item


def _source(response: Response) -> str:
    """Return what kind of link source a response was asked for as; empty for all others."""
    callback = None if response.request is None else response.request.callback
    return str(response.cb_kwargs.get("kind", "")) if getattr(callback, "__name__", "") == CALLBACK else ""
