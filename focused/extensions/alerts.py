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
from twisted.internet.threads import deferToThread

from focused.crawl.alerts import ALERT, DISK, INTERVAL_SECS, AlertFacts, Conditions
from focused.crawl.crawl import Crawl
from focused.crawl.shared_alerts import FIRST_DIES_SECS, SharedAlerts
from focused.frontier.crawl_interface import frontier_of
from focused.utils.file_names import ALERTS_FILE
from focused.utils.files import LineFile
from focused.utils.frontier_settings import DATABASE, SHARED_CRAWL
from focused.utils.scrapy_internals import is_closing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from focused.crawl.alerts import Alert, AlertAction

logger = logging.getLogger(__name__)


class Alerts:
    """Logs an alert when its condition begins to hold and when it is over, and notes both in ``alerts.jsonl``.

    Then it calls the actions of FOCUSED_ALERT_ACTIONS, and ends the crawl if FOCUSED_ALERT_STOPS names the alert. The alerts
    that hold stand in ``progress.json``, and on the crawl's page.

    The workers of a shared crawl look at the pages and hosts of all of them. One of them notes an alert, and carries out its
    actions; that of the disk one of each machine.

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
        url, name = DATABASE.read(crawler.settings), SHARED_CRAWL.read(crawler.settings)
        #: What all workers see; None: this is no worker.
        self._shared = SharedAlerts(url, name, self._conditions.n_pages) if url else None
        self._is_reading = False
        #: When alerts began that another worker was to send.
        self._left_to_others: dict[str, float] = {}

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
        if self._shared is None:
            self._check()
        elif not self._is_reading:
            self._is_reading = True
            deferToThread(self._shared.read).addCallbacks(self._shared.note, lambda _: None).addCallback(self._check)

    def _check(self, _: object = None) -> None:
        """Look at what was read; where the database is away, at what it said before."""
        self._is_reading = False
        crawl, now, shared = self._crawl, time.monotonic(), self._shared
        if is_closing(self._crawler):
            return
        n_pages = crawl.harvest.n_pages if shared is None else shared.seen.n_pages
        if n_pages != self._last_page[0]:
            self._last_page = (n_pages, now)
        last, saturation = crawl.outlook.last, crawl.outlook.saturation
        n_last, n_last_relevant = (len(last), last.n_new) if shared is None else shared.last
        failing = frontier_of(self._crawler).failing_hosts() if shared is None else shared.seen.failing
        found = self._conditions.alerts_of(
            AlertFacts(
                n_last=n_last,
                n_last_relevant=n_last_relevant,
                failing=tuple(failing),
                free_bytes=shutil.disk_usage(crawl.plan.run_dir).free,
                secs_without_page=now - self._last_page[1],
                saturated=saturation.text if saturation.is_reached else "",
            )
        )
        self._begin_and_end(found, now)

    def _begin_and_end(self, found: Mapping[str, Alert], now: float) -> None:
        """Report alerts that have begun, or are over."""
        before = self._crawl.alerts
        self._crawl.note_alerts({name: alert.text for name, alert in found.items()})
        for name in sorted(before.keys() - found.keys()):
            logger.info("Alert %s is over", name)
            if self._left_to_others.pop(name, None) is None or self._sends(name):
                self._note(name, "", begins=False)
        for name in sorted(found.keys() - before.keys()):
            self._begin(found[name], now)
        for name, began in list(self._left_to_others.items()):
            if self._sends(name):  # who was to send it has ended
                if now - began < FIRST_DIES_SECS:
                    self._send(found[name])
                del self._left_to_others[name]

    def _sends(self, name: str) -> bool:
        return self._shared is None or self._shared.sends(is_of_machine=name == DISK)

    def _begin(self, alert: Alert, now: float) -> None:
        logger.warning("Alert %s: %s", alert.name, alert.text)
        if self._sends(alert.name):
            self._send(alert)
        else:
            self._left_to_others[alert.name] = now
        if alert.name in self._conditions.stops and not is_closing(self._crawler):
            assert self._crawler.engine is not None
            deferred_from_coro(self._crawler.engine.close_spider_async(reason=f"{ALERT}{alert.name}"))

    def _send(self, alert: Alert) -> None:
        self._crawler.stats.inc_value(f"focused/alerts/{alert.name}_count")
        self._note(alert.name, alert.text, begins=True)
        for action in self._actions:
            deferred_from_coro(self._act(action, alert))

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
        n_pages = self._crawl.harvest.n_pages if self._shared is None else self._shared.seen.n_pages
        said = {"at": at, "pages": n_pages, "alert": name, "begins": begins, "text": text}
        if not self._file.write(json.dumps(said, ensure_ascii=False)):
            self._crawler.stats.inc_value("focused/alerts/lost_count")
