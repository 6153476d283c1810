"""Copies delivered pages into a PostgreSQL database while the crawl runs."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured

from focused.collection.postgresql import PostgresCopy
from focused.crawl.crawl import Crawl
from focused.utils.file_names import COLLECTION_FILE
from focused.utils.output_settings import POSTGRESQL

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self

logger = logging.getLogger(__name__)

_LOOK_EVERY_SECS = 1.0
_TRY_AGAIN_SECS = 5.0
_END_SECS = 30.0


class PostgresPipeline:
    """Keeps the tables ``focused_pages`` and ``focused_runs`` of a database up to date with the collection, in a thread.

    The crawl never waits for the database. If that cannot be reached, the log says so once, and it is tried again. The end of
    the crawl waits for it at most 30 s; what is left then is copied when the crawl is resumed.

    Place: 400; it asks the collection for the pages, not the items.

    Settings: FOCUSED_POSTGRESQL, FOCUSED_COLLECTION.

    Stats: ``focused/postgresql/written_count``, ``focused/postgresql/failed_count``, ``focused/postgresql/left_count``.
    """

    def __init__(self, copy: PostgresCopy, stats: StatsCollector) -> None:
        self._copy = copy
        self._stats = stats
        self._is_ending = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="postgresql", daemon=True)
        self._n_failed = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Switch off where no database is named."""
        crawl = Crawl.needed(crawler)
        if not (url := POSTGRESQL.read(crawler.settings)):
            raise NotConfigured
        plan = crawl.plan
        return cls(PostgresCopy(url, plan.run_dir, plan.topic.name), crawler.stats)

    def open_spider(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def process_item(self, item: Any) -> Any:
        """Pass the item on."""
        return item

    def close_spider(self) -> None:
        """Copy the rest, for some time."""
        self._is_ending.set()
        self._thread.join(_END_SECS)
        self._stats.set_value("focused/postgresql/written_count", self._copy.n_written)
        if self._n_failed:
            self._stats.set_value("focused/postgresql/failed_count", self._n_failed)
        if n_left := self._copy.n_left():
            self._stats.set_value("focused/postgresql/left_count", n_left)

    def _follow(self) -> None:
        deadline = None
        while True:
            wait = 0.0
            try:
                if not self._copy.step():
                    if self._is_ending.is_set():
                        break
                    wait = _LOOK_EVERY_SECS
            except Exception as error:  # noqa: BLE001  whatever it is, the crawl goes on
                self._n_failed += 1
                if self._n_failed == 1:
                    logger.error(
                        "Pages cannot be copied to PostgreSQL: %s. Trying again later; %s has them",
                        error,
                        COLLECTION_FILE,
                    )
                wait = _TRY_AGAIN_SECS
            if self._is_ending.is_set():
                deadline = deadline or time.monotonic() + _END_SECS
                if time.monotonic() + wait > deadline:
                    break
                time.sleep(min(wait, 0.5))
            else:
                self._is_ending.wait(wait)
        self._copy.close()
