"""Reads the verdict files of a crawl, and tells its subscribers what changes."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from focused.retraining.verdict_table import VerdictTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.collection.verdict_files import Verdict
    from focused.retraining.feedback_files import FeedbackFiles

logger = logging.getLogger(__name__)

_EVERY_SECS = 1.0
MAX_PAGES = 200_000
"""Pages with verdicts that are kept in memory, some 400 bytes each."""


class VerdictReader:
    """Reads verdict files as they grow, keeps each person's last verdict on each page, and tells subscribers what changes.

    Stats: ``focused/verdicts/read_count``, ``bad_count``, ``unreadable_count``, ``ignored_files_count``,
    ``forgotten_count``, ``failed_count`` (readings that ended in an error).
    """

    def __init__(self, files: FeedbackFiles, set_stat: Callable[[str, Any], None]) -> None:
        self.table = VerdictTable(MAX_PAGES)
        self._files = files
        self._set_stat = set_stat
        self._subscribers: list[Callable[[str], None]] = []
        self._read_at = -_EVERY_SECS
        self._n_failed = 0
        self._is_full = False

    def subscribe(self, on_change: Callable[[str], None]) -> None:
        """Call a function, from now on, with the canonical form of each URL whose verdict changes."""
        self._subscribers.append(on_change)

    def read(self) -> None:
        """Read the verdicts that are new, at most once a second."""
        now, files = time.monotonic(), self._files
        if now - self._read_at < _EVERY_SECS and not files.has_more:
            return
        for verdict in self._new():
            if self.table.add(verdict):
                self._tell(verdict.url)
        for form in self.table.pages_of_changed_programs():
            self._tell(form)
        self._read_at = time.monotonic()
        for fault in files.faults():
            logger.warning(fault)
        for what, n in files.counts.items():
            self._set_stat(f"focused/verdicts/{what}_count", n)
        if self.table.n_forgotten:
            if not self._is_full:
                self._is_full = True
                logger.warning("%s. Further ones are only counted.", self.table.about_forgotten())
            self._set_stat("focused/verdicts/forgotten_count", self.table.n_forgotten)

    def _new(self) -> list[Verdict]:
        """Return the verdicts that are new. No content of a file may make the page fail that is being processed."""
        try:
            return self._files.read_new()
        except Exception:
            self._files.has_more = False
            self._n_failed += 1
            self._set_stat("focused/verdicts/failed_count", self._n_failed)
            if self._n_failed == 1:
                logger.exception("Verdicts cannot be read. The crawl goes on without what is new in their files.")
            return []

    def _tell(self, form: str) -> None:
        for on_change in self._subscribers:
            on_change(form)

    def read_all(self) -> None:
        """Read all verdicts now. Only for the beginning and the end of a crawl: it may take long."""
        self._read_at = -_EVERY_SECS
        self.read()
        while self._files.has_more:
            self.read()

    def close(self) -> None:
        """Say which lines and files could not be read, and which programs were not believed."""
        if summary := self._files.summary():
            logger.warning(summary)
        for person, why in self.table.not_believed().items():
            logger.warning("Verdicts of %s are ignored: %s", person, why)
