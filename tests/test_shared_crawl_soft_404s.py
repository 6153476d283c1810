"""Soft 404s of a site that two workers share, one of which is killed: over real sockets, with a real database server."""

from __future__ import annotations

import json
import os
import signal
import threading
from contextlib import ExitStack

import hand_made
import pytest
from commands import finished
from failing import worker_with_a_short_lease
from sites import Site
from test_crawl_soft_404s import ADDRESS, text
from test_shared_crawl import until, workers

pytest.importorskip("psycopg")

from focused.frontier.shared.schema import connect

pytestmark = pytest.mark.slow

N_ARTICLES = 12
"""Of each host: with these and some pages that are gone a host is asked."""


class SharedSite:
    """Two hosts with articles; of the first one the front page leads to a page that is gone, and there each page is answered.

    What it answers leads to more of its kind.
    """

    def __init__(self) -> None:
        self.site: Site | None = None
        self.addresses: list[str] = []
        self._lock = threading.Lock()

    def url(self, number: int) -> str:
        assert self.site is not None
        return f"http://127.0.3.{1 + number}:{self.site.url.rpartition(':')[2]}/"

    def __call__(self, path: str) -> bytes | None:
        host, name = path[2:].split("/", 1)
        if name == "robots.txt":
            return None
        if is_article(name):
            links = [(f"a{each}", "a star") for each in range(N_ARTICLES)]
            gone = [("gone/1", "a galaxy")] * (host == "127.0.3.1" and not name)
            body = f"<table><tr><td><b>{text(path)}</b></table>"
            return hand_made.html(body, *links, *gone, title=path)
        if host != "127.0.3.1":
            return None
        with self._lock:
            self.addresses += [name] * bool(ADDRESS.search(path))
        links = [(f"{name}/{each}", "a star and its planet") for each in range(3)]
        return hand_made.html(text(path), *((f"/{url}", said) for url, said in links), title=text(path)[70:100])


def is_article(name: str) -> bool:
    return name in ("", *(f"a{number}" for number in range(N_ARTICLES)))


def test_what_a_host_has_answered_is_known_to_the_worker_that_has_it_after_another_one_was_killed(
    models, tmp_path, database
):
    web = SharedSite()
    answers = "SELECT worker, answer FROM soft_404s WHERE name = '127.0.3.1'"
    owner = "SELECT owner FROM hosts WHERE name = '127.0.3.1'"
    with Site(web, "0.0.0.0", by_host=True) as web.site, ExitStack() as stack, connect(database) as sql:
        both = list(
            workers(
                stack, models, tmp_path, web, database, 2, 90, "on", f",{web.url(1)}", before=worker_with_a_short_lease
            )
        )

        def worker_that_asked() -> int | None:
            is_there = sql.execute("SELECT to_regclass('focused.soft_404s') IS NOT NULL").fetchone() == (True,)
            rows = sql.execute(answers).fetchall() if is_there else []
            return next((worker for worker, answer in rows if json.loads(answer)[1]), None)

        until(lambda: worker_that_asked() is not None)
        asked_by = worker_that_asked()
        [(n_before,)] = sql.execute("SELECT max(id) FROM pages").fetchall()
        [pid] = [
            int(name.rpartition(":")[2])
            for (name,) in sql.execute("SELECT name FROM workers WHERE id = %s", (asked_by,)).fetchall()
        ]
        os.kill(pid, signal.SIGKILL)
        until(lambda: (row := sql.execute(owner).fetchone()) is None or row[0] not in (asked_by, None))
        [killed] = [number for number, each in enumerate(both) if each.pid == pid]
        both[1 - killed].join(120)
        other = finished(both[1 - killed], tmp_path / str(1 - killed))
        assert other.exit_code == 0, other.err
        rows = sql.execute(
            "SELECT url, duplicate_of, worker FROM collected JOIN pages USING (url) WHERE page > %s", (n_before,)
        ).fetchall()
    assert len(web.addresses) == 2  # by both workers, in all their life
    gone = [
        (copy_of, worker)
        for url, copy_of, worker in rows
        if url.startswith(web.url(0)) and not is_article(url.removeprefix(web.url(0)))
    ]
    # All that the other worker has fetched of the host's soft 404s it has known for what they are.
    of_other = [copy_of for copy_of, worker in gone if worker != asked_by]
    assert of_other
    assert {ADDRESS.search(copy_of or "") is not None for copy_of in of_other} == {True}
    assert other.stats["focused/soft_404/pages_count"] >= len(of_other)
