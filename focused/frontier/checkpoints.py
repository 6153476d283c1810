"""Checkpoints with the counters of the crawl and the lengths of its files, and where a crawl that died goes on from them."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from focused.frontier import resume
from focused.frontier.aliases import known_as
from focused.utils.former_files import with_present_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from scrapy.statscollectors import StatsCollector

    from focused.crawl.state import Crawl
    from focused.frontier.store.store import FrontierStore

logger = logging.getLogger(__name__)

_LEAST_FREE_BYTES = 8_000_000
_LEAST_LOG_BYTES = 1_000_000
"""To move a shorter log into the file gains next to nothing."""


class Checkpoints:
    """Makes pages durable, and takes up what the last commit of an earlier run says.

    Parameters
    ----------
    store : FrontierStore
    crawl : Crawl
    stats : StatsCollector
    folder : Path
        Where the frontier is; its pages are in the crawl's run directory.
    failed : function
        Called when a commit has failed; it is to end the crawl.
    """

    def __init__(
        self, store: FrontierStore, crawl: Crawl, stats: StatsCollector, folder: Path, failed: Callable[[], None]
    ) -> None:
        self._store = store
        self._crawl = crawl
        self._stats = stats
        self._folder = folder
        self._failed = failed
        self._run_dir = crawl.plan.run_dir
        #: Whether a commit failed: what came since is not durable, and will be fetched again.
        self.is_broken = False
        self._counted: dict[str, int] = {}
        self._n_cut_rounds = 0

    def will_count(self, names: Iterable[str]) -> None:
        """Take note of stats that are about to be raised by one: what is made durable from now on has them raised.

        Scrapy counts an item after its page has been committed, and other pages may be committed before it does.
        """
        for name in names:
            self._counted[name] = self._counted.get(name, self._stats.get_value(name, 0)) + 1

    def commit(self) -> None:
        """Make all changes durable; none after one that could not be made: what is not durable will be fetched again."""
        if self.is_broken:
            return
        store, harvest = self._store, self._crawl.harvest
        try:
            free = self._free_bytes(store.log.n_bytes >= _LEAST_LOG_BYTES)
            if store.n_cut:
                self._stats.set_value("focused/frontier/cut_count", store.n_cut)
            if store.n_cut_rounds > self._n_cut_rounds:
                self._n_cut_rounds = store.n_cut_rounds
                if not self._crawl.merges:  # others ask the frontier of every link
                    self._crawl.forget_waiting()  # one that was cut and is found again is new
            if store.n_capped:
                self._stats.set_value("focused/frontier/host_cap_dropped_count", store.n_capped)
            stats = resume.numbers(self._stats.get_stats())
            for name, value in self._counted.items():
                stats[name] = max(value, stats.get(name, 0))
            store.commit(
                files=resume.sizes(self._run_dir),
                stats=stats,
                harvest=None if harvest is None else harvest.state(),
            )
            # The file grows by less than the log, most of which is the same pages over and over.
            if store.log.n_bytes > max(_LEAST_LOG_BYTES, free // 2):
                store.log.empty()
                self._free_bytes()
        except (OSError, sqlite3.Error) as error:
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """Say that something could not be written to the frontier, and end the crawl; only the first time it is said."""
        if self.is_broken:
            return
        self.is_broken = True
        with suppress(sqlite3.Error):
            self._store.give_up()
        logger.error(
            "The frontier in %s cannot be written: %s. The crawl ends; the same command goes on where it is now.",
            *(self._run_dir, error),
        )
        self._failed()

    def _free_bytes(self, can_be_more: bool = False) -> int:
        """Return how much disk is left; too little is an error, unless there can be more after the commit."""
        free = shutil.disk_usage(self._run_dir).free
        if free < _LEAST_FREE_BYTES and not can_be_more:
            raise OSError(f"only {free / 1e6:.0f} MB of disk space left")
        return free

    def go_on(self) -> None:
        """Cut the files back to the last commit and go on counting from there, if there is one of this run directory."""
        store, crawl = self._store, self._crawl
        lengths = store.remembered("files")
        remembered = {name: store.remembered(name) for name in ("home", "run_dir")}
        if lengths is not None and resume.is_home(self._folder, self._run_dir, remembered):
            n_bytes = resume.cut_back(self._run_dir, lengths)
            for name, value in with_present_names(store.remembered("stats", {})).items():
                self._stats.set_value(name, value)
            if crawl.harvest is not None and (harvest := store.remembered("harvest")) is not None:
                crawl.harvest.restore(harvest)
                crawl.n_judged = crawl.harvest.n_pages
            crawl.remember_fetched(known_as(self._run_dir / "fetched.csv"))
            logger.info(
                "Going on in %s: %d pages are in, %d links wait%s.",
                *(self._run_dir, self._stats.get_value("focused/pages/fetched_count", 0), len(store)),
                f"; {n_bytes} bytes of pages that were under way are cut off" if n_bytes else "",
            )
            self._stats.inc_value("focused/frontier/resumed_count")
        elif lengths is not None:
            self._stats.set_value("scheduler/enqueued", len(store))
        self._compare_strategy()

    def begin(self) -> None:
        """Commit what this run is, so that nobody takes its frontier for that of another."""
        plan = self._crawl.plan
        self._store.commit(
            home=resume.make_home(self._folder, self._run_dir),
            run_dir=str(self._run_dir),
            topic=plan.topic.name,
            web=plan.web,
            web_options=plan.web_options,
            strategy=plan.strategy.name,
            files=resume.sizes(self._run_dir),
        )

    def _compare_strategy(self) -> None:
        """Say so where links wait that another strategy has scored: their order is a mixture."""
        before: Any = self._store.remembered("strategy")
        chosen = self._crawl.plan.strategy.name
        if before not in (None, chosen) and len(self._store):
            logger.warning(
                "The last part of this crawl was of strategy %s, this one is of %s: the %d links that wait keep their scores "
                "until they are found again or scored anew. To compare strategies, begin each in a folder of its own: "
                "-a run_dir=PATH",
                *(before, chosen, len(self._store)),
            )
