"""Makes the engine ask for requests again: now, or when a host has rested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.utils.clock import clock_of
from focused.utils.scrapy_internals import wake_engine

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler


class Wakeup:
    """One call that is due, the earliest that was wished for."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._clock = clock_of(crawler)
        self._cancel: Callable[[], None] | None = None
        self._at = 0.0

    def now(self) -> None:
        """Make the engine ask for requests."""
        wake_engine(self._crawler)

    def at(self, moment: float | None) -> None:
        """Have it look for requests at a moment of the downloader's clock; None: nothing is known."""
        if moment is None:
            self._clock.check_at_rest()
            return
        if self._cancel is not None:
            if self._at <= moment:
                return
            self._cancel()
        self._at = moment
        self._cancel = self._clock.call_at(moment, self._due)

    def close(self) -> None:
        """Forget the call."""
        if self._cancel is not None:
            self._cancel()
            self._cancel = None

    def _due(self) -> None:
        self._cancel = None
        self.now()
