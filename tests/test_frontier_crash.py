"""A crawl that is killed goes on with the same command: nothing is lost, nothing is there twice."""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import hand_made
import pytest
from commands import crawl, crawl_argv, environment, finished, read_json_lines, scrapy, started
from failing import stop_while_opening
from sites import Reply, Site, redirect
from warcio.archiveiterator import ArchiveIterator

from focused.collection.view import CollectionView
from focused.frontier.store.schema import lock
from focused.utils.file_names import FRONTIER_FILE

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

DURABLE = {
    "SCHEDULER": "focused.frontier.scheduler.FrontierScheduler",
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "CONCURRENT_REQUESTS": 8,
    "FOCUSED_METRICS_INTERVAL_SECS": 0,
    "FOCUSED_HARVEST_EVERY_PAGES": 1,
}
N_PAGES = 80


def small_disk(folder: Path, size: str) -> Path:
    """Mount an empty disk of a size (``48m``) at a folder, which the test unmounts."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a small disk")
    return folder


def page(path: str) -> bytes | Reply | None:
    """A tree of pages with links back and across; some redirect, some are missing."""
    name = path.strip("/")
    if path == "/robots.txt" or not name.isdigit() or int(name) >= N_PAGES:
        return None
    number = int(name)
    if number % 20 == 7:
        return redirect(f"/{number - 1}")  # to a known page
    links = [(f"/{number * 4 + k}", "nebula" if k % 2 else "soup") for k in range(1, 5)]
    links += [(f"/{number // 2}", "back"), (f"/{(number * 7) % N_PAGES}", "a star")]
    # Slow enough to be killed in the middle.
    return Reply(
        hand_made.html(f"{hand_made.STARS if number % 3 else hand_made.FOOD} {number}", *links),
        wait=lambda: time.sleep(0.02),
    )


def reachable() -> set[str]:
    seen, queue = {"/0"}, ["/0"]
    while queue:
        path = queue.pop()
        number = int(path.strip("/"))
        if number % 20 == 7:
            targets = [number - 1]
        else:
            targets = [number * 4 + k for k in range(1, 5)] + [number // 2, (number * 7) % N_PAGES]
        for target in targets:
            if target < N_PAGES and f"/{target}" not in seen:
                seen.add(f"/{target}")
                queue.append(f"/{target}")
    return {path for path in seen if int(path.strip("/")) % 20 != 7}


def records(path) -> list[str]:
    with path.open("rb") as file:
        return [
            record.rec_headers.get_header("WARC-Target-URI")
            for record in ArchiveIterator(file, check_digests=True)
            if record.rec_type == "response" and record.http_headers.get_statuscode() == "200"
        ]


def n_done(run_dir) -> int:
    try:
        file = sqlite3.connect(f"file:{run_dir / 'frontier.sqlite'}?mode=ro", uri=True)
        try:
            return file.execute("SELECT count(*) FROM links WHERE state = 2").fetchone()[0]
        finally:
            file.close()
    except sqlite3.Error:
        return 0


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_crawl_goes_on_where_it_was(models, tmp_path, end):
    generator = random.Random(3)
    settings = {**DURABLE, "FOCUSED_WARC": "all"}
    with Site(page) as site:
        argv = crawl_argv(settings, seeds=f"{site.url}/0")
        n_before = 0
        for _ in range(3):
            target = n_before + generator.randrange(5, 13)
            with started(*argv, cwd=tmp_path, env=environment(models)) as process:
                deadline = time.monotonic() + 180
                while n_done(tmp_path / "run") < target:
                    assert time.monotonic() < deadline, (tmp_path / "err").read_text()
                    assert process.is_alive(), (tmp_path / "err").read_text()
                    time.sleep(0.03)
                os.kill(process.pid, end)
            assert n_done(tmp_path / "run") >= target
            n_before = n_done(tmp_path / "run")
        with started(*argv, cwd=tmp_path, env=environment(models)) as process:
            pass
        asked = Counter(path for path in site.asked if path != "/robots.txt")
        port = site.url
    result = finished(process, tmp_path)
    assert result.exit_code == 0, result.err
    assert "Resuming in" in result.err
    wanted = {f"{port}{path}" for path in reachable()}
    assert len(wanted) > 60
    # Nothing lost, nothing twice: in every file.
    with (result.run_dir / "fetched.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert Counter(row["url"] for row in rows) == Counter(wanted)
    assert [int(row["number"]) for row in rows] == list(range(1, len(wanted) + 1))
    relevant = [row["url"] for row in rows if row["relevant"] in ("1", "True", "true")]
    assert sorted(each["url"] for each in read_json_lines(result.run_dir / "pages.jsonl")) == sorted(relevant)
    assert Counter(records(result.run_dir / "pages.warc.gz")) >= Counter(wanted)
    assert len([url for url in records(result.run_dir / "pages.warc.gz") if not url.endswith("robots.txt")]) == len(
        wanted
    )
    with CollectionView(result.run_dir) as view:
        kept = list(view.pages())
    assert [(row["number"], row["url"]) for row in kept] == [(int(row["number"]), row["url"]) for row in rows]
    assert [row["url"] for row in kept if row["delivered"]] == relevant
    # Metrics go on: one row a page, each once.
    assert [int(row["pages"]) for row in result.harvest] == list(range(1, len(wanted) + 1))
    assert result.stats["focused/pages/fetched_count"] == len(wanted)
    assert result.stats["focused/pages/relevant_count"] == len(relevant)
    # So do the counters, whichever process counted.
    assert result.stats["item_scraped_count"] == result.stats["focused/store/pages_written_count"] == len(relevant)
    assert result.stats["item_dropped_count"] == len(wanted) - len(relevant)
    # Fetched again: at most what was under way.
    n_again = sum(
        count - 1
        for path, count in asked.items()
        if path[1:].isdigit() and int(path[1:]) < N_PAGES and int(path[1:]) % 20 != 7
    )
    assert n_again <= 3 * 8


def test_a_crawl_told_to_stop_while_it_is_opened_ends_as_at_any_other_time_and_goes_on(models, tmp_path):
    with Site(page) as site:
        options = {"seeds": f"{site.url}/0", "max_pages": 20, "settings": DURABLE}
        stopped = crawl(models, tmp_path, before=stop_while_opening, **options)
        reason = stopped.run["finish_reason"]
        more = crawl(models, tmp_path, **options)
    assert [each.exit_code for each in (stopped, more)] == [0, 0]
    assert "Finished (shutdown)" in stopped.err
    assert "Traceback" not in stopped.err
    assert reason == "shutdown"
    assert "Resuming in" in more.err
    assert more.stats["focused/pages/fetched_count"] == 20
    assert more.stats["finish_reason"] == "max_pages"


def test_a_crawl_that_has_reached_its_budget_stays_there_and_goes_on_with_a_larger_one(models, tmp_path):
    with Site(page) as site:
        first = crawl(models, tmp_path, seeds=f"{site.url}/0", max_pages=40, settings=DURABLE)
        n_asked = len(site.asked)
        again = crawl(models, tmp_path, seeds=f"{site.url}/0", max_pages=40, settings=DURABLE)
        assert len(site.asked) == n_asked
        more = crawl(models, tmp_path, seeds=f"{site.url}/0", max_pages=55, settings=DURABLE)
    assert [each.exit_code for each in (first, again, more)] == [0, 0, 0]
    assert more.stats["finish_reason"] == "max_pages"
    assert more.stats["focused/pages/fetched_count"] == 55
    assert len(more.harvest) == 55


@pytest.mark.parametrize("strategy", ["best_first", "adaptive"])
def test_a_link_counts_once_however_many_parts_of_the_crawl_find_it(models, tmp_path, strategy):
    options = {"strategy": strategy, "settings": DURABLE | {"CONCURRENT_REQUESTS": 1}}
    redirects = {f"/{number}" for number in range(7, N_PAGES, 20)}  # their targets would be links that nobody counted
    with Site(lambda path: None if path in redirects else page(path)) as site:
        for max_pages in (10, 20, 40):
            result = crawl(models, tmp_path, seeds=f"{site.url}/0", max_pages=max_pages, **options)
    assert result.stats["focused/frontier/resumed_count"] == 2
    n_links = sum(
        count
        for name, count in result.stats.items()
        if name == "focused/links/deferred_count" or name.startswith("focused/links/by_")
    )
    file = sqlite3.connect(result.run_dir / FRONTIER_FILE)
    [(n_known,)] = file.execute("SELECT count(*) FROM links WHERE url != ?", (f"{site.url}/0",))
    file.close()
    assert n_links == n_known


def test_the_folder_of_another_topic_is_refused(models, tmp_path):
    with Site(page) as site:
        crawl(models, tmp_path, seeds=f"{site.url}/0", max_pages=3, settings=DURABLE)
        file = sqlite3.connect(tmp_path / "run" / "frontier.sqlite")
        with file:
            file.execute("UPDATE crawl SET value = '\"soups\"' WHERE key = 'topic'")
        file.close()
        result = crawl(models, tmp_path, seeds=f"{site.url}/0", max_pages=5, settings=DURABLE)
    assert result.exit_code == 1
    assert "holds a crawl of topic 'soups', this one is of 'stars'" in result.err
    assert "Traceback" not in result.err


def test_a_moved_run_directory_is_gone_on_with(models, tmp_path):
    with Site(page) as site:
        first = crawl(models, tmp_path / "1", seeds=f"{site.url}/0", max_pages=30, settings=DURABLE)
        (tmp_path / "2").mkdir()
        shutil.copytree(first.run_dir, tmp_path / "2" / "run")
        before = first.run_dir / "fetched.csv"
        n_before = len(before.read_text().splitlines())
        more = crawl(models, tmp_path / "2", seeds=f"{site.url}/0", max_pages=45, settings=DURABLE)
    assert more.exit_code == 0, more.err
    assert "Resuming in" in more.err
    assert more.stats["focused/pages/fetched_count"] == 45
    with (more.run_dir / "fetched.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["number"]) for row in rows] == list(range(1, 46))
    assert len({row["url"] for row in rows}) == 45
    assert [int(row["pages"]) for row in more.harvest] == list(range(1, 46))
    assert len(before.read_text().splitlines()) == n_before == 31  # what was copied is as it was


def test_a_second_crawl_in_one_folder_is_refused_in_one_line_and_changes_nothing(models, tmp_path):
    with Site(page) as site:
        first = crawl(models, tmp_path, seeds=f"{site.url}/0", max_pages=5, settings=DURABLE)
        held = lock(first.run_dir / FRONTIER_FILE)
        before = {path.name: path.read_bytes() for path in first.run_dir.iterdir()}
        n_asked = len(site.asked)
        second = crawl(models, tmp_path, seeds=f"{site.url}/0", max_pages=9, settings=DURABLE)
        held.close()
    assert second.exit_code == 1
    assert "Another crawl is at work in" in second.err
    assert len(second.err.strip().splitlines()) == 1
    assert {path.name: path.read_bytes() for path in first.run_dir.iterdir()} == before
    assert len(site.asked) == n_asked


def test_a_crawl_that_cannot_begin_leaves_run_json_as_it_is(models, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("of another crawl")
    (tmp_path / "raises").touch()
    settings = {**DURABLE, "SCHEDULER": "failing.FailingScheduler"}
    with Site(page) as site:
        options = {"seeds": f"{site.url}/0", "strategy": "best_first", "settings": settings}
        result = crawl(models, tmp_path, **options)
    assert "out of order" in result.err
    assert (tmp_path / "run" / "run.json").read_text() == "of another crawl"


def test_going_on_with_another_strategy_is_said(models, tmp_path):
    with Site(page) as site:
        options = {"seeds": f"{site.url}/0", "settings": DURABLE}
        crawl(models, tmp_path, strategy="best_first", max_pages=5, **options)
        same = crawl(models, tmp_path, strategy="best_first", max_pages=7, **options)
        other = crawl(models, tmp_path, strategy="breadth_first", max_pages=9, **options)
    said = "The last part of this crawl was of strategy best_first, this one is of breadth_first"
    assert said in other.err
    assert "begun with strategy" not in same.err
    assert other.stats["focused/pages/fetched_count"] == 9


def test_no_link_stays_leased_whatever_becomes_of_it(models, tmp_path):
    pages = {
        "/": hand_made.html(
            "Welcome.",
            *(
                (f"/{name}", "a star")
                for name in (
                    "a",
                    "loop",
                    "to-a",
                    "500",
                    "404",
                    "cut",
                    "private/x",
                    "picture",
                    "new",
                    "gone-in",
                    "packed",
                )
            ),
        ),
        "/robots.txt": Reply(b"User-agent: *\nDisallow: /private/\n", headers={"Content-Type": "text/plain"}),
        "/a": hand_made.html(hand_made.STARS),
        "/loop": redirect("/loop"),
        "/to-a": redirect("/a"),
        "/new": redirect("/target"),
        "/gone-in": redirect("/private/y"),
        "/packed": Reply(b"<p>It is not.", headers={"Content-Type": "text/html", "Content-Encoding": "deflate"}),
        "/target": hand_made.html(hand_made.STARS, ("/target", "self")),
        "/500": Reply(b"", 500),
        "/cut": Reply(b"<p>" * 1000, hangs_up_after=0),
        "/picture": Reply(b"\x89PNG\r\n\x1a\n\0\0", headers={"Content-Type": "image/png"}),
    }
    with Site(pages) as site:
        result = crawl(models, tmp_path, seeds=f"{site.url}/", settings=DURABLE | {"FOCUSED_HOST_REST_SECS": 0.2})
        asked = Counter(site.asked)
    assert result.exit_code == 0, result.err
    assert result.stats["finish_reason"] == "finished"
    file = sqlite3.connect(tmp_path / "run" / "frontier.sqlite")
    found = {
        url.removeprefix(site.url): (state, note)
        for url, state, note in file.execute("SELECT url, state, note FROM links")
    }
    file.close()
    states = {path: state for path, (state, _) in found.items()}
    assert states == {
        "/": 2,
        "/a": 2,
        "/loop": 4,
        "/to-a": 4,
        "/500": 3,
        "/404": 3,
        "/cut": 3,
        "/private/x": 3,
        "/picture": 2,
        "/new": 2,
        "/target": 2,
        "/gone-in": 2,
        "/private/y": 3,
        "/packed": 3,
    }
    assert found["/404"][1] == "HTTP 404"
    assert found["/packed"][1] == "cannot be unpacked"
    assert found["/private/x"][1] == found["/private/y"][1] == "forbidden by robots.txt"
    assert found["/new"][1] == found["/gone-in"][1] == "redirect"  # it was answered: its target alone was not
    assert asked["/a"] == asked["/target"] == asked["/404"] == 1
    # What it says of them.
    shown = scrapy("frontier", "run", cwd=tmp_path, env=environment(models))
    assert shown.exit_code == 0, shown.err
    assert "14 links: 0 waiting, 0 leased, 6 done, 6 failed, 2 dropped" in shown.out
    why = scrapy("frontier", "run", "--why", f"{site.url}/404", cwd=tmp_path, env=environment(models))
    assert "failed: HTTP 404" in why.out
    assert f"found on    {site.url}/" in why.out
    exported = scrapy("frontier", "run", "--csv", "links.csv", cwd=tmp_path, env=environment(models))
    assert exported.exit_code == 0, exported.err
    with (tmp_path / "links.csv").open(newline="") as rows:
        assert len(list(csv.DictReader(rows))) == 14
    for argv, message in (
        (("frontier", "nowhere"), "is not there"),
        (("frontier",), "Name the folder of a run"),
        (("frontier", "run", "--top", "x"), "--top must be a whole number"),
        (("frontier", "run", "--why", "http://unknown.example/"), "is not known"),
    ):
        bad = scrapy(*argv, cwd=tmp_path, env=environment(models))
        assert bad.exit_code == 1
        assert message in bad.err
        assert len(bad.err.strip().splitlines()) == 1


def test_a_slow_host_holds_back_nobody(models, tmp_path):
    """Two names of one machine; one must rest a second between two pages, the other need not."""

    def both(path: str) -> bytes | None:
        if path == "/robots.txt":
            return None
        port = site.url.rpartition(":")[2]
        return hand_made.html(
            hand_made.STARS,
            *((f"http://localhost:{port}{path}s{k}", "a star") for k in range(3)),
            *((f"http://127.0.0.1:{port}{path}f{k}", "soup") for k in range(3)),
        )

    with Site(both) as site:
        slots = {"localhost": {"delay": 5.0, "concurrency": 1}}
        started_at = time.monotonic()
        result = crawl(
            models,
            tmp_path,
            seeds=f"{site.url}/",
            max_pages=30,
            settings={**DURABLE, "DOWNLOAD_SLOTS": json.dumps(slots), "FOCUSED_PRIVATE_ADDRESSES": "allow"},
        )
        seconds = time.monotonic() - started_at
    assert result.exit_code == 0, result.err
    hosts = Counter(
        row.split("//")[1].split(":")[0] for row in (result.run_dir / "fetched.csv").read_text().splitlines()[1:]
    )
    assert sum(hosts.values()) == 30
    assert hosts["127.0.0.1"] > hosts["localhost"] >= 1
    assert hosts["localhost"] <= seconds / 2.5 + 2


def test_hosts_that_never_answer_hold_back_nobody_while_few_requests_are_to_be_under_way(models, tmp_path):
    is_over = threading.Event()
    silent = {"/": Reply(hand_made.html(hand_made.STARS), wait=lambda: is_over.wait(160))}

    def good(path: str) -> bytes | None:
        if path == "/robots.txt":
            return None
        if path.count("x") == 3:
            is_over.set()
        return hand_made.html(hand_made.STARS, (f"{path}x", "a star"))

    with Site(silent) as first, Site(silent, "127.0.0.2") as second, Site(good, "127.0.0.3") as third:
        seeds = " ".join(f"{site.url}/" for site in (first, second, third))
        options = {"seeds": seeds, "web": "live", "strategy": "adaptive", "max_pages": 8}
        result = crawl(models, tmp_path, settings={**DURABLE, "DOWNLOAD_TIMEOUT": 150}, **options)
        is_over.set()
    assert result.exit_code == 0, result.err
    assert result.stats["focused/pages/fetched_count"] == 8
    assert "downloader/exception_count" not in result.stats  # the pages came before the silent hosts were given up


def test_a_small_disk_is_not_filled_by_the_log_of_a_frontier_that_would_fit(models, tmp_path):
    """Without more ado the log is moved into the file when it has 80 MB."""

    def rich(path: str) -> bytes | None:
        number = 1 if path == "/" else int(path.strip("/")) if path.strip("/").isdigit() else None
        if number is None:
            return None
        return hand_made.html(hand_made.STARS, *((f"/{number * 60 + k}", f"a star {k}") for k in range(60)))

    folder = small_disk(tmp_path / "disk", "22m")
    try:
        with Site(rich) as site:
            argv = crawl_argv(DURABLE, seeds=f"{site.url}/", max_pages=250, run_dir=str(folder / "run"))
            result = scrapy(*argv, cwd=tmp_path, env=environment(models))
        assert result.exit_code == 0, result.err
        stats = json.loads((folder / "run" / "run.json").read_text())["stats"]
        assert stats["finish_reason"] == "max_pages", result.err
        assert stats["focused/pages/fetched_count"] == 250
    finally:
        subprocess.run(["umount", folder], check=False)


def rich(path: str) -> bytes | Reply | None:
    """A tree of pages that fills the frontier's log: the first have a hundred links each, the others none."""
    if path == "/robots.txt":
        return None
    number = 0 if path == "/" else int(path.strip("/"))
    links = [(f"/{number * 100 + k}", f"a star {k}") for k in range(1, 101)] if number < 10 else []
    return Reply(hand_made.html(hand_made.STARS, *links), wait=lambda: time.sleep(0.02))


