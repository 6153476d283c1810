"""Pauses a crawl while something else is under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.utils.scrapy_internals import wake_engine

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class CrawlPause:
    """Pauses the engine of a crawl if that is wanted. A pause that somebody else began is left alone."""

    def __init__(self, crawler: Crawler, *, is_wanted: bool) -> None:
        self._crawler = crawler
        self._is_wanted = is_wanted
        self._is_paused = False

    def set(self, is_paused: bool) -> None:
        """Pause, or continue."""
        if not self._is_wanted or is_paused == self._is_paused:
            return
        engine = self._crawler.engine
        if engine is None or (is_paused and engine.paused):
            return
        self._is_paused = is_paused
        if is_paused:
            engine.pause()
        else:
            engine.unpause()
            wake_engine(self._crawler)
