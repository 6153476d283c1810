"""`KnownTexts`: finds pages of a crawl that are copies of pages that it met before."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from focused.method.page.copy_index import MAX_PAGES, CopyIndex
from focused.method.page.near_copies import TermHashes, TextSketch, sketch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from focused.method.page.page import Page
    from focused.method.topic import Analyzer

logger = logging.getLogger(__name__)


class KnownTexts:
    """The texts of the pages met, the latest ``max_pages``: some 600 bytes each.

    A page is remembered when it is looked at, and durable when it ends: see `focused.frontier.store.texts`.
    """

    def __init__(self, analyzer: Analyzer, max_pages: int = MAX_PAGES) -> None:
        self._hashes = TermHashes(analyzer.table)
        self._index = CopyIndex(max_pages)
        self._max_pages = max_pages
        self._urls: list[str] = []

    def find_copy_or_remember(self, page: Page, url: str) -> tuple[str, bytes]:
        """Return the URL of the page that a page is a copy of, and nothing; or "" and what to keep of a text that is new.

        A new text is remembered: later pages are compared with it.
        ``url``: the page's own. A page without words is no copy, and nothing is kept of it.
        """
        text = sketch(page, self._hashes)
        if text is None:
            return "", b""
        first = self._meet(text, url)
        return (first, b"") if first not in ("", url) else ("", text.to_bytes())

    def restore(self, texts: Iterable[tuple[str, bytes]]) -> None:
        """Take up the texts of an earlier run: URL, and what was kept."""
        n_bad = 0
        for url, data in texts:
            try:
                self._meet(TextSketch.from_bytes(data), url)
            except ValueError as error:
                n_bad += 1
                if n_bad == 1:
                    logger.warning(
                        "The stored text of %s cannot be read: %s A copy of it will count as new.", url, error
                    )

    def _meet(self, text: TextSketch, url: str) -> str:
        """Return the URL of the page with this text; "" where it is new, and is remembered."""
        number, is_copy = self._index.meet(text)
        if is_copy:
            return self._urls[number % self._max_pages]
        place = number % self._max_pages
        if place == len(self._urls):
            self._urls.append(url)
        else:
            self._urls[place] = url
        return ""
