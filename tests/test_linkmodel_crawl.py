"""Crawls that learn which links lead to relevant pages."""

from __future__ import annotations

import csv
import json
import signal
import sqlite3
import zlib
from functools import partial

import hand_made
import pytest
from commands import crawl, crawl_argv, environment, scrapy
from failing import dies_with
from sites import Site

from focused.frontier.session_records import SessionRecords
from focused.frontier.store.link import FrontierLink
from focused.frontier.store.store import FrontierStore
from focused.method.scoring import Evidence
from focused.method.scoring.base import BY_ADAPTIVE
from focused.method.strategies.linkmodel.session import LinkSession

OPTIONS = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "FOCUSED_METRICS_INTERVAL_SECS": 0,
    "CONCURRENT_REQUESTS": 1,
}
SCHEDULERS = ["focused.frontier.budget_scheduler.BudgetScheduler", "scrapy.core.scheduler.Scheduler"]
N_PAGES = 150


def site(path: str) -> bytes | None:
    """A home page with links to pages about stars, in a folder of theirs, and to as many about food; nothing else tells
    them apart."""
    names = [f"/{'right' if number % 2 else 'left'}/{number * 37 % 1000}.html" for number in range(2 * N_PAGES)]
    if path == "/":
        return hand_made.html("Welcome.", *((name, "more") for name in names))
    if path not in names:
        return None
    text = hand_made.STARS if path.startswith("/right/") else hand_made.FOOD
    return hand_made.html(f"{text} {path}", ("/", "home"))


@pytest.fixture
def models(tmp_path):
    hand_made.topic().save(tmp_path / "models")
    return tmp_path / "models"


