"""The thread that makes ended pages durable, in the order in which they ended."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import psycopg

from focused.frontier.shared.beginning import pace
from focused.frontier.shared.boot_clock import now
from focused.frontier.shared.commit_result import CommitResult, KnownPageError, LeaseLostError
from focused.frontier.shared.connections import COMMITTER
from focused.frontier.shared.events import LEASE_LOST, NOT_STORED, DatabaseGone, PageRefused, PagesWritten
from focused.frontier.shared.outage import TRY_AGAIN_SECS
from focused.frontier.shared.schema import AWAY

if TYPE_CHECKING:
    from psycopg import Connection

    from focused.frontier.shared.connections import Connections
    from focused.frontier.shared.events import EventBox
    from focused.frontier.shared.page import PageCommit
    from focused.frontier.shared.writer import PageWriter

LAST_SECS = 15.0
"""How long a database that is away is waited for at the end of a crawl."""
_MOST_PAGES = 32
"""Pages of one transaction."""
_BETWEEN_SECS = 0.1
"""From one transaction to the next, unless so many pages wait: a dozen statements cost the same for one page as for eight."""


class Committer(threading.Thread):
    """Writes pages; each ends as an event: written, or refused."""

    def __init__(self, connections: Connections, writer: PageWriter, box: EventBox) -> None:
        super().__init__(name="committer", daemon=True)
        self._connections, self._writer, self._box = connections, writer, box
        self._pages: deque[PageCommit] = deque()
        self._n_at_work = 0
        self._lock = threading.Condition()
        self._is_stopping = False
        #: Share of the usual time from one transaction to the next.
        self.pace = pace(0)

    # --- Of the reactor

    @property
    def n_pending(self) -> int:
        """How many pages have ended and are not durable yet."""
        with self._lock:  # else pages on their way from the one to the other would not count
            return len(self._pages) + self._n_at_work

    def write(self, page: PageCommit) -> None:
        """Write a page to the database, some time soon."""
        with self._lock:
            self._pages.append(page)
            # Each time that the thread wakes it takes Python's lock from the reactor.
            if len(self._pages) in (1, _MOST_PAGES):
                self._lock.notify_all()

    def stop(self) -> None:
        """Tell the thread to end when all is written."""
        with self._lock:
            self._is_stopping = True
            self._lock.notify_all()

    # --- Of the thread

    def run(self) -> None:
        """Write pages until the thread is to stop and none is left."""
        began = 0.0
        while True:
            with self._lock:
                while not self._pages and not self._is_stopping:
                    self._lock.wait()
                self._lock.wait_for(
                    lambda: self._is_stopping or len(self._pages) >= _MOST_PAGES,
                    began + self.pace * _BETWEEN_SECS - now(),
                )
                began = now()
                if not self._pages:
                    break
                pages = [self._pages.popleft()]
                # Of one worker number: another one's lease is another's.
                # Moves go alone: so no page waits for the locks of many links.
                while self._pages and len(pages) < _MOST_PAGES and _go_together(pages[0], self._pages[0]):
                    pages.append(self._pages.popleft())
                self._n_at_work = len(pages)
            self._write_all(pages)
            self._n_at_work = 0
            self._box.woken()
        self._connections.close(COMMITTER)

    def _write_all(self, pages: list[PageCommit]) -> None:
        outage, patience_secs, may_be_done = self._connections.outage, self._connections.database.patience_secs, False
        while pages:
            try:
                with self._connections.of(COMMITTER) as sql:
                    self._write_at_once(sql, pages, may_be_done=may_be_done)
                outage.worked(COMMITTER)
            except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                continue
            except AWAY as error:
                may_be_done = True
                self._connections.fail(COMMITTER)
                secs = outage.failed(COMMITTER, error)
                if secs > patience_secs or (self._is_stopping and secs > LAST_SECS):
                    self._box.put(DatabaseGone(error))
                    return
                time.sleep(TRY_AGAIN_SECS)
            except psycopg.Error as error:
                if isinstance(error, psycopg.ProgrammingError) and error.sqlstate:
                    # The server says that a right or a table is missing; it would be for any page.
                    self._box.put(DatabaseGone(error))
                elif len(pages) > 1:
                    for page in pages:  # one of them is to blame
                        self._write_all([page])
                else:
                    self._box.put(PageRefused(pages[0], f"{NOT_STORED}: {' '.join(str(error).split())}"))
                return

    def _write_at_once(self, sql: Connection[Any], pages: list[PageCommit], *, may_be_done: bool) -> None:
        """Write pages in one transaction, or take the one that is known from the list; those that are done leave it."""
        try:
            written = self._writer.write(sql, pages[0].worker, pages)
            self._box.n_written += 1
            self._box.put(PagesWritten(pages.copy(), written))
            pages.clear()
        except LeaseLostError:
            for page in pages:
                self._box.put(PageRefused(page, LEASE_LOST))
            pages.clear()
        except KnownPageError as error:
            page = pages.pop(error.index)
            self._box.n_written += 1
            if may_be_done and self._is_mine(sql, page):
                self._box.put(PagesWritten([page], CommitResult()))
            else:
                self._box.put(PageRefused(page, "known"))

    def _is_mine(self, sql: Connection[Any], page: PageCommit) -> bool:
        """Tell whether a transaction of this worker whose end was not heard has written a page."""
        query = "SELECT 1 FROM pages WHERE crawl = %s AND worker = %s AND fingerprint = %s AND url = %s"
        return any(
            sql.execute(query, (self._writer.crawl, page.worker, link.fingerprint, link.url)).fetchone()
            for link in page.ended
        )


def _go_together(one: PageCommit, other: PageCommit) -> bool:
    return one.worker == other.worker and one.only_moves == other.only_moves
