"""When a crawl ends, its last model has judged all that it delivers: the collection, pages.jsonl and the copy say one thing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import hand_made
import numpy as np
import pytest
from collected import collect, collected

from focused.collection.judged_rows import FirstJudged, JudgedRows
from focused.collection.verdict_rows import VerdictRows
from focused.collection.view import CollectionView
from focused.method.page.reader import PageReader
from focused.method.topic.counted import relevance_of_texts
from focused.method.topic.judge import Judge
from focused.method.training.term_counting import count
from focused.retraining.judged_again import (
    JudgingAgain,
    judges_words,
    share_of_relevant,
    shift_to_count,
)
from focused.retraining.judged_pages import counted_terms

MET = {"n_drawn": 8, "n_verdicts": 0, "harvest": {"low": 0.1, "high": 0.6}}
FOR, AGAINST = hand_made.FOR[0], hand_made.AGAINST[0]


def a_collection(run_dir):
    """Twelve pages: those with even numbers are about stars, the first model called all relevant, the second every third."""
    pages = [
        collected(
            *(number, 0.9 if number < 5 or number % 3 == 0 else 0.1),
            terms={FOR if number % 2 == 0 else AGAINST: 1 + number},
            model_version=1 if number < 5 else 2,
        )
        for number in range(1, 13)
    ]
    return collect(run_dir, *pages)


def judged_again(run_dir, version=3, about=None, n_seconds=60.0) -> JudgingAgain:
    judge = Judge(replace(hand_made.topic(), manifest={"retraining": about or {}}))
    rows = JudgedRows(run_dir / "collection.sqlite")
    work = JudgingAgain(rows, judge, version, n_seconds)
    if work.is_due:
        for _ in work.steps():
            pass
    rows.close()
    return work


def pages_of(run_dir) -> dict[int, sqlite3.Row]:
    with CollectionView(run_dir) as view:
        return {row["number"]: row for row in view.pages()}


def test_the_last_model_judges_every_page_and_what_is_delivered_follows_it_but_not_against_peoples_word(tmp_path):
    run_dir = a_collection(tmp_path / "run")
    verdicts = VerdictRows(run_dir / "collection.sqlite")
    verdicts.set_verdicts([(pages_of(run_dir)[2]["url"], False)])
    before = {number: row["delivered"] for number, row in pages_of(run_dir).items()}
    work = judged_again(run_dir)
    after = pages_of(run_dir)
    assert {number: row["relevant"] for number, row in after.items()} == {n: int(n % 2 == 0) for n in range(1, 13)}
    assert {row["model_version"] for row in after.values()} == {3}
    assert not after[2]["delivered"]
    changed = {row["url"]: bool(row["delivered"]) for n, row in after.items() if row["delivered"] != before[n]}
    assert {change.url: change.is_delivered for change in work.changes} == changed
    assert list(verdicts.delivered()) == [row["url"] for row in after.values() if row["delivered"]]
    assert verdicts.is_judged_again()
    verdicts.close()


def test_pages_are_judged_again_once_and_how_they_were_judged_when_they_came_is_kept(tmp_path):
    run_dir = a_collection(tmp_path / "run")
    came = FirstJudged(12, 8, 4 + 3, 3, 12)
    assert judged_again(run_dir).n_judged == 12
    assert judged_again(run_dir).n_judged == 0
    rows = JudgedRows(run_dir / "collection.sqlite")
    assert rows.first_judged() == replace(came, version=3)
    rows.close()
    collect(run_dir, collected(13, 0.9, terms={AGAINST: 1}, model_version=3))  # the crawl was resumed
    work = judged_again(run_dir)
    assert work.n_judged == 13
    assert not pages_of(run_dir)[13]["relevant"]


def test_a_model_of_the_pages_met_orders_them_and_takes_as_many_as_were_relevant_when_they_came(tmp_path):
    """Where hardly any page was judged by a model that had learnt of the web."""
    run_dir = a_collection(tmp_path / "run")
    judged_again(run_dir, about=MET)
    relevant = [number for number, row in pages_of(run_dir).items() if row["relevant"]]
    # 7 of 12 were; the six about stars come first.
    assert len(relevant) == 6
    assert all(number % 2 == 0 for number in relevant)
    # The interval of the harvest ends there.
    assert share_of_relevant(MET, FirstJudged(n_pages=20, n_relevant=18)) == 0.6


def test_as_many_pages_are_relevant_as_the_harvest_says_but_no_less_than_half_of_what_was_called_so():
    known = FirstJudged(n_pages=400, n_later=300, n_relevant=350, n_later_relevant=150)
    for harvest, expected in ((0.2, 0.25), (0.3, 0.3), (0.7, 0.7)):
        met = MET | {"harvest": {"share": harvest, "low": 0.1, "high": 0.9}}
        assert share_of_relevant(met, known) == expected
        assert share_of_relevant(met | {"n_verdicts": 10}, known) is None
    assert share_of_relevant({}, known) is None


def test_what_a_later_version_has_judged_stands_until_a_still_later_one_comes(tmp_path):
    run_dir = a_collection(tmp_path / "run")
    assert judged_again(run_dir, version=4).n_judged == 12
    assert judged_again(run_dir, version=3).n_judged == 0
    assert {row["model_version"] for row in pages_of(run_dir).values()} == {4}
    with closing(JudgedRows(run_dir / "collection.sqlite")) as rows:
        assert (rows.n_former(3), rows.n_former(5)) == (0, 12)
    assert judged_again(run_dir, version=5).n_judged == 12


@pytest.mark.parametrize("wanted", [0, 1, 3, 5])
def test_as_many_pages_reach_the_threshold_as_are_wanted_and_their_order_stays(wanted):
    relevances = np.array([0.02, 0.7, 0.0, 0.3, 0.01, 1.0])
    moved = shift_to_count(relevances, wanted, 0.4)
    assert (moved >= 0.4).sum() == wanted
    assert np.array_equal(np.argsort(moved, kind="stable"), np.argsort(relevances, kind="stable"))
    assert (shift_to_count(np.full(4, 0.2), 2, 0.5) >= 0.5).sum() == 0  # nobody can choose among the same


def test_what_the_time_does_not_suffice_for_keeps_its_judgement_and_the_next_end_of_the_crawl_does_it(tmp_path):
    run_dir = a_collection(tmp_path / "run")
    before = [tuple(row) for row in pages_of(run_dir).values()]
    assert judged_again(run_dir, n_seconds=-1.0).n_judged == 0
    assert [tuple(row) for row in pages_of(run_dir).values()] == before
    assert judged_again(run_dir).n_judged == 12


def test_a_page_without_terms_keeps_what_was_said_of_it_and_so_does_one_whose_terms_are_damaged(tmp_path):
    run_dir = a_collection(tmp_path / "run")
    with closing(sqlite3.connect(run_dir / "collection.sqlite", isolation_level=None)) as sql:
        sql.execute("UPDATE pages SET terms = NULL WHERE number = 1")
        sql.execute("UPDATE pages SET terms = x'00' WHERE number = 3")
    assert judged_again(run_dir).n_judged == 10
    assert [number for number, row in pages_of(run_dir).items() if row["model_version"] != 3] == [1, 3]


def test_the_terms_that_the_collection_keeps_have_the_relevance_that_the_page_had():
    topic = hand_made.topic()
    page = PageReader(topic.analyzer).read(hand_made.html(f"{FOR} {FOR} {AGAINST} other", ("/a", FOR)), "http://h.org/")
    [found] = relevance_of_texts(topic, [counted_terms(count(page.judged_terms(topic.page_text)))], "page")
    assert found == pytest.approx(Judge(topic).relevance(page).page, abs=1e-12)


def test_a_judge_that_is_plugged_in_is_not_asked_of_words():
    class Other(Judge):
        def judge(self, page, kinds=()):
            return super().judge(page, kinds)

    assert judges_words(Judge(hand_made.topic()))
    assert not judges_words(Other(hand_made.topic()))


def test_a_topic_of_words_is_split_into_groups_until_people_have_judged_ten_pages(tmp_path):
    pages = [collected(number, 0.1, terms={FOR if number % 3 == 0 else AGAINST: 3}) for number in range(1, 31)]
    for name, n_verdicts, n_expected in (("words", 0, 10), ("judged", 10, None)):
        run_dir = collect(tmp_path / name, *pages)
        manifest = {"examples": {"keywords": {"terms": [FOR]}}, "retraining": {"n_verdicts": n_verdicts}}
        topic = replace(hand_made.topic(), manifest=manifest)
        rows = JudgedRows(run_dir / "collection.sqlite")
        judge = Judge(topic, threshold=0.9999)
        for _ in JudgingAgain(rows, judge, 3, 60.0).steps():
            pass
        rows.close()
        delivered = {number for number, row in pages_of(run_dir).items() if row["delivered"]}
        if n_expected is None:
            assert not delivered
        else:
            assert delivered == set(range(3, 31, 3))
