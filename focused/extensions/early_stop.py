"""Ends a crawl cleanly if it is told to stop while it is still being opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.task import deferLater

from focused.utils.scrapy_internals import engine_of, is_starting

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred
    from typing_extensions import Self

_LOOK_EVERY_SECS = 0.01


class EarlyStop:
    """Lets SIGTERM, Ctrl-C and Scrapyd's cancel end a crawl in the same way at any time.

    Scrapy stops only engines that run. While a spider is being opened it would end the process as it is: without a summary,
    and with a run that is still under way by its files. So the reactor is kept until the engine runs and has been stopped.
    """

    def __init__(self, crawler: Crawler, reactor: Any) -> None:
        self._crawler, self._reactor = crawler, reactor
        self._trigger: Any = reactor.addSystemEventTrigger("before", "shutdown", self._before_shutdown)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Be asked before the reactor stops."""
        if not is_reactor_installed():
            raise NotConfigured
        from twisted.internet import reactor

        extension = cls(crawler, reactor)
        crawler.signals.connect(extension.spider_closed, signal=signals.spider_closed)
        return extension

    def spider_closed(self) -> None:
        """Stop listening."""
        trigger, self._trigger = self._trigger, None
        if trigger is not None:
            self._reactor.removeSystemEventTrigger(trigger)

    def _before_shutdown(self) -> Deferred[None]:
        self._trigger = None
        return deferred_from_coro(self._stop())

    async def _stop(self) -> None:
        engine = engine_of(self._crawler)
        if engine is None:
            return
        # An engine that is told to stop by Scrapy says so first; one that fails to open closes its spider.
        while is_starting(engine):
            await maybe_deferred_to_future(deferLater(self._reactor, _LOOK_EVERY_SECS))
        if engine.running:
            await engine.stop_async()
