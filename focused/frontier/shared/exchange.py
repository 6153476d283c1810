"""What goes between a worker's reactor and the database: two threads, and boxes that each side fills and empties.

The reactor puts ended pages and wishes in, and takes events out; it never waits. The committer writes pages; the keeper
renews the lease, fetches hosts and links ahead and reserves pages of the budget.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

import psycopg

from focused.frontier.shared.joining import end_crawl, join_crawl
from focused.frontier.shared.leasing import Leasing, TakenHost, Totals
from focused.frontier.shared.own_hosts import AHEAD
from focused.frontier.shared.schema import connect, make_tables
from focused.frontier.shared.writer import KnownPageError, LeaseLostError, PageWriter, Written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from psycopg import Connection

    from focused.frontier.shared.link_rows import WaitingLink
    from focused.frontier.shared.page import PageCommit
    from focused.frontier.store.ranks import Ranks
    from focused.method.scoring.evidence import Evidence

LEASE_SECS = 20.0
"""How long a worker lives that does not renew its lease."""
_ASKS_FOR = 0.75
"""Share of a lease in which its worker asks for pages; the rest is for what is on its way."""
_LAST_SECS = 5.0
"""How long a database that is away is waited for at the end of a crawl."""
PATIENCE_SECS = 120.0
"""How long a worker waits for a database that is away."""
NOT_STORED = "not stored"
"""How it begins why a page was refused that the database does not take."""
_TICK_SECS = 0.1
_RENEWALS = 50
"""How often a lease is renewed while it lasts."""
_OVERDUE_SECS = 2.0
_ANALYZED_AT = (30, 300, 3_000, 30_000)
"""Pages of the crawl at which the server counts its rows anew; its own clock does so later, and often enough from then on."""
_MOST_PAGES = 32
"""Pages of one transaction."""
_TURNS_A_SEC = 8000
_TRY_AGAIN_SECS = 0.5
_SOON_SECS = 1.0
"""A host that may be asked so soon is taken already."""


def now() -> float:
    """Return the seconds of a clock that goes on while the process, or the machine, sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@dataclass(frozen=True, slots=True)
class PagesWritten:
    """Pages are durable."""

    pages: list[PageCommit]
    written: Written


@dataclass(frozen=True, slots=True)
class PageRefused:
    """A page is not in the database and never will be: another worker had its link, or the lease was lost; or it cannot."""

    page: PageCommit
    why: str


@dataclass(frozen=True, slots=True)
class LinksAhead:
    """The best waiting links of hosts; with them hosts that are this worker's from now on."""

    links: dict[str, list[WaitingLink]]
    #: How many links of each were asked for: where fewer came, there are no more.
    asked: dict[str, int]
    taken: list[TakenHost]
    #: How many `PagesWritten` there were before the links were read.
    n_written: int


@dataclass(frozen=True, slots=True)
class Ticked:
    """What the keeper saw."""

    totals: Totals
    news: dict[str, int]
    #: Best ranks of hosts that are nobody's.
    free: list[int]
    #: Best ranks of the other workers; None of one that has nothing to ask for.
    others: list[int | None]
    is_over: bool
    #: Pages of the budget that are this worker's, and that it has fetched.
    budget: tuple[int, int]
    #: How many `PagesWritten` there were before.
    n_written: int


@dataclass(frozen=True, slots=True)
class Granted:
    """How many pages of the budget are this worker's, those that it has fetched included."""

    n_pages: int
    #: Whether this is after it gave some back.
    is_return: bool = False


@dataclass(frozen=True, slots=True)
class LeaseLost:
    """The worker has ended."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The worker has a number."""

    worker: int


@dataclass(frozen=True, slots=True)
class DatabaseGone:
    """The database has been away too long, or cannot be used."""

    error: Exception


Event = PagesWritten | PageRefused | LinksAhead | Ticked | Granted | LeaseLost | Joined | DatabaseGone


@dataclass(slots=True)
class Wishes:
    """What the reactor wants of the keeper."""

    n_hosts: int = 0
    ahead: dict[str, int] = field(default_factory=dict)
    give_back: dict[str, tuple[float, float]] = field(default_factory=dict)
    n_pages: int = 0
    returns_pages: bool = False
    joins: bool = False
    is_busy: bool = True
    n_own: int = 0
    best: int | None = None


