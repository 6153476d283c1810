"""`Outage`: says once, for all threads of a worker, that the crawl's database cannot be used, and that it can be again."""

from __future__ import annotations

import logging
import threading

from focused.frontier.shared.boot_clock import now
from focused.utils.database import what_to_do

logger = logging.getLogger(__name__)

TRY_AGAIN_SECS = 0.5
_SAID_AFTER_SECS = 5.0
"""How long a database is away before that is said."""


class Outage:
    """Notes which threads cannot use the database, and since when.

    Parameters
    ----------
    patience_secs : float
        How long a thread waits for the database.
    """

    def __init__(self, patience_secs: float) -> None:
        self.patience_secs = patience_secs
        self._lock = threading.Lock()
        self._since: dict[str, float] = {}
        self._is_said = False
        self._ended_at = 0.0

    def note_end(self) -> None:
        """Note that it can be used again after a time in which it did not answer, and did not fail either."""
        self._ended_at = now()

    def is_over_since(self, secs: float) -> bool:
        """Tell whether every thread could use it for so many seconds."""
        return not self._since and now() - self._ended_at >= secs

    def failed(self, thread: str, error: Exception, secs: float = 0.0) -> float:
        """Note that a thread cannot use it, by now for ``secs`` at least; return for how many seconds it cannot."""
        with self._lock:
            secs = now() - self._since.setdefault(thread, now() - secs)
            says, self._is_said = (
                secs > _SAID_AFTER_SECS and not self._is_said,
                self._is_said or secs > _SAID_AFTER_SECS,
            )
        if says:
            logger.warning(
                "The crawl's database cannot be used: %s. This worker waits for it, %.0f s in all%s",
                *(" ".join(str(error).split()).rstrip(".?"), self.patience_secs, what_to_do(error)),
            )
        return secs

    def worked(self, thread: str) -> None:
        """Note that a thread can use it."""
        if thread not in self._since:  # the usual case takes no lock
            return
        with self._lock:
            self._since.pop(thread, None)
            self.note_end()
            says = self._is_said and not self._since
            self._is_said &= not says
        if says:
            logger.info("The crawl's database can be used again")
