"""One crawl by several processes over real sockets and a real database server."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter, defaultdict
from contextlib import ExitStack
from typing import TYPE_CHECKING

import hand_made
import pytest
from commands import crawl_argv, environment, finished, started
from failing import worker_in_a_short_crawl, worker_with_a_short_lease
from sites import Reply, Site

from focused.frontier.shared.schema import connect, make_tables

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from psycopg import Connection

pytestmark = pytest.mark.slow

N_HOSTS, N_PAGES, DELAY = 6, 90, 0.15
CLOSED = "http://127.0.3.99:1"
"""Where nobody answers."""
N_SHARE = 10
"""Pages that each worker has when one is killed."""


class ManyHosts:
    """Pages 0 to N_PAGES - 1 on several hosts; each links to others, and some redirect. Notes when it was asked for what.

    It answers with pages once it is open.
    """

    def __init__(self, *, is_flaky: bool = False, n_texts: int = 0) -> None:
        self.site: Site | None = None
        self._n_texts = n_texts  # that different pages have; 0: theirs differ in their numbers only
        self._is_flaky = is_flaky  # each page can be had at the second time only
        self.asked: dict[str, list[float]] = defaultdict(list)
        self.n_asked: Counter[str] = Counter()
        self.n_robots: Counter[str] = Counter()  # by host
        self._lock = threading.Lock()
        self.is_open = threading.Event()
        self.is_open.set()

    def url(self, number: int) -> str:
        assert self.site is not None
        port = self.site.url.rpartition(":")[2]
        return f"http://127.0.3.{1 + number % N_HOSTS}:{port}/{number}"

    def __call__(self, path: str) -> bytes | Reply | None:
        host, name = path[2:].split("/", 1)
        with self._lock:
            self.asked[host].append(time.monotonic())
            self.n_asked[name] += name.isdigit()
            self.n_robots[host] += name == "robots.txt"
            is_first = self.n_asked[name] == 1
        if name.isdigit():
            self.is_open.wait(120)
        if is_first and self._is_flaky:
            return Reply(b"try again", status=500)
        if not name.isdigit():
            return None
        number = int(name)
        links = [each for each in (2 * number + 1, 2 * number + 2, number // 3) if each < N_PAGES]
        text = f"{hand_made.STARS} {number}"
        if self._n_texts:
            text = f"{hand_made.STARS} " + " ".join(f"star{number % self._n_texts}of{each}" for each in range(80))
        return hand_made.html(text, *((self.url(each), f"star {each}") for each in links))


def open_for_both(web: ManyHosts, tmp_path: Path) -> None:
    """Let the web wait for the second worker: on a busy machine it begins some seconds later, with most pages fetched."""
    until(lambda: all((tmp_path / number / "is_ready").exists() for number in "01"))
    web.is_open.set()


def closed(database: str) -> ManyHosts:
    """Return a web that `open_for_both` opens."""
    with connect(database) as sql:
        make_tables(sql)
    web = ManyHosts()
    web.is_open.clear()
    return web


def until(true: Callable[[], bool], secs: float = 120.0) -> None:
    end = time.monotonic() + secs
    while not true():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.01)


def pages_by_worker(sql: Connection) -> dict[int, int]:
    return dict(sql.execute("SELECT worker, count(*) FROM pages GROUP BY worker").fetchall())


def workers(
    stack: ExitStack,
    models,
    tmp_path,
    web: ManyHosts,
    database: str,
    n_workers: int,
    max_pages: int = 0,
    copies="off",
    more_seeds="",
    before: Callable[[], None] = worker_in_a_short_crawl,
):
    settings = {
        "FOCUSED_DATABASE": database,
        "DOWNLOAD_DELAY": DELAY,
        "RANDOMIZE_DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": 0,
        "FOCUSED_COPIES": copies,
        "FOCUSED_METRICS_INTERVAL_SECS": 0,
        "FOCUSED_PRIVATE_ADDRESSES": "allow",
    }
    argv = crawl_argv(settings, crawl="all", seeds=web.url(0) + more_seeds, max_pages=max_pages)
    for number in range(n_workers):
        folder = tmp_path / str(number)
        folder.mkdir()
        yield stack.enter_context(started(*argv, cwd=folder, env=environment(models), before=before))


def test_two_workers_fetch_every_page_once_when_one_is_killed_and_no_host_is_asked_too_soon(models, tmp_path, database):
    web = closed(database)
    with Site(web, "0.0.0.0", by_host=True) as web.site, ExitStack() as stack:
        both = list(workers(stack, models, tmp_path, web, database, 2, before=worker_with_a_short_lease))
        open_for_both(web, tmp_path)
        with connect(database) as sql:
            until(lambda: [each >= N_SHARE for each in pages_by_worker(sql).values()] == [True, True])
        n_asked = sum(web.n_asked.values())
        assert both[0].pid is not None
        os.kill(both[0].pid, signal.SIGKILL)
        both[1].join(120)
        done = finished(both[1], tmp_path / "1")
    assert done.exit_code == 0, done.err
    with connect(database) as sql:
        fetched = [url for (url,) in sql.execute("SELECT url FROM pages")]
        by_worker = pages_by_worker(sql)
        states = dict(sql.execute("SELECT state, count(*) FROM links GROUP BY state").fetchall())
    assert sorted(fetched) == sorted(web.url(number) for number in range(N_PAGES))
    assert states == {2: N_PAGES}
    assert n_asked < N_PAGES  # it was killed in the middle
    assert len(by_worker) == 2
    # What was under way when the worker died is asked for again; nothing else is.
    assert sum(web.n_asked.values()) - N_PAGES <= 2 * N_HOSTS
    # Over two requests, for a busy machine may answer one of them late.
    gaps = [after - before for times in web.asked.values() for before, after in zip(times, times[2:], strict=False)]
    assert min(gaps) > DELAY


def test_a_crawl_whose_last_pages_are_retries_ends_with_its_budget_spent(models, tmp_path, database):
    web = ManyHosts(is_flaky=True)
    with Site(web, "0.0.0.0", by_host=True) as web.site, ExitStack() as stack:
        [worker] = workers(stack, models, tmp_path, web, database, 1, max_pages=12, more_seeds=f",{CLOSED}/")
        worker.join(120)
        assert not worker.is_alive(), "the retries that wait hold a place of the budget each, and are never asked for"
        done = finished(worker, tmp_path / "0")
    assert done.exit_code == 0, done.err
    assert "Finished (max_pages)" in done.err
    with connect(database) as sql:
        assert sql.execute("SELECT count(*) FROM pages").fetchone() == (12,)
        # What the host's next owner is to know.
        [trouble] = sql.execute("SELECT origin, n_failures, has_answered FROM troubles").fetchall()
        assert trouble == (CLOSED, 1, False)


def test_every_worker_learns_from_the_pages_of_all_and_one_that_comes_later_begins_with_them(
    models, tmp_path, database
):
    web = closed(database)
    n_first = 60
    with Site(web, "0.0.0.0", by_host=True) as web.site, ExitStack() as stack:
        both = list(workers(stack, models, tmp_path, web, database, 2, max_pages=n_first))
        open_for_both(web, tmp_path)
        for worker in both:
            worker.join(120)
        (tmp_path / "later").mkdir()
        web.is_open.clear()
        [worker] = workers(stack, models, tmp_path / "later", web, database, 1, max_pages=N_PAGES)
        with connect(
            database
        ) as sql:  # it looks for workers that have ended now and then: its few pages might be in before
            until(lambda: sql.execute("SELECT count(*) FROM workers WHERE heir IS NULL").fetchone() == (1,))
        web.is_open.set()
        worker.join(120)
    done = [finished(worker, tmp_path / str(number)) for number, worker in enumerate(both)]
    later = finished(worker, tmp_path / "later" / "0")
    assert [each.exit_code for each in (*done, later)] == [0, 0, 0], [each.err for each in (*done, later)]
    n_fetched = [each.stats["focused/pages/fetched_count"] for each in done]
    n_heard = [each.stats["focused/workers/heard_count"] for each in done]
    assert sum(n_fetched) == n_first
    for mine, heard in zip(n_fetched, n_heard, strict=True):
        assert n_first - mine - 12 <= heard <= n_first - mine  # the last ones may come when it ends
        assert mine
    assert later.stats["focused/pages/fetched_count"] == N_PAGES - n_first
    assert later.stats["focused/adaptive/outcomes_count"] >= n_first
    assert "focused/workers/heard_count" not in later.stats
    assert later.stats["focused/workers/taken_over_count"] > 0  # links of the workers that have ended
    assert sorted(web.n_robots.values()) == [1] * N_HOSTS  # it goes with the host to its next owner
    assert later.stats["focused/robots/handed_on_count"] > 0
    with connect(database) as sql:
        assert sql.execute("SELECT count(*) FROM workers WHERE heir IS NULL").fetchone() == (1,)


def test_a_copy_of_a_page_that_another_worker_fetched_is_no_second_relevant_page(models, tmp_path, database):
    n_texts, n_pages = 8, 24
    web = ManyHosts(n_texts=n_texts)
    with Site(web, "0.0.0.0", by_host=True) as web.site:
        for max_pages in (n_pages // 2, n_pages):  # a worker, and when it has ended another
            folder = tmp_path / str(max_pages)
            folder.mkdir()
            with ExitStack() as stack:
                [worker] = workers(stack, models, folder, web, database, 1, max_pages, "on")
                worker.join(120)
                done = finished(worker, folder / "0")
            assert done.exit_code == 0, done.err
    with connect(database) as sql:
        rows = sql.execute(
            "SELECT url, duplicate_of, worker FROM collected JOIN pages USING (url) ORDER BY page"
        ).fetchall()
        n_relevant = sql.execute("SELECT count(*) FROM pages WHERE relevant").fetchone()
    assert len(rows) == n_pages
    firsts: dict[int, str] = {}
    worker_of = {url: worker for url, _, worker in rows}
    for url, copy_of, _ in rows:
        assert firsts.setdefault(int(url.rpartition("/")[2]) % n_texts, url) == (copy_of or url)
    assert any(copy_of and worker_of[copy_of] != worker for _, copy_of, worker in rows)
    assert n_relevant == (len(firsts),)
    assert done.stats["focused/workers/texts_heard_count"] == n_pages // 2
