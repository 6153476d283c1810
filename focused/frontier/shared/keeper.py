"""The thread that renews a worker's lease, and reads links before its reactor needs them."""

from __future__ import annotations

import threading
import time
from random import Random
from typing import TYPE_CHECKING, Any

import psycopg

from focused.frontier.shared.beginning import pace
from focused.frontier.shared.boot_clock import now
from focused.frontier.shared.commit_result import LeaseLostError
from focused.frontier.shared.connections import KEEPER
from focused.frontier.shared.drawn_links import read_drawn
from focused.frontier.shared.events import (
    AnswersReceived,
    DatabaseGone,
    KeeperReport,
    LeaseLost,
    LinksDrawn,
    LinksRead,
    PagesGranted,
    RecordsInherited,
    RecordsReceived,
    ScoresRead,
    TextsReceived,
    WorkerJoined,
)
from focused.frontier.shared.host_troubles import read_troubles, write_troubles
from focused.frontier.shared.keeper_tasks import KeeperTasks
from focused.frontier.shared.lease_statements import GRACE_SECS
from focused.frontier.shared.leasing import Leasing
from focused.frontier.shared.links_wanted import LinksWanted
from focused.frontier.shared.orphan_links import Inheritance, scores_of
from focused.frontier.shared.outage import TRY_AGAIN_SECS
from focused.frontier.shared.records import RecordReader
from focused.frontier.shared.robots import read_robots, write_robots
from focused.frontier.shared.schema import AWAY
from focused.frontier.shared.soft_404s import AnswerReader
from focused.frontier.shared.texts import TextReader

if TYPE_CHECKING:
    from psycopg import Connection

    from focused.frontier.shared.connections import Connections
    from focused.frontier.shared.events import EventBox
    from focused.frontier.shared.worker_terms import WorkerTerms

_ASKS_FOR = 0.75
"""Share of a lease in which its worker asks for pages; the rest is for what is on its way."""
_LATE = 0.25
"""Share of a lease without a renewal after which the server, or this process, has slept: others may be as late."""
_TICK_SECS = 0.1
_RENEWALS = 50
"""How often a lease is renewed while it lasts."""
_OVERDUE_SECS = 2.0
_ANALYZED_AT = (30, 300, 3_000, 30_000)
"""Pages of the crawl at which the server counts its rows anew; its own clock does so later, and often enough from then on."""
_READ_SECS = 0.2
"""How often records of other workers are looked for, unless there are more."""
_INHERIT_SECS = 1.0
"""How often workers that have ended, and have no heir, are looked for."""
_SOON_SECS = 1.0
"""A host that may be asked so soon is taken already."""


