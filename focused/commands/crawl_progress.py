"""Logs how a crawl of many workers goes; `focused.commands.crawl_watch` calls it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from focused.commands.crawl_crew import FOLDER
from focused.crawl.shared_figures import FolderFigures
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from focused.crawl.shared_run import SharedTotals

logger = logging.getLogger(__name__)

_SIGN_OF_LIFE_SECS = 60.0
"""Seconds until a line that has not changed is repeated."""


class ProgressLog:
    """Logs a line of progress, or what the crawl waits for where nothing has changed.

    Parameters
    ----------
    failing_hosts : callable
        Returns the hosts that do not answer, in words; empty where there are none.
    run_dir, max_pages : Path, int
        Of the crawl; 0: no limit.
    now, n_pages : float, int
        The time in seconds, and the pages that there are now.
    """

    def __init__(
        self, failing_hosts: Callable[[], str], run_dir: Path, max_pages: int, now: float, n_pages: int
    ) -> None:
        self._failing_hosts, self._run_dir, self._max_pages = failing_hosts, run_dir, max_pages
        #: When it was last asked to.
        self.looked_at = now
        self._n_pages = n_pages
        self._told, self._told_at, self._told_failing = (-1, -1, -1), now, ""

    def write(self, totals: SharedTotals, now: float) -> None:
        """Log it."""
        told = (totals.n_pages, totals.n_waiting, totals.n_alive)
        if told != self._told or now - self._told_at >= _SIGN_OF_LIFE_SECS:
            self._told, self._told_at = told, now
            pages_per_sec = (totals.n_pages - self._n_pages) / max(now - self.looked_at, 1e-9)
            logger.info("%s", _progress(totals, self._max_pages, pages_per_sec, FolderFigures.read(self._run_dir)))
        elif (failing := self._failing_hosts()) not in ("", self._told_failing):
            self._told_failing = failing
            where = self._run_dir / FOLDER
            logger.info("No page comes. Do not answer: %s. The logs in %s say until when they rest", failing, where)
        self.looked_at, self._n_pages = now, totals.n_pages


def _progress(totals: SharedTotals, max_pages: int, pages_per_sec: float, figures: FolderFigures | None) -> str:
    of = f" of {max_pages}" if max_pages else ""
    rate = totals.n_relevant / totals.n_pages if totals.n_pages else 0.0
    harvest = "not known yet" if figures is None else figures.harvest_in_short
    return (
        f"{totals.n_pages:6d}{of} pages  harvest {harvest}  judged relevant {totals.n_relevant} ({rate:.3f})  "
        f"frontier {totals.n_waiting} on {quantity(totals.n_hosts, 'hosts')}  {quantity(totals.n_alive, 'workers')}  "
        f"{pages_per_sec:.{0 if pages_per_sec >= 10 else 1}f} pages/s"
    )