def rows(run_dir) -> list[dict[str, str]]:
    with (run_dir / "fetched.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("concurrency", [1, 16])
def test_links_that_wait_are_scored_by_what_the_crawl_has_learnt(models, tmp_path, concurrency):
    """All links are found on the first page, when nothing is known of them."""
    with Site(site) as served:
        options = {**OPTIONS, "CONCURRENT_REQUESTS": concurrency}
        result = crawl(models, tmp_path, seeds=f"{served.url}/", strategy="adaptive", max_pages=100, settings=options)
    assert result.exit_code == 0, result.err
    found = rows(result.run_dir)
    assert found[0]["link_reason"] == "seed"
    assert all("folder /right/" in row["link_reason"] for row in found[60:] if "/right/" in row["url"])
    assert "adaptive" not in {row["link_reason"] for row in found}
    assert sum(int(row["relevant"]) for row in found[30:]) >= 66
    assert 0 < float(found[-1]["link_score"]) < 1
    assert result.stats["focused/adaptive/fits_count"] >= 3
    assert result.stats["focused/adaptive/outcomes_count"] > 70
    assert result.stats["focused/adaptive/loss"] < result.stats["focused/adaptive/loss_of_mean"]
    assert result.stats["focused/links/by_adaptive_count"] == 2 * N_PAGES


def test_a_crawl_is_the_same_each_time(models, tmp_path):
    asked = []
    for name in ("one", "two"):
        with Site(hand_made.two_regions(40)) as served:
            result = crawl(models, tmp_path / name, seeds=f"{served.url}/", strategy="adaptive", settings=OPTIONS)
            asked.append(served.asked)
        assert result.exit_code == 0, result.err
    assert len(asked[0]) > 80
    assert asked[0] == asked[1]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_on_schedulers_of_scrapy_new_links_are_scored_by_what_was_learnt(models, tmp_path, scheduler):
    def grown(path: str) -> bytes | None:
        """Each page links to two more of each folder."""
        number = int("".join(filter(str.isdigit, path)) or 0)
        links = [(f"/{name}/{10 * number + k}.html", "more") for k in (1, 2) for name in ("left", "right")]
        text = hand_made.STARS if "right" in path else hand_made.FOOD
        return None if path == "/robots.txt" else hand_made.html(f"{text} {path}", *links)

    with Site(grown) as served:
        result = crawl(
            *(models, tmp_path),
            seeds=f"{served.url}/",
            strategy="adaptive",
            max_pages=100,
            settings={**OPTIONS, "SCHEDULER": scheduler},
        )
    assert result.exit_code == 0, result.err
    assert sum(int(row["relevant"]) for row in rows(result.run_dir)[30:100]) >= 60
    assert result.stats["focused/adaptive/fits_count"] >= 3


def n_done(run_dir) -> int:
    try:
        file = sqlite3.connect(f"file:{run_dir / 'frontier.sqlite'}?mode=ro", uri=True)
        try:
            return file.execute("SELECT count(*) FROM links WHERE state = 2").fetchone()[0]
        finally:
            file.close()
    except sqlite3.Error:
        return 0


def test_a_killed_crawl_goes_on_with_what_it_has_learnt(models, tmp_path):
    with Site(site) as served:
        argv = crawl_argv(OPTIONS, seeds=f"{served.url}/", strategy="adaptive", max_pages=100)
        killed = scrapy(*argv, cwd=tmp_path, env=environment(models), before=partial(dies_with, 60))
        assert killed.exit_code == -signal.SIGKILL, killed.err
        file = sqlite3.connect(tmp_path / "run" / "frontier.sqlite")
        n_records, n_pages = (
            file.execute(f"SELECT count(*) FROM {what}").fetchone()[0] for what in ("records", "links WHERE state = 2")
        )
        file.close()
        assert n_records == n_pages >= 60
        result = scrapy(*argv, cwd=tmp_path, env=environment(models))
    assert result.exit_code == 0, result.err
    found = rows(result.run_dir)
    assert len(found) == 100
    assert sum(int(row["relevant"]) for row in found[n_pages:]) >= 0.9 * (100 - n_pages)
    # The last fit saw pages from before.
    assert result.stats["focused/adaptive/outcomes_count"] > 100 - n_pages + 20
    assert "focused/adaptive/records_lost_count" not in result.stats


def test_a_record_that_is_damaged_is_counted(models, tmp_path):
    with Site(site) as served:
        for max_pages in (30, 40):
            result = crawl(
                *(models, tmp_path),
                seeds=f"{served.url}/",
                strategy="adaptive",
                max_pages=max_pages,
                settings=OPTIONS,
            )
            assert result.exit_code == 0, result.err
            file = sqlite3.connect(tmp_path / "run" / "frontier.sqlite")
            with file:
                file.execute("UPDATE records SET record = x'00' WHERE id = 2")
            file.close()
    assert result.stats["focused/adaptive/records_lost_count"] == 1
    assert "Record 2 of the frontier is left out" in result.err
    assert result.stats["focused/pages/fetched_count"] == 40


def test_records_of_another_version_are_said_once_not_page_by_page(tmp_path, caplog):
    store = FrontierStore(tmp_path / "frontier.sqlite")
    records = store.records(1_000)
    for number in range(20):
        records.add(
            1, zlib.compress(json.dumps([[f"http://a.org/{number}"], 0.5, "a.org", [], [], [], [], []]).encode())
        )
    store.commit()
    assert SessionRecords(store, LinkSession(max_links=1_000)).resume() == 20
    store.close()
    said = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(said) == 2
    assert "Record 1 of the frontier is left out" in said[0]
    assert "20 records of the frontier are left out, of 20." in said[1]


def test_a_link_that_is_placed_anew_comes_in_its_new_turn(tmp_path):
    store = FrontierStore(tmp_path / "frontier.sqlite")
    for number, (url, score) in enumerate([("http://a.org/", 0.2), ("http://b.org/", 0.5), ("http://a.org/2", 0.4)]):
        store.add([FrontierLink(number, url, Evidence(score, BY_ADAPTIVE, admitted=True))])
    store.commit()
    first = store.next()
    assert first.url == "http://b.org/"
    assert store.waiting.place([(1, 0.9), (first.id, 0.9), (3, 0.1)]) == [first.id]
    store.commit()
    store.close()
    again = FrontierStore(tmp_path / "frontier.sqlite")
    assert [(link.url, link.evidence.score) for link in (again.next(), again.next(), again.next())] == [
        ("http://a.org/", 0.9),
        ("http://b.org/", 0.5),
        ("http://a.org/2", 0.1),
    ]
    again.close()


def test_of_records_the_oldest_are_dropped(tmp_path):
    store = FrontierStore(tmp_path / "frontier.sqlite")
    records = store.records(100)
    for number in range(10):
        records.add(30, bytes([number]))
    store.commit()
    assert [record for _, record in records] == [b"\7", b"\x08", b"\x09"]
    again = store.records(100)
    again.add(30, b"x")
    assert [record for _, record in again] == [b"\x08", b"\x09", b"x"]
    store.close()
