"""Delivers or withdraws pages after they have passed the pipelines: tells the pipelines and the feeds."""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.utils.defer import deferred_from_coro

from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scrapy.crawler import Crawler

    from focused.collection.verdict_rows import DeliveryChange
    from focused.items import PageItem

logger = logging.getLogger(__name__)


class LateDelivery:
    """Passes changes of delivery on, in their order.

    ``item_of`` returns the page of a URL as an item, made from the collection; None where it is not there.

    Stats: ``focused/verdicts/not_applied_count``.
    """

    def __init__(self, crawler: Crawler, item_of: Callable[[str], PageItem | None]) -> None:
        self._crawler, self._item_of = crawler, item_of
        self._changes: deque[DeliveryChange] = deque()
        #: URLs of pages that were delivered late: a page that came back after it had been refused is in a feed twice.
        self.passed: set[str] = set()
        #: Whether changes are being passed on in turns of their own.
        self.is_passing = False

    def add(self, changes: Iterable[DeliveryChange]) -> None:
        """Add changes of delivery that the pipelines do not know yet."""
        self._changes.extend(changes)

    def wanted(self) -> set[str]:
        """Return the URLs of the pages that are going to be delivered."""
        return {change.url for change in self._changes if change.is_delivered}

    def start(self) -> None:
        """Begin to pass on the changes, unless that is under way already."""
        if self._changes and not self.is_passing:
            self.is_passing = True
            deferred_from_coro(self.pass_on()).addBoth(self._passed_on)

    async def pass_on(self) -> None:
        """Send pages that are wanted now through the pipelines and to the feeds, and withdraw those that are refused now."""
        while self._changes:
            change = self._changes.popleft()
            item = self._item_of(change.url)
            if item is None:
                continue
            if change.is_delivered:
                self.passed.add(change.url)
                await self._chain(item)
                await self._crawler.signals.send_catch_log_async(
                    signals.item_scraped, item=item, response=None, spider=self._crawler.spider
                )
            else:
                self._withdraw(item)

    def tell_feeds(self) -> None:
        """Give the feeds what is wanted since the last look; pipelines are closed already."""
        n_untold = 0
        while self._changes:
            change = self._changes.popleft()
            n_untold += 1
            if change.is_delivered and (item := self._item_of(change.url)) is not None:
                self.passed.add(change.url)
                self._crawler.signals.send_catch_log(
                    signals.item_scraped, item=item, response=None, spider=self._crawler.spider
                )
        if n_untold:
            logger.info(
                "%s got new verdicts at the very end: the collection and the files have them, other pipelines were not told",
                quantity(n_untold, "pages"),
            )

    def _passed_on(self, result: Any) -> None:
        self.is_passing = False
        if result is not None:
            logger.error("A page that people want could not be delivered: %s", result)
            self._crawler.stats.inc_value("focused/verdicts/not_applied_count")

    def _withdraw(self, item: PageItem) -> None:
        for pipeline in getattr(self._item_processor, "middlewares", ()):
            if callable(withdraw := getattr(pipeline, "withdraw_item", None)):
                withdraw(item)

    @property
    def _item_processor(self) -> Any:
        assert self._crawler.engine is not None
        return self._crawler.engine.scraper.itemproc

    @property
    def _chain(self) -> Any:
        processor = self._item_processor
        return getattr(processor, "process_late_item", processor.process_item_async)
