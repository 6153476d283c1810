"""Who is a worker, and which hosts are its own: the statements of the keeper.

Each is a transaction. All times are the database's (docs/method/many-workers.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from focused.frontier.shared.array_text import columns
from focused.frontier.shared.keys import host_key
from focused.frontier.shared.link_rows import WAITING_COLUMNS, WaitingLink, unnested, waiting_link
from focused.frontier.shared.written import LeaseLostError
from focused.frontier.store.schema import WAITING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from psycopg import Connection

_JOIN = """
INSERT INTO workers (crawl, name, alive_until) VALUES (%s, %s, clock_timestamp() + make_interval(secs => %s)) RETURNING id
"""
_RENEW = """
UPDATE workers SET alive_until = clock_timestamp() + make_interval(secs => %s), is_busy = %s, n_hosts = %s, best = %s,
    reckoning = coalesce(%s, reckoning)
WHERE id = %s AND ended_at IS NULL
"""
_OVERDUE = """
SELECT id FROM workers WHERE crawl = %s AND ended_at IS NULL AND alive_until < clock_timestamp() FOR UPDATE SKIP LOCKED
"""
_RELEASE_ALL = """
UPDATE hosts SET owner = NULL, next_at = greatest(hosts.next_at, {} + make_interval(secs => hosts.delay))
FROM workers WHERE hosts.crawl = workers.crawl AND hosts.owner = workers.id AND workers.id = %s
"""
# The next owner cannot know when a dead worker's host was asked last; not after the lease.
_RELEASE_OF_DEAD = _RELEASE_ALL.format("workers.alive_until")
# One that says good-bye asks for nothing any more.
_RELEASE_AT_ONCE = _RELEASE_ALL.format("clock_timestamp()")
_END = (
    "UPDATE workers SET ended_at = clock_timestamp(), is_busy = false, n_hosts = 0 WHERE id = %s AND ended_at IS NULL"
)
_BUDGET = "SELECT granted, n_pages FROM workers WHERE id = %s"
_IS_ALIVE = "SELECT 1 FROM workers WHERE id = %s AND ended_at IS NULL FOR SHARE"
_TAKE_IF = """
WITH free AS (
    SELECT crawl, domain, host FROM hosts
    WHERE crawl = %(crawl)s AND owner IS NULL AND best IS NOT NULL
        AND next_at <= clock_timestamp() + make_interval(secs => %(soon)s){}
    ORDER BY best LIMIT %(most)s FOR UPDATE OF hosts SKIP LOCKED
)
UPDATE hosts SET owner = %(worker)s FROM free
WHERE hosts.crawl = free.crawl AND hosts.domain = free.domain AND hosts.host = free.host
RETURNING hosts.name, hosts.best, extract(epoch FROM hosts.next_at - clock_timestamp()), hosts.delay,
    hosts.n_pages + hosts.n_failed, hosts.news, {}
"""
_TAKE = _TAKE_IF.format("", "0")
# Other workers' counts of a domain are not known: so all of its hosts that anybody owns are one worker's.
_TAKE_OF_DOMAINS = _TAKE_IF.format(
    """
        AND NOT EXISTS (SELECT 1 FROM hosts AS other WHERE other.crawl = hosts.crawl AND other.domain = hosts.domain
            AND other.owner <> %(worker)s)""",
    """(SELECT sum(other.n_pages + other.n_failed)::int8 FROM hosts AS other
        WHERE other.crawl = hosts.crawl AND other.domain = hosts.domain)""",
)
_OWN = "SELECT name, news FROM hosts WHERE crawl = %s AND owner = %s"
_FREE = """
SELECT best FROM hosts WHERE crawl = %s AND owner IS NULL AND best IS NOT NULL AND next_at <= clock_timestamp()
ORDER BY best LIMIT %s
"""
_COLUMNS = ", ".join(f"waiting.{each}" for each in WAITING_COLUMNS)
_AHEAD = (
    f"SELECT {_COLUMNS} FROM {unnested(('domain', 'host', 'most'), ('int8', 'int8', 'int8'))} CROSS JOIN LATERAL "
    "(SELECT * FROM links WHERE links.crawl = %s AND links.domain = given.domain AND links.host = given.host "
    f"AND links.state = {WAITING} ORDER BY links.rank LIMIT given.most) AS waiting"
)
_LOCK = (
    f"SELECT hosts.domain, hosts.host FROM {unnested(('domain', 'host'), ('int8', 'int8'))} "
    "JOIN hosts ON hosts.crawl = %s AND hosts.domain = given.domain AND hosts.host = given.host "
    "WHERE hosts.owner IS NOT DISTINCT FROM %s ORDER BY hosts.domain, hosts.host FOR UPDATE OF hosts"
)
_BEST = (
    "(SELECT links.rank FROM links WHERE links.crawl = hosts.crawl AND links.domain = hosts.domain "
    f"AND links.host = hosts.host AND links.state = {WAITING} ORDER BY links.rank LIMIT 1)"
)
_GIVE_BACK = (
    f"UPDATE hosts SET owner = NULL, best = {_BEST}, delay = given.delay, "
    "next_at = greatest(hosts.next_at, clock_timestamp() + make_interval(secs => given.rest)) "
    f"FROM {unnested(('domain', 'host', 'rest', 'delay'), ('int8', 'int8', 'float8', 'float4'))} "
    "WHERE hosts.crawl = %s AND hosts.domain = given.domain AND hosts.host = given.host "
    "AND hosts.owner IS NOT DISTINCT FROM %s"
)
_TOTALS = """
SELECT coalesce(sum(n_pages), 0)::int8, coalesce(sum(n_relevant), 0)::int8, coalesce(sum(n_found - n_ended), 0)::int8,
    count(*) FILTER (WHERE ended_at IS NULL), coalesce(bool_or(is_busy AND ended_at IS NULL), false),
    coalesce(sum(n_hosts) FILTER (WHERE ended_at IS NULL), 0)::int8,
    (SELECT coalesce(max(version), 1) FROM versions WHERE versions.crawl = %s AND accepted)