class Keeper(threading.Thread):
    """Renews the lease, takes hosts and gives them back, fetches their best links ahead, reserves pages of the budget.

    It also reads what other workers have learnt.

    Parameters
    ----------
    connections, crawl : Connections, int
        To the database where the crawl is, and its number there.
    terms : WorkerTerms
        On what terms the worker gets hosts and pages.
    box : EventBox
        Where events go.
    """

    def __init__(self, connections: Connections, crawl: int, *, terms: WorkerTerms, box: EventBox) -> None:
        super().__init__(name="keeper", daemon=True)
        self._connections, self._crawl, self._terms, self._box = connections, crawl, terms, box
        self._lease_secs = terms.lease_secs
        self._tasks = KeeperTasks()
        self._lock = threading.Lock()
        self._is_stopping = False
        self._renewed = self._looked = self._read = self._read_texts = self._inherited = 0.0
        self._n_analyzed = 0
        #: Share of the usual time after which this thread looks at the database.
        self._pace = pace(0)
        #: The worker's number; 0: none now. A worker asks for nothing after ``valid_until``.
        self.worker, self.valid_until = 0, 0.0
        #: When it has asked something that is not answered yet, by `now`; 0: it waits for nothing.
        self.asked_at = 0.0
        #: All numbers that the worker has had.
        self.numbers: set[int] = set()
        #: What other workers have learnt.
        self.reader = RecordReader(crawl)
        #: What their pages say of copies.
        self.texts = TextReader(crawl)
        #: Answers to their probes for soft 404s.
        self.answers = AnswerReader(crawl)
        self._inheritance = Inheritance(crawl)
        self._random = Random()  # which links follow is for the one that draws of them to decide

    # --- Of the reactor

    def add_tasks(self, **tasks: Any) -> None:
        """Add tasks, by the fields of `KeeperTasks`; those that are mappings add up, others replace what was said."""
        with self._lock:
            for name, value in tasks.items():
                if isinstance(value, dict):
                    getattr(self._tasks, name).update(value)
                else:
                    setattr(self._tasks, name, value)

    def stop(self) -> None:
        """Tell the thread to end."""
        self._is_stopping = True

    def write_last(self, sql: Connection[Any]) -> None:
        """Write for the next owners of the hosts what the thread had not written when it ended."""
        self._hand_on(sql, self._tasks)

    # --- Of the thread

    def run(self) -> None:
        """Keep the lease, and do the tasks, until the thread is to stop."""
        outage = self._connections.outage
        while not self._is_stopping:
            try:
                with self._connections.of(KEEPER) as sql:
                    has_event = self._do_tasks(Leasing(sql, self._crawl, self._lease_secs, self._terms.by_domain))
                outage.worked(KEEPER)
                if has_event:
                    self._box.woken()
            except LeaseLostError:
                self.worker, self.valid_until = 0, 0.0
                self._inheritance.lose()
                self._box.put(LeaseLost())
                self._box.woken()
            except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                continue
            except psycopg.Error as error:
                self._connections.fail(KEEPER)
                secs = outage.failed(KEEPER, error)
                if secs > self._connections.database.patience_secs or not isinstance(error, AWAY):
                    self._box.put(DatabaseGone(error))
                    self._box.woken()
                    return
                time.sleep(TRY_AGAIN_SECS)
            time.sleep(self._pace * _TICK_SECS)
        self._connections.close(KEEPER)

    def join_crawl(self, leasing: Leasing) -> None:
        """Become a worker of the crawl, with a new number."""
        asked = now()
        self.worker = leasing.join(self._terms.name)
        self.numbers.add(self.worker)
        self.valid_until = asked + _ASKS_FOR * self._lease_secs
        self._box.put(WorkerJoined(self.worker))

    def _do_tasks(self, leasing: Leasing) -> bool:
        """Do the tasks of now; those that cannot be done are tried again."""
        with self._lock:
            tasks = self._tasks
            self._tasks = tasks.fulfilled()
        self.asked_at = now()
        try:
            return self._keep(leasing, tasks)
        except psycopg.Error:
            with self._lock:
                self._tasks.restore(tasks)
            raise
        finally:
            self.asked_at = 0.0

    def _keep(self, leasing: Leasing, tasks: KeeperTasks) -> bool:
        """Do the tasks, and renew the lease if it is time; tell whether there is an event."""
        if not self.worker:
            if tasks.joins:
                self.join_crawl(leasing)
            return tasks.joins
        is_new = is_renewed = now() - self._renewed >= self._pace * self._lease_secs / _RENEWALS
        if is_renewed:
            self._renew(leasing, tasks)
        self._hand_on(leasing.sql, tasks)  # before a host may be another worker's
        if tasks.give_back:
            leasing.give_back(self.worker, tasks.give_back)
        if tasks.returns_pages:
            self._box.put(PagesGranted(leasing.return_grant(self.worker), is_return=True))
            is_new = True
        if tasks.n_pages:
            self._box.put(PagesGranted(leasing.grant(self.worker, tasks.n_pages, self._terms.max_pages)))
            is_new = True
        taken = leasing.take(self.worker, tasks.n_hosts, _SOON_SECS) if tasks.n_hosts > 0 else []
        # Before any link of the taken hosts is there.
        if tasks.reads_answers and (taken or is_renewed) and (answers := self.answers.read(leasing.sql, self.numbers)):
            self._box.put(AnswersReceived(answers))
            is_new = True
        asked = tasks.ahead | {host.name: LinksWanted() for host in taken}
        if asked:
            n_written = self._box.n_written
            about = leasing.sql, self._crawl, [host.name for host in taken]
            handed_over = (read_robots(*about), read_troubles(*about)) if taken else ([], [])
            self._box.put(LinksRead(leasing.ahead(asked), asked, taken, n_written, *handed_over))
            is_new = True
        if tasks.draws:
            self._box.put(LinksDrawn(read_drawn(leasing.sql, self._crawl, list(tasks.draws), self._random)))
            is_new = True
        if tasks.records_from is not None:
            self.reader.begin_anew(tasks.records_from)
        if tasks.n_records and now() - self._read >= self._pace * _READ_SECS:
            is_new |= self._receive_records(leasing, tasks.n_records)
        if tasks.reads_texts and now() - self._read_texts >= self._pace * _READ_SECS:
            self._read_texts = now()
            if texts := self.texts.read(leasing.sql, self.numbers):
                self._box.put(TextsReceived(texts))
                is_new = True
        return self._inherit(leasing, tasks) or is_new

    def _hand_on(self, sql: Connection[Any], tasks: KeeperTasks) -> None:
        """Write what the next owners of hosts are to know."""
        if tasks.robots:
            write_robots(sql, self._crawl, tasks.robots)
        if tasks.troubles:
            write_troubles(sql, self._crawl, tasks.troubles)

    def _inherit(self, leasing: Leasing, tasks: KeeperTasks) -> bool:
        """Take over links of workers that have ended; tell whether there is anything."""
        if tasks.scores:
            self._box.put(ScoresRead(scores_of(leasing.sql, self._crawl, tasks.scores)))
            return True
        # A worker that has read no records lately may not know the links.
        if not tasks.inherits or now() - self._inherited < _INHERIT_SECS:
            return False
        records = self._inheritance.records(leasing.sql, self.worker, self.numbers, self.reader.finished)
        if not records:
            self._inherited = now()
            return False
        self._box.put(RecordsInherited(records))
        return True

    def _receive_records(self, leasing: Leasing, n_most: int) -> bool:
        """Read what other workers have learnt; tell whether there is anything."""
        records = self.reader.read(leasing.sql, self.numbers, n_most)
        if len(records) < n_most:
            self._read = now()
        if records:
            self._box.put(RecordsReceived(records))
        return bool(records)

    def _renew(self, leasing: Leasing, tasks: KeeperTasks) -> None:
        asked, n_written = now(), self._box.n_written
        leasing.renew(
            self.worker,
            is_busy=tasks.is_busy,
            n_hosts=tasks.n_own,
            best=tasks.best,
            demand=tasks.demand,
        )
        self.valid_until = asked + _ASKS_FOR * self._lease_secs
        if self._renewed and now() - self._renewed > _LATE * self._lease_secs:
            self._connections.outage.note_end()
        self._renewed = asked
        if asked - self._looked >= _OVERDUE_SECS and self._connections.outage.is_over_since(GRACE_SECS):
            self._looked = asked
            leasing.end_overdue()
        has_ended = not tasks.is_busy and leasing.is_over()
        totals, free, others, news, budget = leasing.read_state(self.worker)
        self._pace = pace(totals.n_pages)
        other_demand = None if tasks.demand is None else leasing.other_demand(self.numbers)
        if self._n_analyzed < len(_ANALYZED_AT) and totals.n_pages >= _ANALYZED_AT[self._n_analyzed]:
            self._n_analyzed = sum(totals.n_pages >= n_pages for n_pages in _ANALYZED_AT)
            leasing.analyze()
        self._box.put(
            KeeperReport(
                totals=totals,
                news=news,
                free=free,
                others=others,
                has_ended=has_ended,
                budget=budget,
                n_written=n_written,
                other_demand=other_demand,
            )
        )
