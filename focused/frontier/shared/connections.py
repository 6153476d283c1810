"""`Connections`: a connection to the database for each thread of a worker; one for all where the server allows no more.

A worker whose keeper has a connection, but whose committer gets none, would keep its hosts and its part of the budget, and
could write no page of them: all workers would stand still. So it works with the one that it has.
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psycopg

from focused.frontier.shared.boot_clock import now
from focused.frontier.shared.outage import Outage
from focused.frontier.shared.schema import AWAY, connect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.frontier.shared.worker_terms import Database

logger = logging.getLogger(__name__)

KEEPER, COMMITTER, REACTOR = "keeper", "committer", "reactor"
_AGAIN_SECS = 5.0
"""How often a thread that uses another one's connection asks for one of its own."""


@dataclass(slots=True)
class _Line:
    """A thread's connection."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    sql: psycopg.Connection[Any] | None = None
    again_at: float = 0.0

    @property
    def is_open(self) -> bool:
        return self.sql is not None and not self.sql.closed

    def close(self) -> None:
        if self.sql is not None:
            self.sql.close()
            self.sql = None


class Connections:
    """Opens connections when they are needed, and again if the server goes away."""

    def __init__(self, database: Database) -> None:
        self.database = database
        #: Says that the database is away.
        self.outage = Outage(database.patience_secs)
        self._lines = {thread: _Line() for thread in (KEEPER, COMMITTER, REACTOR)}
        self._is_said = False

    @contextmanager
    def of(self, thread: str) -> Iterator[psycopg.Connection[Any]]:
        """Yield a connection that is this thread's for the time of the `with`; one transaction, as others may wait for it.

        Raises
        ------
        psycopg.Error
            If no thread of this worker can have one.
        """
        line, why = self._line(thread)
        with line.lock:
            if line.sql is None:  # its owner has closed it meanwhile
                raise psycopg.OperationalError("the connection is closed")
            yield line.sql
        if why is not None:
            self._say(why)

    def fail(self, thread: str) -> None:
        """Close a thread's connection after an error; the next use opens another one."""
        line = self._lines[thread]
        with line.lock:
            line.close()

    close = fail

    # --- Inside

    def _line(self, thread: str) -> tuple[_Line, Exception | None]:
        """Return the thread's own line, or an open one of another, with why it has none of its own."""
        mine = self._lines[thread]
        if mine.is_open:
            return mine, None
        others = [line for name, line in self._lines.items() if name != thread and line.is_open]
        if others and now() < mine.again_at:
            return others[0], None
        mine.again_at = now() + _AGAIN_SECS
        try:
            made = connect(self.database.url)
        except AWAY as error:
            others = [line for line in others if line.is_open]
            if not others:
                raise
            return others[0], error
        with mine.lock:
            mine.close()
            mine.sql = made
        return mine, None

    def _say(self, why: Exception) -> None:
        """Say once that the server allows too few connections; what was asked over another one has succeeded."""
        if not self._is_said:
            self._is_said = True
            logger.warning(
                "The crawl's database gives this worker too few connections: %s. It goes on with those that it has, more "
                "slowly. Allow three for each worker (max_connections, ALTER ROLE ... CONNECTION LIMIT), or crawl with fewer "
                "workers",
                " ".join(str(why).split()).rstrip("."),
            )