FROM workers WHERE crawl = %s
"""
# Not of those that may be dead.
_OTHERS = """
SELECT best FROM workers WHERE crawl = %s AND ended_at IS NULL AND id <> %s
    AND alive_until > clock_timestamp() + make_interval(secs => %s)
"""
# What those that have ended would have asked for counts, too.
_RECKONINGS = """
SELECT coalesce(sum(reckoning[1]), 0)::float8,
    coalesce(jsonb_agg(reckoning) FILTER (WHERE ended_at IS NULL AND alive_until > clock_timestamp()), '[]')
FROM workers WHERE crawl = %s AND reckoning IS NOT NULL AND id <> ALL(%s::int4[])
"""
# One snapshot. An owner gives a host back when nothing of it waits.
_IS_OVER = """
SELECT NOT EXISTS (SELECT 1 FROM workers WHERE crawl = %s AND ended_at IS NULL AND is_busy)
    AND NOT EXISTS (SELECT 1 FROM hosts WHERE crawl = %s AND owner IS NULL AND best IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM hosts WHERE crawl = %s AND owner IS NOT NULL)
"""
_LOCK_CRAWL = "SELECT id FROM crawls WHERE id = %s FOR UPDATE"
_GRANTED = """
SELECT coalesce(sum(CASE WHEN ended_at IS NULL THEN granted ELSE n_pages END), 0)::int8 FROM workers WHERE crawl = %s
"""
_GRANT = "UPDATE workers SET granted = granted + %s WHERE id = %s AND ended_at IS NULL RETURNING granted"
_RETURN = "UPDATE workers SET granted = n_pages WHERE id = %s AND ended_at IS NULL RETURNING granted"

_TAKING = 0x666F6376
"""Advisory lock, together with the crawl's number, of the worker that takes hosts where domains are counted."""
# While two workers were alive, time has passed once.
_SPENT = """
SELECT coalesce(sum(extract(epoch FROM upper(part) - lower(part))), 0)::float8 FROM unnest((
    SELECT range_agg(tstzrange(began_at, greatest(began_at, coalesce(ended_at, least(alive_until, clock_timestamp())))))
    FROM workers WHERE crawl = %s
)) AS part
"""
_ANALYZING = 0x666F6375
"""Advisory lock, together with the crawl's number, of the worker that lets the server count its rows."""