class Exchange:
    """Connects a worker with the database of its crawl.

    Raises
    ------
    SharedFrontierError
        If the database's tables are of another version, or its crawl is about something else.
    psycopg.Error
        If the server cannot be reached.
    """

    def __init__(
        self,
        url: str,
        crawl: str,
        about: Mapping[str, Any],
        *,
        worker_name: str,
        ranks: Ranks,
        merge: Callable[[Evidence, Evidence], Evidence],
        max_pages: int = 0,
        lease_secs: float = 0.0,
        patience_secs: float = PATIENCE_SECS,
    ) -> None:
        self._url, self._worker_name, self._max_pages = url, worker_name, max_pages
        self._lease_secs, self._patience_secs = lease_secs or LEASE_SECS, patience_secs
        #: Called by the threads when there is an event.
        self.woken: Callable[[], None] = lambda: None
        self.events: SimpleQueue[Event] = SimpleQueue()
        with connect(url) as sql:
            make_tables(sql)
            #: The crawl's number.
            self.crawl, secs = join_crawl(sql, crawl, about)
        self._began = now() - secs
        self._last_turn = 0
        self._n_analyzed = 0
        self._writer = PageWriter(self.crawl, ranks, merge, self._turn)
        self._pages: deque[PageCommit] = deque()
        self._wishes = Wishes()
        self._lock = threading.Condition()
        self._is_stopping = False
        self._n_written = 0
        self._n_at_work = 0
        #: The worker's number; 0: none now. A worker asks for nothing after ``valid_until``.
        self.worker, self.valid_until = 0, 0.0
        with connect(url) as sql:
            self._join(Leasing(sql, self.crawl, self._lease_secs))
        self._committer = threading.Thread(target=self._commits, name="committer", daemon=True)
        self._keeper = threading.Thread(target=self._keeps, name="keeper", daemon=True)

    def start(self) -> None:
        """Start the threads."""
        self._committer.start()
        self._keeper.start()

    # --- Of the reactor

    @property
    def n_pending(self) -> int:
        """How many pages have ended and are not durable yet."""
        return len(self._pages) + self._n_at_work

    @property
    def n_written(self) -> int:
        """How many transactions were written, or refused."""
        return self._n_written

    def write(self, page: PageCommit) -> None:
        """Let a page become durable."""
        with self._lock:
            self._pages.append(page)
            self._lock.notify_all()

    def wish(self, **wishes: Any) -> None:
        """Tell the keeper what is wanted; hosts to give back and links to fetch add up."""
        with self._lock:
            for name, value in wishes.items():
                if isinstance(value, dict):
                    getattr(self._wishes, name).update(value)
                else:
                    setattr(self._wishes, name, value)

    def take(self) -> list[Event]:
        """Return what has happened."""
        found = []
        with suppress(Empty):
            while True:
                found.append(self.events.get_nowait())
        return found

    def close(self, rests: Mapping[str, tuple[float, float]], reason: str = "", secs: float = 30.0) -> int:
        """Write what is left, and say good-bye; returns how many pages could not be written in time. It waits."""
        with self._lock:
            self._is_stopping = True
            self._lock.notify_all()
        until = time.monotonic() + secs
        for thread in (self._committer, self._keeper):
            if thread.is_alive():
                thread.join(max(0.1, until - time.monotonic()))
        n_left = self.n_pending
        with suppress(psycopg.Error), connect(self._url, connect_secs=3) as sql:
            if self.worker:
                Leasing(sql, self.crawl, self._lease_secs).leave(self.worker, rests)
            if reason:
                end_crawl(sql, self.crawl, reason)
        return n_left

    # --- Of the committer

    def _commits(self) -> None:
        sql: Connection[Any] | None = None
        while True:
            with self._lock:
                while not self._pages and not self._is_stopping:
                    self._lock.wait()
                if not self._pages:
                    break
                pages = [self._pages.popleft()]
                # Of one worker number: another one's lease is another's.
                while self._pages and len(pages) < _MOST_PAGES and self._pages[0].worker == pages[0].worker:
                    pages.append(self._pages.popleft())
                self._n_at_work = len(pages)
            sql = self._write_all(sql, pages)
            self._n_at_work = 0
            self.woken()
        if sql is not None:
            sql.close()

    def _write_all(self, sql: Connection[Any] | None, pages: list[PageCommit]) -> Connection[Any] | None:
        began, may_be_done = now(), False
        while pages:
            try:
                if sql is None or sql.closed:
                    sql = connect(self._url)
                written = self._writer.write(sql, pages[0].worker, pages)
                self._n_written += 1
                self.events.put(PagesWritten(pages, written))
                return sql
            except LeaseLostError:
                for page in pages:
                    self.events.put(PageRefused(page, "lease lost"))
                return sql
            except KnownPageError as error:
                page = pages.pop(error.index)
                self._n_written += 1
                if may_be_done and self._is_mine(sql, page):
                    self.events.put(PagesWritten([page], Written()))
                else:
                    self.events.put(PageRefused(page, "known"))
            except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                continue
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                may_be_done = True
                if sql is not None:
                    sql.close()
                    sql = None
                if now() - began > self._patience_secs or (self._is_stopping and now() - began > _LAST_SECS):
                    self.events.put(DatabaseGone(error))
                    return None
                time.sleep(_TRY_AGAIN_SECS)
            except psycopg.Error as error:
                if len(pages) > 1:
                    for page in pages:  # one of them is to blame
                        sql = self._write_all(sql, [page])
                else:
                    self.events.put(PageRefused(pages[0], f"{NOT_STORED}: {' '.join(str(error).split())}"))
                return sql
        return sql

    def _is_mine(self, sql: Connection[Any] | None, page: PageCommit) -> bool:
        """Tell whether a transaction of this worker whose end was not heard has written a page."""
        if sql is None:
            return False
        query = "SELECT 1 FROM pages WHERE crawl = %s AND worker = %s AND fingerprint = %s AND url = %s"
        return any(
            sql.execute(query, (self.crawl, page.worker, link.fingerprint, link.url)).fetchone() for link in page.ended
        )

    def _turn(self) -> int:
        """Return the turn of a new link: in the order in which all workers find theirs, as far as their clocks agree."""
        self._last_turn = max(self._last_turn + 1, int((now() - self._began) * _TURNS_A_SEC))
        return self._last_turn

    # --- Of the keeper

    def _keeps(self) -> None:
        sql: Connection[Any] | None = None
        failed_since: float | None = None
        self._renewed = self._looked = 0.0
        while not self._is_stopping:
            try:
                if sql is None or sql.closed:
                    sql = connect(self._url)
                if self._keeps_wishes(Leasing(sql, self.crawl, self._lease_secs)):
                    self.woken()
                failed_since = None
            except LeaseLostError:
                self.worker, self.valid_until = 0, 0.0
                self.events.put(LeaseLost())
                self.woken()
            except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                continue
            except psycopg.Error as error:
                if sql is not None:
                    sql.close()
                    sql = None
                failed_since = now() if failed_since is None else failed_since
                if now() - failed_since > self._patience_secs or not isinstance(
                    error, (psycopg.OperationalError, psycopg.InterfaceError)
                ):
                    self.events.put(DatabaseGone(error))
                    self.woken()
                    return
                time.sleep(_TRY_AGAIN_SECS)
            time.sleep(_TICK_SECS)
        if sql is not None:
            sql.close()

    def _join(self, leasing: Leasing) -> None:
        asked = now()
        self.worker = leasing.join(self._worker_name)
        self.valid_until = asked + _ASKS_FOR * self._lease_secs
        self.events.put(Joined(self.worker))

    def _keeps_wishes(self, leasing: Leasing) -> bool:
        """Do what is to be done now; what cannot be done is still wished for."""
        with self._lock:
            wishes = self._wishes
            self._wishes = Wishes(is_busy=wishes.is_busy, n_own=wishes.n_own, best=wishes.best)
        try:
            return self._keep(leasing, wishes)
        except psycopg.Error:
            with self._lock:
                later = self._wishes
                later.ahead, later.give_back = wishes.ahead | later.ahead, wishes.give_back | later.give_back
                later.returns_pages |= wishes.returns_pages
                later.joins |= wishes.joins
            raise

    def _keep(self, leasing: Leasing, wishes: Wishes) -> bool:
        """Do what is wished for, and renew the lease if it is time; tell whether there is an event."""
        if not self.worker:
            if wishes.joins:
                self._join(leasing)
            return wishes.joins
        is_new = False
        if now() - self._renewed >= self._lease_secs / _RENEWALS:
            self._renew(leasing, wishes)
            is_new = True
        if wishes.give_back:
            leasing.give_back(self.worker, wishes.give_back)
        if wishes.returns_pages:
            self.events.put(Granted(leasing.return_grant(self.worker), is_return=True))
            is_new = True
        if wishes.n_pages:
            self.events.put(Granted(leasing.grant(self.worker, wishes.n_pages, self._max_pages)))
            is_new = True
        taken = leasing.take(self.worker, wishes.n_hosts, _SOON_SECS) if wishes.n_hosts > 0 else []
        asked = wishes.ahead | {host.name: AHEAD for host in taken}
        if asked:
            n_written = self._n_written
            self.events.put(LinksAhead(leasing.ahead(asked), asked, taken, n_written))
            is_new = True
        return is_new

    def _renew(self, leasing: Leasing, wishes: Wishes) -> None:
        asked, n_written = now(), self._n_written
        leasing.renew(self.worker, is_busy=wishes.is_busy, n_hosts=wishes.n_own, best=wishes.best)
        self.valid_until = asked + _ASKS_FOR * self._lease_secs
        self._renewed = asked
        if asked - self._looked >= _OVERDUE_SECS:
            self._looked = asked
            leasing.end_overdue()
        is_over = not wishes.is_busy and leasing.is_over()
        free = leasing.best_free(8)
        others, totals = leasing.bests_of_others(self.worker), leasing.totals()
        if self._n_analyzed < len(_ANALYZED_AT) and totals.n_pages >= _ANALYZED_AT[self._n_analyzed]:
            self._n_analyzed = sum(totals.n_pages >= n_pages for n_pages in _ANALYZED_AT)
            leasing.analyze()
        self.events.put(
            Ticked(totals, leasing.news(self.worker), free, others, is_over, leasing.budget_of(self.worker), n_written)
        )
