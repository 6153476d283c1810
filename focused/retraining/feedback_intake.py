"""Verdicts on pages. Either the page comes first, or the verdict."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from focused.retraining.feedback import FeedbackFiles
    from focused.retraining.page_labels import PageLabels

logger = logging.getLogger(__name__)

_EVERY_SECS = 1.0


@dataclass(eq=False)
class FeedbackIntake:
    """Knows the pages of a crawl by their URLs, and adds verdicts on them to the labels."""

    #: None if there are no verdicts; pages are known nevertheless.
    files: FeedbackFiles | None
    labels: PageLabels
    #: Verdicts that wait for their pages; further ones are dropped and counted.
    max_pending: int
    #: Of a name after ``focused/`` and a value.
    set_stat: Callable[[str, Any], None]

    def __post_init__(self) -> None:
        self._pending: dict[str, bool] = {}
        self._number_of: dict[str, int] = {}
        self._n_forgotten = 0
        self._read_at = -_EVERY_SECS

    def number_of(self, url: str) -> int | None:
        """Return the number of a page; None if it has not been judged."""
        return self._number_of.get(canonical_form(url) or "")

    def add_page(self, number: int, urls: Iterable[str]) -> None:
        """Add a page with its URLs, and use a verdict that waits for it."""
        for form in dict.fromkeys(filter(None, map(canonical_form, urls))):
            self._number_of[form] = number
            if form in self._pending:
                self._join(number, self._pending.pop(form))

    def read(self) -> None:
        """Read the verdicts that are new, at most once a second."""
        now, files = time.monotonic(), self.files
        if files is None or (now - self._read_at < _EVERY_SECS and not files.has_more):
            return
        for verdict in files.read_new():
            number = self._number_of.get(verdict.url)
            if number is not None:
                self._join(number, verdict.relevant)
            elif verdict.url in self._pending or len(self._pending) < self.max_pending:
                self._pending[verdict.url] = verdict.relevant
            else:
                self._n_forgotten += 1
                self.set_stat("verdicts/forgotten_count", self._n_forgotten)
        self._read_at = time.monotonic()
        for fault in files.faults():
            logger.warning(fault)
        for what, n in files.counts.items():
            self.set_stat(f"verdicts/{what}_count", n)
        self.set_stat("verdicts/pending_count", len(self._pending))

    def read_all(self) -> None:
        """Read all verdicts that are there; the crawl has not begun and can wait."""
        self.read()
        while self.files is not None and self.files.has_more:
            self.read()

    def close(self) -> None:
        """Say which lines and files could not be read."""
        if self.files is not None and (summary := self.files.summary()):
            logger.warning(summary)

    def _join(self, number: int, relevant: bool) -> None:
        if self.labels.add_verdict(number, relevant):
            self.set_stat("verdicts/used_count", len(self.labels.by_verdict))