class TakenHost(NamedTuple):
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
        row = self.sql.execute(_JOIN, (self.crawl, name, self.secs)).fetchone()
        assert row is not None
        return int(row[0])

    def renew(
        self, worker: int, *, is_busy: bool, n_hosts: int, best: int | None, reckoning: list[float] | None = None
    ) -> None:
        """Renew a worker's lease, with what it tells the others; a `LeaseLostError` if the worker has ended."""
        values = self.secs, is_busy, n_hosts, best, reckoning, worker
        if not self.sql.execute(_RENEW, values).rowcount:
            raise LeaseLostError

    def end_overdue(self) -> list[int]:
        """End the workers whose time has run out, and make their hosts nobody's; return their numbers."""
        with self.sql.transaction():
            ended = [number for (number,) in self.sql.execute(_OVERDUE, (self.crawl,)).fetchall()]
            for number in ended:
                self.sql.execute(_RELEASE_OF_DEAD, (number,))
                self.sql.execute(_END, (number,))
        return ended

    def take(self, worker: int, n_hosts: int, soon_secs: float) -> list[TakenHost]:
        """Own so many more hosts, those with the best waiting links that may be asked soon; LeaseLostError as of renew."""
        with self.sql.transaction():
            if not self.sql.execute(_IS_ALIVE, (worker,)).rowcount:
                raise LeaseLostError
            values = {"crawl": self.crawl, "soon": soon_secs, "most": n_hosts, "worker": worker}
            if self.by_domain:
                # One after the other: the next statement sees what was taken before.
                self.sql.execute("SELECT pg_advisory_xact_lock(%s, %s)", (_TAKING, self.crawl))
            rows = self.sql.execute(_TAKE_OF_DOMAINS if self.by_domain else _TAKE, values).fetchall()
        return [
            TakenHost(name, best, float(rest) if rest is not None else 0.0, *others)
            for name, best, rest, *others in rows
        ]

    def news(self, worker: int) -> dict[str, int]:
        """Return the hosts of a worker, and of each a number that changes when other workers find links of it."""
        return dict(self.sql.execute(_OWN, (self.crawl, worker)).fetchall())

    def best_free(self, n_hosts: int) -> list[int]:
        """Return the best ranks of the best hosts that are nobody's and may be asked now, at most so many."""
        return [rank for (rank,) in self.sql.execute(_FREE, (self.crawl, n_hosts)).fetchall()]

    def bests_of_others(self, worker: int) -> list[int | None]:
        """Return the rank of the best link of each other worker; None of one that has nothing to ask for."""
        return [rank for (rank,) in self.sql.execute(_OTHERS, (self.crawl, worker, 0.8 * self.secs)).fetchall()]

    def reckonings(self, workers: Collection[int]) -> tuple[float, list[list[float]]]:
        """Return what all but these workers tell: requests of an impatient crawl in all, and the rows of those at work."""
        row = self.sql.execute(_RECKONINGS, (self.crawl, list(workers))).fetchone()
        assert row is not None
        return float(row[0]), row[1]

    def ahead(self, n_links: Mapping[str, int]) -> dict[str, list[WaitingLink]]:
        """Return the best waiting links of hosts, at most so many each; in their order."""
        names = {host_key(host): host for host in n_links}
        rows = sorted((*key, n_links[host]) for key, host in names.items())
        found: dict[str, list[WaitingLink]] = {host: [] for host in n_links}
        if rows:
            for row in self.sql.execute(_AHEAD, (*columns(rows), self.crawl)).fetchall():
                link = waiting_link(row, names.__getitem__)
                found[link.host_name].append(link)
        return found

    def give_back(self, worker: int, rests: Mapping[str, tuple[float, float]]) -> None:
        """Make hosts nobody's; of each the seconds until it may be asked, and its delay."""
        rows = sorted((*host_key(host), *times) for host, times in rests.items())
        if not rows:
            return
        given = columns(rows)
        with self.sql.transaction():
            # Locked first: what others have found by then is seen by the next statement.
            self.sql.execute(_LOCK, (*given[:2], self.crawl, worker))
            self.sql.execute(_GIVE_BACK, (*given, self.crawl, worker))

    def totals(self) -> Totals:
        """Return the figures of the crawl."""
        row = self.sql.execute(_TOTALS, (self.crawl, self.crawl)).fetchone()
        assert row is not None
        return Totals._make(row)

    def spent_secs(self) -> float:
        """Return how many seconds the crawl has had any worker."""
        row = self.sql.execute(_SPENT, (self.crawl,)).fetchone()
        return 0.0 if row is None else float(row[0])

    def is_over(self) -> bool:
        """Tell whether nothing waits and no worker can bring anything more."""
        row = self.sql.execute(_IS_OVER, (self.crawl, self.crawl, self.crawl)).fetchone()
        return row is not None and bool(row[0])

    def grant(self, worker: int, n_pages: int, max_pages: int) -> int:
        """Reserve pages of the crawl's budget for a worker, as far as some are left; return how many it has in all."""
        with self.sql.transaction():
            self.sql.execute(_LOCK_CRAWL, (self.crawl,))
            row = self.sql.execute(_GRANTED, (self.crawl,)).fetchone()
            assert row is not None
            # Towards the end small shares, so that no worker sits on what another could fetch.
            n_left = max_pages - row[0]
            return self._granted(_GRANT, (max(0, min(n_pages, n_left, 1 + n_left // 4)), worker))

    def budget_of(self, worker: int) -> tuple[int, int]:
        """Return how many pages of the budget are a worker's, and how many of them it has fetched."""
        row = self.sql.execute(_BUDGET, (worker,)).fetchone()
        return (0, 0) if row is None else (int(row[0]), int(row[1]))

    def return_grant(self, worker: int) -> int:
        """Give back what was granted to a worker that has nothing under way, and has not been fetched; return the rest."""
        with self.sql.transaction():
            self.sql.execute(_LOCK_CRAWL, (self.crawl,))
            return self._granted(_RETURN, (worker,))

    def _granted(self, statement: str, values: tuple[int, ...]) -> int:
        row = self.sql.execute(statement, values).fetchone()
        if row is None:
            raise LeaseLostError
        return int(row[0])

    def analyze(self) -> None:
        """Let the server count its rows anew, unless another worker does: without that it reads many for one."""
        with self.sql.transaction():
            row = self.sql.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", (_ANALYZING, self.crawl)).fetchone()
            if row is not None and row[0]:
                self.sql.execute("ANALYZE links, hosts")

    def leave(self, worker: int, rests: Mapping[str, tuple[float, float]]) -> None:
        """Say good-bye: all hosts are nobody's at once."""
        self.give_back(worker, rests)
        with self.sql.transaction():
            self.sql.execute(_RELEASE_AT_ONCE, (worker,))
            self.sql.execute(_END, (worker,))
