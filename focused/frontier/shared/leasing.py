"""`Leasing`: runs the keeper's statements, which say who is a worker, and which hosts are its own.

Each is a transaction. All times are the database's (docs/method/many-workers.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from focused.frontier.shared import lease_statements as statements
from focused.frontier.shared.array_text import columns
from focused.frontier.shared.commit_result import LeaseLostError
from focused.frontier.shared.keys import host_key
from focused.frontier.shared.link_rows import WaitingLink, waiting_link

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from psycopg import Connection

    from focused.frontier.shared.links_wanted import LinksWanted


_SURELY_ALIVE = 0.8
"""Share of a lease that is left to another worker, at least, while it renews it."""


class LeasedHost(NamedTuple):
    """A host that is this worker's from now on."""

    name: str
    best: int
    #: Seconds until it may be asked; below 0: now.
    rest: float
    delay: float
    #: Links of it that were ever asked for and have ended.
    n_asked: int
    news: int
    #: The same of all hosts of its registered domain, where that is limited.
    n_asked_of_domain: int = 0


class Totals(NamedTuple):
    """Figures of the whole crawl."""

    n_pages: int
    n_relevant: int
    n_waiting: int
    n_workers: int
    #: Whether any worker has, or may yet bring, something to do.
    is_busy: bool
    #: Hosts with waiting links that have an owner.
    n_hosts: int
    #: The version of the model that all are to use.
    version: int = 1
    #: The number of the worker that is alive and began first; 0: there is none.
    first: int = 0
    #: Why a worker has ended the crawl; None: none has.
    reason: str | None = None
    #: Whether one that was there before the first has ended while that was at work.
    has_lost: bool = False
    #: Pages of the crawl when the last training began.
    n_pages_trained: int = 0
    #: Pages of the budget that were granted, those that were fetched included.
    n_granted: int = 0
    #: Workers that have not fetched all that was granted to them.
    n_with_pages: int = 0

    def n_asking(self, max_pages: int) -> int:
        """Return how many workers may ask for something: where the budget is granted, those that have some of it left.

        >>> [Totals(290, 9, 9, 4, True, 9, n_granted=n, n_with_pages=1).n_asking(300) for n in (292, 300)]
        [4, 1]
        """
        return self.n_with_pages if 0 < max_pages <= self.n_granted else self.n_workers


class WorkerView(NamedTuple):
    """What a worker sees when it looks around."""

    totals: Totals
    #: Best ranks of the best hosts without an owner that may be asked now.
    free: list[int]
    #: The rank of the best link of each other worker; None of one that has nothing to ask for.
    others: list[int | None]
    #: The worker's hosts, and of each a number that changes when other workers find links of it.
    news: dict[str, int]
    #: Pages of the budget that are the worker's, and that it has fetched.
    budget: tuple[int, int]


