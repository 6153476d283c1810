"""Commits links, the counters of the crawl and the lengths of its files together."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.frontier.run_files import sizes
from focused.frontier.store.caps import DOMAIN_CAP, HOST_CAP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from scrapy.statscollectors import StatsCollector

    from focused.frontier.crawl_interface import HarvestState
    from focused.frontier.store.interface import LinkStore

logger = logging.getLogger(__name__)

COMMIT_EVERY_PAGES, COMMIT_EVERY_SECS = 16, 0.05
"""Pages that have ended become durable together: after so many pages or seconds. One by one each costs a tenth more."""
_LEAST_FREE_BYTES = 8_000_000
_LEAST_LOG_BYTES = 1_000_000
"""Moving a shorter log into the file gains hardly any room."""
_CAPS = {HOST_CAP: "host_cap", DOMAIN_CAP: "domain_cap"}
_OWN_STATS = (
    *("log_count/", "memusage/", "elapsed_time", "items_per_minute", "responses_per_minute", "response_received_per"),
)
"""Stats that are about this process, not about the crawl."""


@dataclass(eq=False)
class Checkpoints:
    """Makes pages durable."""

    store: LinkStore
    stats: StatsCollector
    harvest: HarvestState
    #: Where the crawl's files are.
    run_dir: Path

    def __post_init__(self) -> None:
        #: Whether a commit failed: what came since is not durable, and will be fetched again.
        self.is_broken = False
        #: Called before each commit: they write what must be on disk before the links are.
        self.before: list[Callable[[], None]] = []
        #: Returns what else the commit stores, if it has changed since the last one: JSON values by their keys.
        self.changed: Callable[[], dict[str, Any]] = dict
        #: Called with the reason when a commit has failed; ends the crawl.
        self.failed: Callable[[str], None] = logger.error
        self._counted: dict[str, int] = {}
        self._is_kept: dict[str, bool] = {}
        self._n_ended = 0

    def count_ahead(self, names: Iterable[str]) -> None:
        """Count stats that Scrapy is about to raise by one; the next commits write them as if it had.

        Scrapy counts an item after its page has been committed, and other pages may be committed before it does.
        """
        for name in names:
            self._counted[name] = self._counted.get(name, self.stats.get_value(name, 0)) + 1

    @property
    def is_due(self) -> bool:
        """Whether pages have ended that are not durable yet."""
        return self._n_ended > 0 and not self.is_broken

    def page_ended(self) -> None:
        """Count a page that has ended, and commit if enough pages have."""
        self._n_ended += 1
        # Many workers' store gathers pages itself.
        if self._n_ended >= COMMIT_EVERY_PAGES or self.store.is_shared:
            self.commit()

    def commit(self) -> None:
        """Make all changes durable. After a failed commit nothing is committed: those pages will be fetched again."""
        self._n_ended = 0
        if self.is_broken:
            return
        store = self.store
        for write in self.before:
            write()
        try:
            free = self._free_bytes(can_be_more=True)
            if store.n_cut:
                self.stats.set_value("focused/frontier/cut_count", store.n_cut)
            for cap, n_links in store.n_capped.items():
                self.stats.set_value(f"focused/frontier/{_CAPS[cap]}_dropped_count", n_links)
            stats = self._numbers()
            for name, value in self._counted.items():
                stats[name] = max(value, stats.get(name, 0))
            store.commit(files=sizes(self.run_dir), stats=stats, harvest=self.harvest.state(), **self.changed())
            # The file grows by less than the log, which holds mostly repeated versions of the same database pages.
            if store.log.n_bytes > max(_LEAST_LOG_BYTES, free // 2):
                store.log.empty()
                self._free_bytes()
        except (OSError, sqlite3.Error) as error:
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """Report that the frontier cannot be written, and end the crawl; reported only the first time."""
        if self.is_broken:
            return
        self.is_broken = True
        with suppress(sqlite3.Error):
            self.store.transaction.abandon()
        goes_on = "the same command goes on where it is now"
        if "malformed" in str(error) or "decode" in str(error):
            goes_on = f"save what can be read (scrapy frontier {self.run_dir} --recover), then {goes_on}"
        self.failed(f"The frontier in {self.run_dir} cannot be written: {error}. The crawl ends; {goes_on}.")

    def _free_bytes(self, can_be_more: bool = False) -> int:
        """Return how much disk is left; too little is an error, unless there can be more after the commit."""
        free = shutil.disk_usage(self.run_dir).free
        if free < _LEAST_FREE_BYTES and not (can_be_more and self.store.log.n_bytes >= _LEAST_LOG_BYTES):
            raise OSError(f"only {free / 1e6:.0f} MB of disk space left")
        return free

    def _numbers(self) -> dict[str, int | float]:
        """Return the stats that a resumed crawl continues."""
        is_kept, found = self._is_kept, {}
        for name, value in self.stats.get_stats().items():
            if type(value) in (int, float):
                if name not in is_kept:
                    is_kept[name] = not name.startswith(_OWN_STATS)
                if is_kept[name]:
                    found[name] = value
        return found
