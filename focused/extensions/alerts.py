"""Checks the conditions of alerts during a crawl, and carries out the actions of those that hold."""

from __future__ import annotations

import inspect
import json
import logging
import shutil
import time
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import deferred_from_coro

from focused.crawl.alerts import ALERT, INTERVAL_SECS, AlertFacts, Conditions
from focused.crawl.crawl import Crawl
from focused.frontier.crawl_interface import frontier_of
from focused.utils.file_names import ALERTS_FILE
from focused.utils.files import LineFile
from focused.utils.scrapy_internals import is_closing

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from focused.crawl.alerts import Alert, AlertAction

logger = logging.getLogger(__name__)


class Alerts:
    """Logs an alert when its condition begins to hold and when it is over, and notes both in ``alerts.jsonl``.

    Then it calls the actions of FOCUSED_ALERT_ACTIONS, and ends the crawl if FOCUSED_ALERT_STOPS names the alert. The alerts
    that hold stand in ``progress.json``, and on the crawl's page.

    Settings: FOCUSED_ALERT_*. Stats: ``focused/alerts/NAME_count``, ``focused/alerts/action_errors_count``,
    ``focused/alerts/lost_count``.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._crawler, self._crawl = crawler, crawl
        self._conditions = Conditions(crawler.settings)
        self._actions: list[AlertAction] = [kind.from_crawler(crawler) for kind in self._conditions.actions]
        self._file = LineFile(crawl.plan.run_dir / ALERTS_FILE)
        self._calls: Any = None
        self._last_page = (0, time.monotonic())

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Look from the start of the crawl to its end."""
        extension = cls(crawler, Crawl.needed(crawler))
        crawler.signals.connect(extension.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signal=signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        """Begin to look."""
        self._last_page = (self._crawl.harvest.n_pages, time.monotonic())
        self._calls = create_looping_call(self.check)
        self._calls.start(INTERVAL_SECS.read(self._crawler.settings), now=False)

    def spider_closed(self) -> None:
        """Look no more."""
        if self._calls is not None and self._calls.running:
            self._calls.stop()
        self._file.close()

    def check(self) -> None:
        """Check all conditions, and report what has changed."""
        crawl, now = self._crawl, time.monotonic()
        if is_closing(self._crawler):
            return
        if crawl.harvest.n_pages != self._last_page[0]:
            self._last_page = (crawl.harvest.n_pages, now)
        last, saturation = crawl.outlook.last, crawl.outlook.saturation
        found = self._conditions.alerts_of(
            AlertFacts(
                n_last=len(last),
                n_last_relevant=last.n_new,
                failing=tuple(frontier_of(self._crawler).failing_hosts()),
                free_bytes=shutil.disk_usage(crawl.plan.run_dir).free,
                secs_without_page=now - self._last_page[1],
                saturated=saturation.text if saturation.is_reached else "",
            )
        )
        before = crawl.alerts
        crawl.note_alerts({name: alert.text for name, alert in found.items()})
        for name in before.keys() - found.keys():
            logger.info("Alert %s is over", name)
            self._note(name, "", begins=False)
        for name in found.keys() - before.keys():
            self._begin(found[name])

    def _begin(self, alert: Alert) -> None:
        logger.warning("Alert %s: %s", alert.name, alert.text)
        self._crawler.stats.inc_value(f"focused/alerts/{alert.name}_count")
        self._note(alert.name, alert.text, begins=True)
        for action in self._actions:
            deferred_from_coro(self._act(action, alert))
        if alert.name in self._conditions.stops and not is_closing(self._crawler):
            assert self._crawler.engine is not None
            deferred_from_coro(self._crawler.engine.close_spider_async(reason=f"{ALERT}{alert.name}"))

    async def _act(self, action: AlertAction, alert: Alert) -> None:
        try:
            doing = action.act(alert, self._crawler)
            if inspect.isawaitable(doing):
                await doing
        except Exception:
            self._crawler.stats.inc_value("focused/alerts/action_errors_count")
            logger.exception("The alert action %s has failed; the crawl goes on", type(action).__name__)

    def _note(self, name: str, text: str, *, begins: bool) -> None:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        said = {"at": at, "pages": self._crawl.harvest.n_pages, "alert": name, "begins": begins, "text": text}
        if not self._file.write(json.dumps(said, ensure_ascii=False)):
            self._crawler.stats.inc_value("focused/alerts/lost_count")
