"""Continues a crawl that died from the last commit of its frontier."""

from __future__ import annotations

import csv
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.frontier import run_files
from focused.utils.file_names import FETCHED_FILE
from focused.utils.former_files import with_present_names
from focused.utils.scope import Scope
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scrapy.statscollectors import StatsCollector

    from focused.frontier.crawl_interface import FrontierTask, HarvestState
    from focused.frontier.store.interface import LinkStore

logger = logging.getLogger(__name__)

MISSING = "focused/store/missing_bytes"
"""Stat: what the files of a run had lost when its crawl was resumed."""
TO_RESTORE = "focused/store/pages_to_restore_bytes"
"""Stat: what ``pages.jsonl`` lacked then, and gets again from the collection."""


@dataclass(eq=False)
class Resumption:
    """Restores what the last commit of an earlier run says."""

    store: LinkStore
    task: FrontierTask
    #: Where the frontier is; its pages are in the crawl's run directory.
    folder: Path

    def __post_init__(self) -> None:
        #: Whether the frontier's pages are those of this run directory.
        self.is_resumed = False

    def restore(self, stats: StatsCollector, harvest: HarvestState) -> None:
        """Cut the files back to the last commit, and restore its counters, if it belongs to this run directory."""
        store, run_dir = self.store, self.task.run_dir
        lengths = store.remembered("files")
        remembered = {name: store.remembered(name) for name in ("home", "run_dir")}
        self.is_resumed = lengths is not None and run_files.is_home(self.folder, run_dir, remembered)
        if self.is_resumed:
            cut = run_files.cut_back(run_dir, lengths)
            for name, value in with_present_names(store.remembered("stats", {})).items():
                stats.set_value(name, value)
            if (counted := store.remembered("harvest")) is not None:
                harvest.restore(counted)
            logger.info(
                "Resuming in %s: %s fetched, %s waiting%s.",
                run_dir,
                quantity(stats.get_value("focused/pages/fetched_count", 0), "pages"),
                quantity(len(store), "links"),
                f"; {cut.n_beyond:,} bytes of pages that were under way are cut off" if cut.n_beyond else "",
            )
            if cut.n_missing:
                stats.inc_value(MISSING, cut.n_missing)
            # A value from an earlier start says nothing of this one.
            if cut.n_to_restore or stats.get_value(TO_RESTORE):
                stats.set_value(TO_RESTORE, cut.n_to_restore)
            stats.inc_value("focused/frontier/resumed_count")
        elif lengths is not None:
            stats.set_value("scheduler/enqueued", len(store))
        self._compare_scope(stats)
        self._compare_strategy()

    def fetched_urls(self) -> Iterator[str]:
        """Yield the URLs of pages that earlier runs fetched, and the aliases that the pages have."""
        if self.is_resumed:
            # A recovered frontier may have lost the links of such pages.
            yield from read_aliases(
                self.task.run_dir / FETCHED_FILE, also_links=self.store.remembered("recovered", False)
            )
        yield from self.store.done_urls()

    def begin(self) -> None:
        """Commit what this run crawls, so that its frontier is never taken for that of another run."""
        task = self.task
        self.store.commit(
            home=run_files.make_home(self.folder, task.run_dir),
            run_dir=str(task.run_dir),
            topic=task.topic,
            web=task.web,
            web_options=dict(task.web_options),
            strategy=task.strategy,
            scope=task.scope.as_json(),
            files=run_files.sizes(task.run_dir),
        )

    def _compare_scope(self, stats: StatsCollector) -> None:
        """Drop waiting links that are out of the scope of this run; put those that an earlier scope kept out back."""
        before = Scope.from_json(self.store.remembered("scope"))
        if before == self.task.scope:
            return
        found = self.store.rescope(self.task.scope)
        if any(found):
            stats.inc_value("focused/scope/waiting_dropped_count", found.n_dropped)
            stats.inc_value("focused/scope/waiting_again_count", found.n_again)
            logger.info(
                "The scope has changed from %s to %s. Waiting links dropped: %d; dropped links that wait again: %d.",
                before or "open",
                self.task.scope or "open",
                *found,
            )

    def _compare_strategy(self) -> None:
        """Warn if another strategy has scored the waiting links: their order is a mixture."""
        before: Any = self.store.remembered("strategy")
        if before not in (None, self.task.strategy) and len(self.store):
            logger.warning(
                "The last part of this crawl was of strategy %s, this one is of %s: the %d links that wait keep their scores "
                "until they are found again or scored anew. To compare strategies, begin each in a folder of its own: "
                "-a run_dir=PATH",
                before,
                self.task.strategy,
                len(self.store),
            )


def read_aliases(path: Path, *, also_links: bool = False) -> Iterator[str]:
    """Yield from ``fetched.csv`` the aliases of pages: the URLs (Content-Location) that differ from those fetched.

    Aliases are no links, so the frontier's file does not hold them. ``also_links``: yield the URLs of the links, too. Without
    the file there are no pages.
    """
    try:
        with path.open(newline="", encoding="utf-8", errors="replace") as file:
            for row in csv.DictReader(file):
                url, location = row.get("url"), row.get("location")
                if location and location != url:
                    yield location
                if also_links and url:
                    yield url
    except FileNotFoundError:
        return
    except (OSError, csv.Error) as error:
        logger.warning(
            "%s cannot be read to its end: %s. Pages that have two URLs may be fetched and counted twice.", path, error
        )
