"""The robots.txt files that workers hand on with their hosts: one of them reads each, once a day over all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from focused.frontier.shared.events import now
from focused.frontier.shared.keys import host_key
from focused.frontier.store.link import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from psycopg import Connection

    from focused.frontier.shared.exchange import Exchange

_WRITE = """
INSERT INTO robots (crawl, domain, host, origin, content, read_at)
VALUES (%s, %s, %s, %s, %s, clock_timestamp() - make_interval(secs => %s))
ON CONFLICT (crawl, domain, host, origin) DO UPDATE SET content = excluded.content, read_at = excluded.read_at
WHERE robots.read_at < excluded.read_at
"""
_READ = """
SELECT robots.origin, robots.content, extract(epoch FROM clock_timestamp() - robots.read_at)::float8
FROM unnest(%s::int8[], %s::int8[]) AS given (domain, host) JOIN robots
ON robots.crawl = %s AND robots.domain = given.domain AND robots.host = given.host
"""


class KnownRobots(NamedTuple):
    """What an origin (scheme, host and port) says in its robots.txt, and how many seconds ago it was read."""

    origin: str
    #: Empty: there is none.
    text: bytes
    age_secs: float


class SharedRobots:
    """What a worker has read, on its way to the next owners of the hosts; and what earlier owners have read."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        #: Called with an origin, its text and its age in seconds when a host is this worker's from now on.
        self.on_known: Callable[[str, bytes, float], None] = lambda origin, text, age: None

    def was_read(self, origin: str, text: bytes) -> None:
        """Hand on the text of a robots.txt that was read now; empty: there is none."""
        self._exchange.wish(robots={origin: (text, now())})

    def hear(self, robots: Collection[KnownRobots]) -> None:
        """Take in what earlier owners of hosts have read."""
        for known in robots:
            self.on_known(*known)


def write_robots(sql: Connection[Any], crawl: int, robots: Mapping[str, tuple[bytes, float]]) -> None:
    """Keep texts by their origins, each with the moment of `now` at which it was read; a later one that is there stays."""
    # In the order of the keys, as all that workers lock.
    rows = sorted((*host_key(host_of(origin)), origin, *found) for origin, found in robots.items())
    with sql.transaction(), sql.cursor() as cursor:
        cursor.executemany(_WRITE, [(crawl, *row[:-1], max(0.0, now() - row[-1])) for row in rows])


def read_robots(sql: Connection[Any], crawl: int, hosts: Collection[str]) -> list[KnownRobots]:
    """Return what is known of hosts, by their names."""
    keys = [host_key(host) for host in hosts]
    values = [key.domain for key in keys], [key.host for key in keys], crawl
    return [KnownRobots._make(row) for row in sql.execute(_READ, values).fetchall()]
