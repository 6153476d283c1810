"""`Exchange`: connects a worker's reactor with the database by two threads, and boxes that each side fills and empties.

The reactor puts ended pages and tasks in, and takes events out; it never waits. The committer writes pages; the keeper
renews the lease, fetches hosts and links ahead, reserves pages of the budget and reads what other workers have learnt.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

import psycopg

from focused.frontier.shared.boot_clock import now
from focused.frontier.shared.committer import LAST_SECS, Committer
from focused.frontier.shared.connections import KEEPER, Connections
from focused.frontier.shared.crawl_overview import why_ended
from focused.frontier.shared.events import DatabaseGone, EventBox
from focused.frontier.shared.joining import end_crawl, join_crawl
from focused.frontier.shared.keeper import Keeper
from focused.frontier.shared.leasing import Leasing
from focused.frontier.shared.link_writing import LinkRules
from focused.frontier.shared.outage import TRY_AGAIN_SECS
from focused.frontier.shared.retrying_connection import RetryingConnection
from focused.frontier.shared.schema import AWAY, connect, make_tables
from focused.frontier.shared.writer import PageWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from focused.frontier.shared.events import Event
    from focused.frontier.shared.leasing import Totals
    from focused.frontier.shared.page import LearntRecord, PageCommit
    from focused.frontier.shared.texts import OtherText
    from focused.frontier.shared.worker_terms import Database, WorkerTerms
    from focused.frontier.store.link_order import LinkOrder

logger = logging.getLogger(__name__)

_TURNS_A_SEC = 8000
_CLOSE_SECS = 30.0
"""How long the threads may take to write what is left."""
_RECORDS_AT_A_TIME = 256
_SILENT_SECS = 5.0
"""How long a statement takes before the server is thought to be away."""


class Exchange:
    """Connects a worker with the database of its crawl.

    Parameters
    ----------
    database, crawl : Database, str
        Where the crawl is, and its name there.
    terms : WorkerTerms
        On what terms the worker gets hosts and pages.
    order : LinkOrder
        In which order links come: the same for all workers.

    Raises
    ------
    SharedFrontierError
        If the database's tables are of another version.
    psycopg.Error
        If the server cannot be reached for ``patience_secs``.
    """

    def __init__(self, database: Database, crawl: str, *, terms: WorkerTerms, order: LinkOrder) -> None:
        self._database, self._lease_secs = database, terms.lease_secs
        self._connections = Connections(database)
        #: What the threads say.
        self.box = EventBox()

        def join(sql: psycopg.Connection[Any]) -> tuple[int, float]:
            make_tables(sql)
            return join_crawl(sql, crawl)

        with self._connection() as asked:
            #: The crawl's number.
            self.crawl, secs = asked.ask(join)
        self._began = now() - secs
        self._last_turn = 0
        #: Figures of the crawl as the worker left it; None before that.
        self.last_totals: Totals | None = None
        self.writer = PageWriter(LinkRules(self.crawl, order.ranks, order.merge, self._turns))
        self.committer = Committer(self._connections, self.writer, self.box)
        self.keeper = Keeper(self._connections, self.crawl, terms=terms, box=self.box)

        def begin(sql: psycopg.Connection[Any]) -> float:
            leasing = self._leasing(sql)
            spent_secs = leasing.spent_secs()
            self.keeper.join_crawl(leasing)
            return spent_secs

        with self._connection() as asked:
            #: Seconds that the crawl had taken when this worker began.
            self.spent_secs = asked.ask(begin)

    def start(self) -> None:
        """Start the threads."""
        self.committer.start()
        self.keeper.start()

    @property
    def worker(self) -> int:
        """The worker's number; 0: none now."""
        return self.keeper.worker

    @property
    def valid_until(self) -> float:
        """Until when the worker may ask for pages, by `now`."""
        return self.keeper.valid_until

    @property
    def n_pending(self) -> int:
        """How many pages have ended and are not durable yet."""
        return self.committer.n_pending

    @property
    def n_written(self) -> int:
        """How many transactions were written, or refused."""
        return self.box.n_written

    def write(self, page: PageCommit) -> None:
        """Write a page to the database, some time soon."""
        self.committer.write(page)

    def add_tasks(self, **tasks: Any) -> None:
        """Tell the keeper what to do; see `focused.frontier.shared.keeper_tasks.KeeperTasks`."""
        self.keeper.add_tasks(**tasks)

    def take(self) -> list[Event]:
        """Return what has happened."""
        self._mind_silence()
        return self.box.take()

    def n_earlier_records(self, max_links: int) -> int:
        """Return how many records with so many links together are the latest ones. It waits for the database."""
        with self._connection() as asked:
            return asked.ask(lambda sql: self.keeper.reader.leave_out_old(sql, max_links))

    def earlier_records(self, max_links: int) -> Iterator[LearntRecord]:
        """Yield these records; what comes later is an event. It waits for the database."""
        reader = self.keeper.reader

        def read(sql: psycopg.Connection[Any]) -> list[LearntRecord]:
            return reader.read(sql, self.keeper.numbers, min(n_left, _RECORDS_AT_A_TIME))

        with self._connection() as asked:
            n_left = asked.ask(lambda sql: reader.leave_out_old(sql, max_links))
            while n_left > 0 and (records := asked.ask(read)):
                n_left -= len(records)
                yield from records

    def earlier_texts(self, max_pages: int) -> Iterator[list[OtherText]]:
        """Yield what the latest pages of all workers say, at most so many; what comes later is an event. It waits."""
        reader = self.keeper.texts
        with self._connection() as asked:
            asked.ask(lambda sql: reader.leave_out_all_but(sql, max_pages))
            while texts := asked.ask(lambda sql: reader.read(sql, self.keeper.numbers)):
                yield texts

    def earlier_answers(self) -> dict[str, Any]:
        """Return what hosts have answered so far; what comes later is an event. It waits for the database."""
        with self._connection() as asked:
            return asked.ask(lambda sql: self.keeper.answers.read(sql, self.keeper.numbers))

    def close(
        self, rests: Mapping[str, tuple[float, float]], reason: str = "", limits: tuple[int, int] = (0, 0)
    ) -> int:
        """Write what is left, and end the lease; return how many pages could not be written in time. It waits.

        ``reason``: why the crawl has ended for all; empty: it has if it has as many pages, or relevant ones, as ``limits``.
        """
        until = time.monotonic() + _CLOSE_SECS
        for thread in (self.committer, self.keeper):
            thread.stop()
        for thread in (self.committer, self.keeper):
            if thread.is_alive():
                thread.join(max(0.1, until - time.monotonic()))
        # A server that dies at the very end is often there again in a moment, and why the crawl ended is said only here.
        until = now() + LAST_SECS
        while not self._say_good_bye(rests, reason, limits):
            if now() > until:
                logger.warning("This worker could not sign off in the database: others wait for the end of its lease")
                break
            time.sleep(TRY_AGAIN_SECS)
        return self.n_pending

    def _say_good_bye(self, rests: Mapping[str, tuple[float, float]], reason: str, limits: tuple[int, int]) -> bool:
        """Tell the database that the worker ends, and the crawl if there is a reason; return False if the server is away."""
        try:
            with connect(self._database.url, connect_secs=3) as sql:
                self.keeper.write_last(sql)
                if self.worker:
                    self._leasing(sql).leave(self.worker, rests)
                self.last_totals = self._leasing(sql).read_state(self.worker).totals
                # The last page may have come later than the last look at the whole crawl.
                if reason := reason or why_ended(self.last_totals, *limits):
                    end_crawl(sql, self.crawl, reason)
        except AWAY:
            return False
        except psycopg.Error as error:  # it would say so again
            logger.warning("This worker could not sign off in the database: %s", " ".join(str(error).split()))
        return True

    def _mind_silence(self) -> None:
        """Say so if the server does not answer, and does not fail either; an event after as long as it is waited for."""
        asked_at, patience_secs = self.keeper.asked_at, self._database.patience_secs
        if not asked_at or (secs := now() - asked_at) < _SILENT_SECS:
            return
        error = TimeoutError("the server does not answer")
        if self._connections.outage.failed(KEEPER, error, secs) > patience_secs:
            self.box.put(DatabaseGone(error))

    def _connection(self) -> RetryingConnection:
        return RetryingConnection(self._connections)

    def _leasing(self, sql: psycopg.Connection[Any]) -> Leasing:
        return Leasing(sql, self.crawl, self._lease_secs)

    def _turns(self, n_links: int) -> range:
        """Return turns of new links: in the order in which all workers find theirs, as far as their clocks agree."""
        first = max(self._last_turn + 1, int((now() - self._began) * _TURNS_A_SEC))
        self._last_turn = first + n_links - 1
        return range(first, first + n_links)
