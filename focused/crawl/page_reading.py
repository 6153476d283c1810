"""From a response to an analysed page, and to the links on it that may be followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.http import TextResponse

from focused.method.page.encoding import may_be_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from focused.method.page.page import Page as Page
    from focused.method.page.reader import PageReader


class PageReading:
    """Reads pages as the settings FOCUSED_NOFOLLOW_ENABLED and DEPTH_LIMIT say."""

    def __init__(self, reader: PageReader, settings: BaseSettings) -> None:
        self._reader = reader
        self._follows_nofollow = not settings.getbool("FOCUSED_NOFOLLOW_ENABLED")
        self._max_depth = settings.getint("DEPTH_LIMIT")

    def read(self, response: Response, content_type: str) -> Page | None:
        """Return the analysed page; None if the response is empty or binary."""
        if not isinstance(response, TextResponse) or not may_be_text(response.body):
            return None
        return self._reader.read(response.body, response.url, content_type)

    def followed(self, page: Page, depth: int) -> Mapping[str, int]:
        """Return the URLs that a page and the limit of depth let us follow, and their numbers among the page's links."""
        if 0 < self._max_depth <= depth:
            return {}
        if self._follows_nofollow or not (page.marked_text.nofollow or page.marked_text.nofollow_links):
            return page.link_numbers
        return {url: number for url, number in page.link_numbers.items() if not page.is_nofollow(page.links[number])}
