"""Cache analysed pages, because many crawls fetch the same pages."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focused.method.page.page import Page
    from focused.method.page.reader import PageReader

MAX_BYTES = 48_000_000
"""Bytes of HTML; the analysed pages take about as much again."""


class PageCache:
    """Analysed pages; the least recently used are dropped first.

    ``max_bytes``: total length of the bodies of the cached pages.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self._n_bytes = 0
        self._pages: OrderedDict[tuple[str, str | None, bytes], tuple[Page, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._pages)

    def get(self, url: str, content_type: str | None, body: bytes) -> tuple[Page, float] | None:
        """Return a page and the CPU seconds of its analysis."""
        key = (url, content_type, body)
        found = self._pages.get(key)
        if found is not None:
            self._pages.move_to_end(key)
        return found

    def add(self, url: str, content_type: str | None, body: bytes, page: Page, seconds: float) -> None:
        """Keep a page."""
        key = (url, content_type, body)
        if key in self._pages or len(body) > self.max_bytes:
            return
        self._pages[key] = page, seconds
        self._n_bytes += len(body)
        while self._n_bytes > self.max_bytes:
            (_, _, forgotten), _ = self._pages.popitem(last=False)
            self._n_bytes -= len(forgotten)


class CachedReader:
    """Reads pages, or takes them from the cache of a reader with the same settings.

    ``saved_secs``: CPU seconds of the analyses that were not repeated, which the crawl would have needed.
    """

    def __init__(self, reader: PageReader, cache: PageCache) -> None:
        self._reader = reader
        self._cache = cache
        self.saved_secs = 0.0

    def __getattr__(self, name: str) -> object:
        return getattr(self._reader, name)

    def read(self, body: bytes, url: str, content_type: str | None = None) -> Page:
        """Return the analysed page."""
        found = self._cache.get(url, content_type, body)
        if found is not None:
            self.saved_secs += found[1]
            return found[0]
        start = time.process_time()
        page = self._reader.read(body, url, content_type)
        self._cache.add(url, content_type, body, page, time.process_time() - start)
        return page
