"""Where a crawl that died continues: from the last commit of its frontier."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from focused.frontier import resume
from focused.frontier.aliases import known_as
from focused.utils.file_names import FETCHED_FILE
from focused.utils.former_files import with_present_names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scrapy.statscollectors import StatsCollector

    from focused.frontier.interface import FrontierTask, HarvestState
    from focused.frontier.store.store import FrontierStore

logger = logging.getLogger(__name__)


class Resumption:
    """Takes up what the last commit of an earlier run says.

    Parameters
    ----------
    store : FrontierStore
    task : FrontierTask
    folder : Path
        Where the frontier is; its pages are in the crawl's run directory.
    """

    def __init__(self, store: FrontierStore, task: FrontierTask, folder: Path) -> None:
        self._store = store
        self._task = task
        self._folder = folder
        #: Whether the frontier's pages are those of this run directory.
        self.is_resumed = False

    def restore(self, stats: StatsCollector, harvest: HarvestState) -> None:
        """Cut the files back to the last commit and continue counting from there, if it is one of this run directory."""
        store, run_dir = self._store, self._task.run_dir
        lengths = store.remembered("files")
        remembered = {name: store.remembered(name) for name in ("home", "run_dir")}
        self.is_resumed = lengths is not None and resume.is_home(self._folder, run_dir, remembered)
        if self.is_resumed:
            n_bytes = resume.cut_back(run_dir, lengths)
            for name, value in with_present_names(store.remembered("stats", {})).items():
                stats.set_value(name, value)
            if (counted := store.remembered("harvest")) is not None:
                harvest.restore(counted)
            logger.info(
                "Going on in %s: %d pages are in, %d links wait%s.",
                *(run_dir, stats.get_value("focused/pages/fetched_count", 0), len(store)),
                f"; {n_bytes} bytes of pages that were under way are cut off" if n_bytes else "",
            )
            stats.inc_value("focused/frontier/resumed_count")
        elif lengths is not None:
            stats.set_value("scheduler/enqueued", len(store))
        self._compare_strategy()

    def fetched_urls(self) -> Iterator[str]:
        """Yield the URLs of pages that earlier runs fetched, also those that pages were known by besides their links'."""
        if self.is_resumed:
            yield from known_as(self._task.run_dir / FETCHED_FILE)
        yield from self._store.done_urls()

    def begin(self) -> None:
        """Commit what this run is, so that its frontier is never taken for that of another."""
        task = self._task
        self._store.commit(
            home=resume.make_home(self._folder, task.run_dir),
            run_dir=str(task.run_dir),
            topic=task.topic,
            web=task.web,
            web_options=dict(task.web_options),
            strategy=task.strategy,
            files=resume.sizes(task.run_dir),
        )

    def _compare_strategy(self) -> None:
        """Warn where links wait that another strategy has scored: their order is a mixture."""
        before: Any = self._store.remembered("strategy")
        if before not in (None, self._task.strategy) and len(self._store):
            logger.warning(
                "The last part of this crawl was of strategy %s, this one is of %s: the %d links that wait keep their scores "
                "until they are found again or scored anew. To compare strategies, begin each in a folder of its own: "
                "-a run_dir=PATH",
                *(before, self._task.strategy, len(self._store)),
            )
