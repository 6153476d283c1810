"""Hands robots.txt files on with their hosts, so that all workers together read each once a day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from focused.frontier.shared.boot_clock import now
from focused.frontier.shared.host_handover import HostHandover, read_by_host, write_by_origin

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from psycopg import Connection

_WRITE = """
INSERT INTO robots (crawl, domain, host, origin, content, read_at)
VALUES (%s, %s, %s, %s, %s, clock_timestamp() - make_interval(secs => %s))
ON CONFLICT (crawl, domain, host, origin) DO UPDATE SET content = excluded.content, read_at = excluded.read_at
WHERE robots.read_at < excluded.read_at
"""
_COLUMNS = "origin, content, extract(epoch FROM clock_timestamp() - read_at)::float8"


class KnownRobots(NamedTuple):
    """What an origin says in its robots.txt, and how many seconds ago it was read."""

    origin: str
    #: Empty: there is none.
    text: bytes
    age_secs: float


class SharedRobots(HostHandover):
    """Hands on what robots.txt files say; ``on_known`` is called with origin, text and age in seconds."""

    def hand_on(self, origin: str, text: bytes) -> None:
        """Hand on the text of a robots.txt that was read now; empty: there is none."""
        self._exchange.add_tasks(robots={origin: (text, now())})


def write_robots(sql: Connection[Any], crawl: int, robots: Mapping[str, tuple[bytes, float]]) -> None:
    """Keep texts by their origins, each with the moment of `now` at which it was read; a later one that is there stays."""
    rows = {origin: (text, max(0.0, now() - read)) for origin, (text, read) in robots.items()}
    write_by_origin(sql, _WRITE, crawl, rows)


def read_robots(sql: Connection[Any], crawl: int, hosts: Collection[str]) -> list[KnownRobots]:
    """Return what is known of hosts, by their names."""
    return [KnownRobots._make(row) for row in read_by_host(sql, "robots", _COLUMNS, crawl, hosts)]
