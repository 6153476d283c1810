"""Both stores of links behind one face, so that one test serves both: what the one answers at once, the other's threads bring.

`SQLiteStore` is the file of one process, `PostgreSQLStore` one worker of a crawl on a real server.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from focused.frontier.store.answers import KNOWN, MERGED, NEW, SENT, TAKEN_OVER
from focused.frontier.store.limits import StoreLimits
from focused.frontier.store.link import FrontierLink, Leased, fingerprint_of
from focused.frontier.store.link_order import LinkOrder
from focused.frontier.store.ranks import Ranks
from focused.frontier.store.store import FrontierStore
from focused.method.scoring.base import BELOW, BY_ANCHOR
from focused.method.scoring.evidence import Evidence, better
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from psycopg import Connection

    from focused.frontier.shared.store import SharedStore
    from focused.frontier.shared.worker import Worker
    from focused.frontier.store.interface import LinkStore

_SECS = 60.0


def link(
    url: str, score: float = 0.5, *, admitted: bool = True, extra: int = 0, tunnel: int = 0, **more: Any
) -> FrontierLink:
    url = url if "://" in url else f"http://{url}"
    evidence = Evidence(**{"score": score, "reason": BY_ANCHOR if admitted else BELOW, "admitted": admitted, **more})
    return FrontierLink(fingerprint_of(url, host_of(url)), url, evidence, extra, tunnel)


def _order(options: dict[str, Any]) -> LinkOrder:
    return LinkOrder(options.get("merge", better), Ranks(is_newest_first=options.get("order") == "newest"))


def _limits(options: dict[str, Any]) -> StoreLimits:
    return StoreLimits(**{name: options[name] for name in StoreLimits._fields if name in options})


class SQLiteStore:
    """A store in a file."""

    name = "SQLite"

    def __init__(self, folder: Path, **options: Any) -> None:
        self._folder, self._options = folder, options
        self.store: LinkStore
        self.store = self._file = FrontierStore(
            folder / "frontier.sqlite", order=_order(options), limits=_limits(options)
        )

    def add(self, *links: FrontierLink) -> list[str]:
        """Take links in; say what came of each."""
        return self.store.add(links)

    def next(self, *about: Any) -> Leased | None:
        """Lease the best link that may be asked."""
        return self.store.next(*about)

    def commit(self) -> None:
        """Make durable what has changed."""
        self.store.commit()

    def settle(self) -> None:
        """Wait until nothing is on its way."""

    def counts(self) -> dict[str, int]:
        """How many links are in each state; those under way count as waiting."""
        counts = dict(self._file.counts())
        counts["waiting"] += counts.pop("leased")
        return counts

    def reopened(self, **options: Any) -> SQLiteStore:
        """Close it; return it as whoever opens it next has it. What was not committed is lost, as in a crash."""
        self.close()
        return SQLiteStore(self._folder, **(self._options | options))

    crashed = reopened

    def close(self) -> None:
        """Close the file, once or again."""
        self.store.close()


def until(true: Callable[[], bool], worker: Worker) -> None:
    """Let a worker take in what its threads do until something is true."""
    end = time.monotonic() + _SECS
    while not true():
        assert time.monotonic() < end, "not in time"
        worker.process_events()
        time.sleep(0.002)


def commit(store: SharedStore) -> None:
    """Wait until what has changed is durable."""
    store.commit()
    until(lambda: not store.worker.exchange.n_pending, store.worker)
    store.worker.process_events()


def settle(store: SharedStore, sql: Connection[Any]) -> None:
    """Wait until all that waits in the database is one worker's, and known to it."""
    commit(store)
    worker = store.worker
    owners = "SELECT name, owner FROM hosts WHERE crawl = %s AND (best IS NOT NULL OR owner IS NOT NULL)"

    def is_known() -> bool:
        own = {own.name: worker.exchange.worker for own in worker.own_hosts}
        return dict(sql.execute(owners, (worker.exchange.crawl,)).fetchall()) == own and not any(
            each.is_being_read or each.wants_links or (each.is_empty and each.is_idle) for each in worker.own_hosts
        )

    until(is_known, worker)


