"""A crawl of the shared frontier: made by the first worker, joined by the others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from focused.frontier.shared.schema import SharedFrontierError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from psycopg import Connection

_MAKE = "INSERT INTO crawls (name, about) VALUES (%s, %s) ON CONFLICT (name) DO NOTHING"
_FIND = "SELECT id, about, extract(epoch FROM clock_timestamp() - began_at) FROM crawls WHERE name = %s"
_GO_ON = "UPDATE crawls SET ended_at = NULL, reason = NULL WHERE id = %s"
_END = "UPDATE crawls SET ended_at = now(), reason = %s WHERE id = %s AND ended_at IS NULL"


def join_crawl(sql: Connection[Any], name: str, about: Mapping[str, Any]) -> tuple[int, float]:
    """Make a crawl, or join it; return its number, and the seconds since it began.

    ``about`` is what all workers must agree on, as JSON values.

    Raises
    ------
    SharedFrontierError
        If the crawl is about something else.
    """
    sql.execute(_MAKE, (name, json.dumps(about)))
    row = sql.execute(_FIND, (name,)).fetchone()
    assert row is not None
    number, known, secs = row
    for what, value in about.items():
        if what in known and known[what] != json.loads(json.dumps(value)):
            raise SharedFrontierError(
                f"The crawl {name!r} of the database has {what} {known[what]!r}, this one {value!r}. Give the same, or "
                "choose another name for the crawl"
            )
    sql.execute(_GO_ON, (number,))
    return number, float(secs)


def end_crawl(sql: Connection[Any], crawl: int, reason: str) -> None:
    """Note that a crawl is over, and why."""
    sql.execute(_END, (reason, crawl))
