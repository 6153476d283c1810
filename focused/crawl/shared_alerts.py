"""`SharedAlerts`: what the alerts of a crawl of many workers look at, the same for all, and which worker sends them."""

from __future__ import annotations

import os
import socket
from collections import deque
from dataclasses import dataclass, field

from focused.crawl.shared_run import SharedRun

FIRST_DIES_SECS = 30.0
"""An alert that began so long ago may not have been sent, if the worker that was to send it has died: its lease had to end."""


@dataclass(frozen=True, slots=True)
class SeenOfAll:
    """The crawl, as the database has it."""

    n_pages: int = 0
    n_relevant: int = 0
    #: Hosts that do not answer, and why.
    failing: tuple[tuple[str, str], ...] = ()
    #: Workers at work, each as ``HOST:PROCESS``; who came first is first.
    alive: tuple[str, ...] = ()


@dataclass(slots=True)
class SharedAlerts:
    """Looks at a crawl from one of its workers; ``n_window``: pages that count for the share of relevant ones."""

    url: str
    crawl: str
    n_window: int
    seen: SeenOfAll = field(default_factory=SeenOfAll)
    _counts: deque[tuple[int, int]] = field(default_factory=deque)

    def read(self) -> SeenOfAll:
        """Return what the database says; it waits, in a thread. Errors as of `SharedRun.opened`."""
        with SharedRun.opened(self.url, self.crawl) as run:
            totals = run.totals()
            return SeenOfAll(totals.n_pages, totals.n_relevant, tuple(run.failing_origins()), tuple(run.alive()))

    def note(self, seen: SeenOfAll) -> None:
        """Take up what was read."""
        self.seen, counts = seen, self._counts
        if not counts:
            counts.append((0, 0) if seen.n_pages <= self.n_window else (seen.n_pages, seen.n_relevant))
        counts.append((seen.n_pages, seen.n_relevant))
        while len(counts) > 1 and seen.n_pages - counts[1][0] >= self.n_window:
            counts.popleft()

    @property
    def last(self) -> tuple[int, int]:
        """How many pages came since the window began, of all workers, and how many of these are relevant.

        >>> alerts = SharedAlerts("", "", n_window=100)
        >>> for n_pages in (0, 60, 120, 180):
        ...     alerts.note(SeenOfAll(n_pages, n_pages // 2))
        >>> alerts.last
        (120, 60)
        """
        if not self._counts:
            return 0, 0
        n_pages, n_relevant = self._counts[0]
        return self.seen.n_pages - n_pages, self.seen.n_relevant - n_relevant

    def sends(self, *, is_of_machine: bool) -> bool:
        """Tell whether this worker sends an alert: the first of all, or of this machine."""
        here = socket.gethostname()
        senders = [name for name in self.seen.alive if not is_of_machine or name.rpartition(":")[0] == here]
        return senders[:1] == [f"{here}:{os.getpid()}"]
