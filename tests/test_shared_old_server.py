# ruff: noqa: F811  fixtures of another module
"""A crawl on the oldest server that is promised to do: PostgreSQL 15, where this machine has it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commands import crawl_argv, environment, scrapy
from test_look_around import models, web  # noqa: F401  fixtures

pytest.importorskip("psycopg")

from focused.frontier.shared.schema import LEAST_SERVER, connect
from focused.retraining.versions import read_attempts

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS = Path(f"/usr/lib/postgresql/{LEAST_SERVER // 10_000}/bin")
"""Where Debian has them."""
USER = "postgres"


@pytest.fixture
def old_server(tmp_path_factory) -> Iterator[str]:
    """The URL of such a server. It refuses to run as root."""
    if not (PROGRAMS / "initdb").exists():
        if "FOCUSED_OLD_SERVER_REQUIRED" in os.environ:
            pytest.fail(f"{PROGRAMS} has no initdb")
        pytest.skip(f"no PostgreSQL {LEAST_SERVER // 10_000} on this machine")
    folder = Path(tmp_path_factory.getbasetemp()) / "old-server"
    folder.mkdir()
    options = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if os.getuid() == 0:
        options |= {"user": USER, "group": USER}
        for above in (folder, *folder.parents):
            if str(above).startswith("/tmp/"):
                above.chmod(0o755)
        shutil.chown(folder, USER, USER)
    data, control = folder / "data", PROGRAMS / "pg_ctl"
    subprocess.run([PROGRAMS / "initdb", "-D", data, "-A", "trust", "-U", USER, "-N"], cwd=folder, **options)
    start = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    subprocess.run([control, "-D", data, "-w", "-o", start, "start"], cwd=folder, **options)
    yield f"postgresql://{USER}@/postgres?host={folder}"
    subprocess.run([control, "-D", data, "-m", "immediate", "stop"], cwd=folder, **options)


@pytest.mark.slow
def test_the_oldest_server_that_is_promised_serves_workers_that_learn_together(old_server, web, models, tmp_path):
    settings = {"FOCUSED_DATABASE": old_server, "FOCUSED_UNLABELED": "met"}
    argv = crawl_argv(settings, topic="stars", crawl="old", web=web, max_pages=60, workers=2)
    done = scrapy(*argv, cwd=tmp_path, env=environment(models))
    assert done.exit_code == 0, done.err
    assert read_attempts(tmp_path / "run")
    with connect(old_server) as sql:
        assert sql.info.server_version // 10_000 == LEAST_SERVER // 10_000
        assert sql.execute("SELECT count(*), count(DISTINCT url) FROM pages").fetchone() == (60, 60)