@dataclass(frozen=True)
class Leasing:
    """The statements, for one crawl; ``secs``: how long a lease lasts that is not renewed."""

    sql: Connection[Any]
    crawl: int
    secs: float
    #: Whether all hosts of a registered domain that have an owner have the same one: its links are counted, and limited.
    by_domain: bool = False

    def join(self, name: str) -> int:
        """Become a worker; return its number."""
        row = self.sql.execute(statements.JOIN, (self.crawl, name, self.secs)).fetchone()
        assert row is not None
        return int(row[0])

    def renew(
        self, worker: int, *, is_busy: bool, n_hosts: int, best: int | None, demand: list[float] | None = None
    ) -> None:
        """Renew a worker's lease, with what it tells the others; a `LeaseLostError` if the worker has ended."""
        values = self.secs, is_busy, n_hosts, best, demand, worker
        if not self.sql.execute(statements.RENEW, values).rowcount:
            raise LeaseLostError

    def end_overdue(self) -> list[int]:
        """End the workers whose lease has run out, and release their hosts; return the workers' numbers."""
        with self.sql.transaction():
            ended = [number for (number,) in self.sql.execute(statements.OVERDUE, (self.crawl,)).fetchall()]
            for number in ended:
                self.sql.execute(statements.RELEASE_OF_DEAD, (number,))
                self.sql.execute(statements.END, (number,))
        return ended

    def take(self, worker: int, n_hosts: int, soon_secs: float) -> list[LeasedHost]:
        """Own so many more hosts, those with the best waiting links that may be asked soon; LeaseLostError as of renew."""
        if self.sql.execute(statements.IS_ANY_FREE, (self.crawl, soon_secs)).fetchone() is None:
            return []
        with self.sql.transaction():
            if not self.sql.execute(statements.IS_ALIVE, (worker,)).rowcount:
                raise LeaseLostError
            values = {"crawl": self.crawl, "soon": soon_secs, "most": n_hosts, "worker": worker}
            if self.by_domain:
                # One after the other: the next statement sees what was taken before.
                self.sql.execute("SELECT pg_advisory_xact_lock(%s, %s)", (statements.TAKING, self.crawl))
            rows = self.sql.execute(
                statements.TAKE_OF_DOMAINS if self.by_domain else statements.TAKE, values
            ).fetchall()
        return [
            LeasedHost(name, best, float(rest) if rest is not None else 0.0, *others)
            for name, best, rest, *others in rows
        ]

    def read_state(self, worker: int, n_free: int = 8) -> WorkerView:
        """Return what a worker sees; of the free hosts at most so many."""
        values = {"crawl": self.crawl, "worker": worker, "most": n_free, "secs": _SURELY_ALIVE * self.secs}
        row = self.sql.execute(statements.STATE, values, binary=True).fetchone()
        assert row is not None
        *totals, free, others, hosts, news, granted, n_pages = row
        return WorkerView(
            Totals._make(totals), free, others, dict(zip(hosts, news, strict=True)), (granted or 0, n_pages or 0)
        )

    def other_demand(self, workers: Collection[int]) -> tuple[float, list[list[float]]]:
        """Return what all but these workers tell: requests of an impatient crawl in all, and the rows of those at work."""
        row = self.sql.execute(statements.OTHER_DEMAND, (self.crawl, list(workers))).fetchone()
        assert row is not None
        return float(row[0]), row[1]

    def ahead(self, wanted: Mapping[str, LinksWanted]) -> dict[str, list[WaitingLink]]:
        """Return waiting links of hosts, those of each that are wanted; in their order."""
        names = {host_key(host): host for host in wanted}
        rows = sorted((*key, *wanted[host].values) for key, host in names.items())
        found: dict[str, list[WaitingLink]] = {host: [] for host in wanted}
        if rows:
            for row in self.sql.execute(statements.AHEAD, (*columns(rows), self.crawl)).fetchall():
                link = waiting_link(row, names.__getitem__)
                found[link.host_name].append(link)
        return found

    def give_back(self, worker: int, rests: Mapping[str, tuple[float, float]]) -> None:
        """Release hosts. ``rests``: of each the seconds until it may be asked, and its delay."""
        rows = sorted((*host_key(host), *times) for host, times in rests.items())
        if not rows:
            return
        given = columns(rows)
        with self.sql.transaction():
            # Locked first: what others have found by then is seen by the next statement.
            self.sql.execute(statements.LOCK, (*given[:2], self.crawl, worker))
            self.sql.execute(statements.GIVE_BACK, (*given, self.crawl, worker))

    def spent_secs(self) -> float:
        """Return how many seconds the crawl has had any worker."""
        row = self.sql.execute(statements.SPENT, (self.crawl,)).fetchone()
        return 0.0 if row is None else float(row[0])

    def is_over(self) -> bool:
        """Tell whether nothing waits and no worker can bring anything more."""
        row = self.sql.execute(statements.IS_OVER, (self.crawl, self.crawl, self.crawl)).fetchone()
        return row is not None and bool(row[0])

    def grant(self, worker: int, n_pages: int, max_pages: int) -> int:
        """Reserve pages of the crawl's budget for a worker, as far as some are left; return how many it has in all."""
        with self.sql.transaction():
            self.sql.execute(statements.LOCK_CRAWL, (self.crawl,))
            row = self.sql.execute(statements.GRANTED, (self.crawl,)).fetchone()
            assert row is not None
            # Towards the end small shares, so that no worker sits on what another could fetch.
            n_left = max_pages - row[0]
            return self._granted(statements.GRANT, (max(0, min(n_pages, n_left, 1 + n_left // 4)), worker))

    def return_grant(self, worker: int) -> int:
        """Give back what was granted to a worker that has nothing under way, and has not been fetched; return the rest."""
        with self.sql.transaction():
            self.sql.execute(statements.LOCK_CRAWL, (self.crawl,))
            return self._granted(statements.RETURN, (worker,))

    def _granted(self, statement: str, values: tuple[int, ...]) -> int:
        row = self.sql.execute(statement, values).fetchone()
        if row is None:
            raise LeaseLostError
        return int(row[0])

    def analyze(self) -> None:
        """Have the server update its statistics (ANALYZE), unless another worker does: its plans are poor without them."""
        with self.sql.transaction():
            row = self.sql.execute(
                "SELECT pg_try_advisory_xact_lock(%s, %s)", (statements.ANALYZING, self.crawl)
            ).fetchone()
            if row is not None and row[0]:
                self.sql.execute("ANALYZE links, hosts")

    def leave(self, worker: int, rests: Mapping[str, tuple[float, float]]) -> None:
        """End the worker, and release all its hosts at once."""
        self.give_back(worker, rests)
        with self.sql.transaction():
            self.sql.execute(statements.RELEASE_AT_ONCE, (worker,))
            self.sql.execute(statements.END, (worker,))