@pytest.mark.parametrize(
    ("pages", "n_links", "left", "log_bytes"),
    # Without any room left and with a long log it is mostly SQLite that finds out, and ends the transaction itself.
    [(page, len(reachable()), 5_000_000, 0), (rich, 200, 0, 1_200_000)],
    ids=["little room", "none"],
)
def test_a_full_disk_ends_the_crawl_in_a_line_and_it_goes_on_when_there_is_room(
    models, tmp_path, pages, n_links, left, log_bytes
):
    folder = small_disk(tmp_path / "disk", "48m")
    log = folder / "run" / "frontier.sqlite-wal"
    try:
        settings = {**DURABLE, "FOCUSED_WARC": "all", "FOCUSED_RUN_DIR": folder / "run"}
        with Site(pages) as site:
            seeds = f"{site.url}/{'0' if pages is page else ''}"
            # Of the rich pages it need not fetch all: that none is lost the others show.
            max_pages = 0 if pages is page else n_links
            argv = crawl_argv(settings, seeds=seeds, max_pages=max_pages, run_dir=str(folder / "run"))
            with started(*argv, cwd=tmp_path, env=environment(models)) as process:
                while n_done(folder / "run") < 20 or log.stat().st_size < log_bytes:
                    time.sleep(0.01)
                fill(folder / "other", left)
            err = (tmp_path / "err").read_text()
            assert process.exitcode == 1, err  # what comes after it in a script must not take it for done
            assert err.count("ERROR: The frontier in ") == 1
            assert "cannot be written" in err
            assert "frontier_not_writable" in err
            said = ("INFO", "WARNING", "ERROR")  # nothing but lines that a person can read
            assert "Traceback" not in err
            assert "PageItem" not in err
            assert [line for line in err.splitlines() if line[9:].partition(":")[0] not in said] == []
            (folder / "other").unlink()
            with started(*argv, cwd=tmp_path, env=environment(models)) as process:
                pass
        with (folder / "run" / "fetched.csv").open(newline="") as file:
            urls = [row["url"] for row in csv.DictReader(file)]
        assert len(urls) == len(set(urls)) == n_links
        if pages is page:
            assert Counter(urls) == Counter(f"{site.url}{path}" for path in reachable())
    finally:
        subprocess.run(["umount", folder], check=False)


def fill(path: Path, left: int) -> None:
    """Take up the space of a disk, but for so many bytes, while others write to it."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while (free := shutil.disk_usage(path.parent).free - left) > 0:
            file.write(bytes(min(free, 1_000_000)))
