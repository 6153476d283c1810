"""A crawl of the shared frontier: made by the first worker, joined by the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg import Connection

_MAKE = "INSERT INTO crawls (name, about) VALUES (%s, '{}') ON CONFLICT (name) DO NOTHING"
_FIND = "SELECT id, extract(epoch FROM clock_timestamp() - began_at) FROM crawls WHERE name = %s"
_GO_ON = "UPDATE crawls SET ended_at = NULL, reason = NULL WHERE id = %s"
_END = "UPDATE crawls SET ended_at = now(), reason = %s WHERE id = %s AND ended_at IS NULL"


def join_crawl(sql: Connection[Any], name: str) -> tuple[int, float]:
    """Make a crawl, or join it; return its number, and the seconds since it began."""
    sql.execute(_MAKE, (name,))
    row = sql.execute(_FIND, (name,)).fetchone()
    assert row is not None
    number, secs = row
    sql.execute(_GO_ON, (number,))
    return number, float(secs)


def end_crawl(sql: Connection[Any], crawl: int, reason: str) -> None:
    """Note that a crawl is over, and why."""
    sql.execute(_END, (reason, crawl))
