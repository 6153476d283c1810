"""The engine is asked to look for requests again: now, or when a host has rested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.utils.asyncio import call_later

from focused.frontier.politeness import now
from focused.utils.scrapy_internals import wake_engine

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class Wakeup:
    """One call that is due, the earliest that was wished for."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._call: Any = None
        self._at = 0.0

    def now(self) -> None:
        """Have the engine look for requests."""
        wake_engine(self._crawler)

    def at(self, moment: float | None) -> None:
        """Have it look for requests at a moment of the downloader's clock; None: nothing is known."""
        if moment is None:
            return
        if self._call is not None:
            if self._at <= moment:
                return
            self._call.cancel()
        self._at = moment
        self._call = call_later(max(0.001, moment - now()), self._due)

    def close(self) -> None:
        """Forget the call."""
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _due(self) -> None:
        self._call = None
        self.now()