class PostgreSQLStore:
    """A worker of a crawl; the database is asked as soon as there is something to ask."""

    name = "PostgreSQL"

    def __init__(self, database: str, crawl: str = "a crawl", **options: Any) -> None:
        from focused.frontier.shared.exchange import Exchange
        from focused.frontier.shared.schema import connect
        from focused.frontier.shared.store import SharedStore
        from focused.frontier.shared.worker import Worker
        from focused.frontier.shared.worker_terms import Database, WorkerTerms

        self._database, self._crawl, self._options, self._is_closed = database, crawl, options, False
        order = _order(options)
        terms = WorkerTerms("test", by_domain="max_per_domain" in options)
        exchange = Exchange(Database(database), crawl, terms=terms, order=order)
        self.worker = worker = Worker(exchange, max_hosts=options.get("max_hosts", 64))
        self.store: LinkStore
        self.store = self._shared = SharedStore(worker, order.ranks, _limits(options))
        self._new: set[int] = set()
        self._joined: dict[int, bool] = {}
        worker.on_written = self._written
        # It is asked after each step: a connection for each time would take the server longer than all the rest.
        self._sql = connect(database)

    def _written(self, written: Any) -> None:
        self._new |= {link.number for link in written.new}
        self._joined |= {link.number: link.request is not None for link, _ in written.joined}

    def add(self, *links: FrontierLink) -> list[str]:
        """Take links in; say what came of each when the database has them."""
        answers = self.store.add(links)
        self.commit()
        found = []
        for link, answer in zip(links, answers, strict=True):
            if answer != SENT:
                found.append(answer)
            elif link.fingerprint in self._new:
                self._new.discard(link.fingerprint)
                found.append(NEW)
            elif link.fingerprint in self._joined:
                found.append(TAKEN_OVER if self._joined[link.fingerprint] else MERGED)
            else:
                found.append(KNOWN)
        self._joined.clear()
        return found

    def next(self, *about: Any) -> Leased | None:
        """Lease the best link that may be asked, of hosts that are taken when they are wanted."""
        self.settle()
        return self.store.next(*about)

    def commit(self) -> None:
        """Wait until what has changed is durable."""
        commit(self._shared)

    def settle(self) -> None:
        """Wait until all that waits in the database is this worker's, and known to it."""
        settle(self._shared, self._sql)

    def counts(self) -> dict[str, int]:
        """How many links are in each state, as the database has them; those under way wait there."""
        from focused.frontier.shared.view import SharedFrontierView

        self.commit()
        counts = SharedFrontierView(self._sql, self.worker.exchange.crawl, self._crawl, {}).counts()
        assert counts.pop("leased") == 0
        return counts

    def reopened(self, **options: Any) -> PostgreSQLStore:
        """Say good-bye; return another worker of the crawl."""
        self.close()
        return PostgreSQLStore(self._database, self._crawl, **(self._options | options))

    def crashed(self, **options: Any) -> PostgreSQLStore:
        """End without a word; return another worker, who comes when the lease has run out."""
        from focused.frontier.shared.leasing import Leasing

        exchange = self.worker.exchange
        for thread in (exchange.committer, exchange.keeper):
            thread.stop()
            thread.join()
        self._is_closed = True
        with self._sql as sql:
            sql.execute("UPDATE workers SET alive_until = clock_timestamp() WHERE crawl = %s", (exchange.crawl,))
            Leasing(sql, exchange.crawl, 1.0).end_overdue()
        return PostgreSQLStore(self._database, self._crawl, **(self._options | options))

    def close(self) -> None:
        """Say good-bye, once."""
        if not self._is_closed:
            self._is_closed = True
            self._sql.close()
            assert not self.store.close()


AStore = SQLiteStore | PostgreSQLStore


@contextmanager
def quick_threads(patch: Any) -> Iterator[None]:
    """Let the threads of workers look for something to do all the time: tests wait for them."""
    patch.setattr("focused.frontier.shared.keeper._TICK_SECS", 0.002)
    patch.setattr("focused.frontier.shared.keeper._RENEWALS", 1_000)
    patch.setattr("focused.frontier.shared.committer._BETWEEN_SECS", 0.0)
    yield


def drain(at: AStore) -> list[str]:
    """Fetch all there is; return the URLs in their order, without "http://"."""
    urls = []
    while (leased := at.next()) is not None:
        at.store.done(leased.id, relevant=True)
        urls.append(leased.url.removeprefix("http://"))
    return urls
