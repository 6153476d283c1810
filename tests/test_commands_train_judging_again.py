"""What was learnt from a finished crawl is delivered: its pages are judged by the topic as it is now."""

from __future__ import annotations

import json
from contextlib import closing

import hand_made
import pytest
from collected import collect, collected, url
from scrapy.settings import Settings

from focused.collection.judged_rows import JudgedRows
from focused.collection.view import CollectionView
from focused.commands.train_judging_again import judge_run_again
from focused.frontier.store.schema import lock
from focused.method.topic.judge import Judge
from focused.retraining.judged_again import JudgingAgain
from focused.retraining.versions import AFTERWARDS

FOR, AGAINST = hand_made.FOR[0], hand_made.AGAINST[0]


@pytest.fixture
def models(tmp_path):
    hand_made.topic().save(tmp_path / "models")
    return tmp_path / "models"


@pytest.fixture
def run_dir(tmp_path):
    """Six pages that the crawl called irrelevant; those with even numbers are about the topic, and Ann wants the first."""
    pages = [collected(number, 0.1, terms={FOR if number % 2 == 0 else AGAINST: 9}) for number in range(1, 7)]
    found = collect(tmp_path / "run", *pages)
    (found / "verdicts").mkdir()
    lines = [json.dumps({"url": url(1), "relevant": True}), json.dumps({"url": url(2), "relevant": False})]
    (found / "verdicts" / "ann.jsonl").write_text("\n".join(lines) + "\n")
    (found / "run.json").write_text(json.dumps({"settings": {}}))
    return found


def again(models, run_dir) -> str:
    return judge_run_again(hand_made.topic().name, run_dir, models, Settings())


def delivered(run_dir) -> set[int]:
    with CollectionView(run_dir) as view:
        return {row["number"] for row in view.pages() if row["delivered"]}


def test_the_topic_judges_the_pages_of_its_run_and_peoples_word_stands_above_it(models, run_dir):
    assert delivered(run_dir) == set()
    said = again(models, run_dir)
    assert delivered(run_dir) == {1, 4, 6}
    assert said.startswith(f"6 pages of {run_dir} judged by it: ")
    with CollectionView(run_dir) as view:
        assert {row["model_version"] for row in view.pages()} == {AFTERWARDS}


def test_a_crawl_that_is_resumed_judges_them_again_by_its_own_model(models, run_dir):
    again(models, run_dir)
    with closing(JudgedRows(run_dir / "collection.sqlite")) as rows:
        assert JudgingAgain(rows, Judge(hand_made.topic()), 1, 60.0).is_due


def test_while_its_crawl_is_under_way_the_pages_are_left_alone(models, run_dir):
    (run_dir / "frontier.sqlite").touch()
    with lock(run_dir / "frontier.sqlite"):
        assert "under way" in again(models, run_dir)
    assert delivered(run_dir) == set()
    again(models, run_dir)
    assert delivered(run_dir) == {1, 4, 6}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"FOCUSED_RELEVANCE_THRESHOLD": 1.0}, {1}),
        ({"FOCUSED_COLLECTION_JUDGE_AGAIN_SECS": 0}, set()),
        ({"FOCUSED_PAGE_CLASSIFIER": "test_commands_train_judging_again.Plugged"}, set()),
    ],
)
def test_the_settings_of_the_crawl_say_what_is_relevant_and_whether_pages_are_judged_again(
    models, run_dir, settings, expected
):
    (run_dir / "run.json").write_text(json.dumps({"settings": settings}))
    again(models, run_dir)
    assert delivered(run_dir) == expected


class Plugged(Judge):
    def judge(self, *args, **kwargs):
        raise NotImplementedError


def test_a_run_without_a_collection_says_nothing(models, run_dir):
    (run_dir / "collection.sqlite").unlink()
    assert again(models, run_dir) == ""
