"""Writes the progress line of a crawl."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.utils.words import duration, quantity

if TYPE_CHECKING:
    from focused.frontier.interface import HostCounts


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a crawl stands."""

    n_pages: int
    #: The page budget; 0: none.
    max_pages: int
    #: The estimated harvest, as people read it.
    harvest: str
    n_relevant: int
    #: Shares of pages judged relevant, in [0, 1]: since the start, and of the last ``window`` pages.
    rate: float
    recent_rate: float
    window: int
    #: Links that wait.
    n_waiting: int
    #: None where the scheduler does not know its hosts.
    hosts: HostCounts | None
    pages_per_sec: float
    #: Until the first budget is spent; None where it cannot be told.
    secs_left: float | None = None
    #: What is still to come, as people read it.
    outlook: str = ""
    #: Pages of all workers, with the ``n_pages`` of this one; None where one process crawls.
    n_of_all: int | None = None
    #: Answers with an HTTP error; said if they are more than the pages.
    errors_per_sec: float = 0.0

    def __str__(self) -> str:
        """Return the line."""
        of = f" of {self.max_pages}" if self.max_pages else ""
        pages = f"{of} pages" if self.n_of_all is None else f" pages by this worker, {self.n_of_all}{of} by all"
        parts = [
            f"{self.n_pages:6d}{pages}",
            f"harvest {self.harvest}",
            f"judged relevant {self.n_relevant} ({self.rate:.3f}, last {self.window}: {self.recent_rate:.3f})",
            f"frontier {self.n_waiting}{self._hosts()}",
            f"{_rate(self.pages_per_sec)} pages/s",
        ]
        if self.errors_per_sec > self.pages_per_sec:
            parts[-1] += f", {_rate(self.errors_per_sec)} HTTP errors/s"
        if self.hosts is not None and not self.hosts.n_active and self.hosts.n_failing:
            return "  ".join(parts)  # nothing can be foretold while all hosts fail
        if self.secs_left is not None:
            parts.append(f"{duration(self.secs_left)} left")
        if self.outlook:
            parts.append(self.outlook)
        return "  ".join(parts)

    def _hosts(self) -> str:
        if self.hosts is None:
            return ""
        failing = f", {self.hosts.n_failing} failing" if self.hosts.n_failing else ""
        return f" on {quantity(self.hosts.n_active, 'hosts')}{failing}"


def _rate(per_sec: float) -> str:
    return f"{per_sec:.{0 if per_sec >= 10 else 1}f}"
