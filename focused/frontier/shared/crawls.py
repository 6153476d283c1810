"""Crawls in a database: the settings that their workers agree on, and the topic as the bytes of its files."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from focused.frontier.shared.schema import SharedFrontierError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from psycopg import Connection

_MAX_BYTES = 300_000_000
"""Of a topic's files together."""


class KnownCrawl(NamedTuple):
    """A crawl that is in the database."""

    id: int
    #: What every worker must agree with: plain data.
    about: dict[str, Any]
    #: Workers whose lease has not run out.
    n_alive: int
    #: Why it ended; None: it goes on.
    reason: str | None


def find_crawl(connection: Connection[Any], name: str) -> KnownCrawl | None:
    """Return the crawl of a name; None if there is none."""
    row = connection.execute(
        """SELECT id, about, reason, (SELECT count(*) FROM workers
               WHERE crawl = crawls.id AND ended_at IS NULL AND alive_until > clock_timestamp())
           FROM crawls WHERE name = %s""",
        (name,),
    ).fetchone()
    return None if row is None else KnownCrawl(row[0], dict(row[1]), row[3], row[2])


def crawl_names(connection: Connection[Any]) -> list[str]:
    """Return the names of all crawls, the newest first."""
    return [name for (name,) in connection.execute("SELECT name FROM crawls ORDER BY id DESC")]


def begin_crawl(
    connection: Connection[Any], name: str, about: Mapping[str, Any], files: Mapping[str, bytes]
) -> int | None:
    """Put a crawl into the database with its topic's files; return its number, or None where another worker was first."""
    with connection.transaction():
        row = connection.execute(
            "INSERT INTO crawls (name, about) VALUES (%s, %s::jsonb) ON CONFLICT (name) DO NOTHING RETURNING id",
            (name, json.dumps(about)),
        ).fetchone()
        if row is None:
            return None
        for file, content in files.items():
            connection.execute(
                "INSERT INTO files (crawl, name, sha256, content) VALUES (%s, %s, %s, %s)",
                (row[0], file, hashlib.sha256(content).hexdigest(), content),
            )
        return int(row[0])


def change_about(connection: Connection[Any], number: int, about: Mapping[str, Any]) -> None:
    """Change something in a crawl that has no worker now, such as a limit."""
    connection.execute(
        "UPDATE crawls SET about = %s::jsonb, ended_at = NULL, reason = NULL WHERE id = %s", (json.dumps(about), number)
    )


def topic_files(connection: Connection[Any], number: int, version: int = 1) -> dict[str, bytes]:
    """Return the files of a version of a crawl's topic by their names.

    Raises
    ------
    SharedFrontierError
        If they are not what was put there, or larger than a topic can be.
    """
    size = connection.execute(
        "SELECT coalesce(sum(octet_length(content)), 0) FROM files WHERE crawl = %s AND version = %s",
        (number, version),
    ).fetchone()
    if size is None or size[0] > _MAX_BYTES:
        raise SharedFrontierError(f"The topic in the crawl's database is larger than {_MAX_BYTES:,} bytes")
    found = {}
    for name, sha256, content in connection.execute(
        "SELECT name, sha256, content FROM files WHERE crawl = %s AND version = %s ORDER BY name", (number, version)
    ):
        if hashlib.sha256(content).hexdigest() != sha256:
            raise SharedFrontierError(
                f"The file {name!r:.60} of the topic in the crawl's database is damaged. Begin another crawl: -a crawl=NAME"
            )
        found[name] = bytes(content)
    return found
