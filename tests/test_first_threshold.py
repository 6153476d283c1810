"""The relevance that pages must have until a crawl has trained its first model against the pages that it meets."""

from __future__ import annotations

import hand_made
import pytest
from scrapy.settings import Settings

from focused import settings as project
from focused.crawl.planning import plan_crawl
from focused.retraining.first_threshold import first_threshold
from focused.retraining.options import RetrainingOptions

KNOWN = [{"threshold": at, "recall": recall} for at, recall in ((0.3, 1.0), (0.5, 1.0), (0.8, 0.9), (0.9, 0.4))]
ABOUT = {"learner": "screened_svm", "examples": {"background": {}}}


def topic(**figures):
    """A topic that knows a general background only."""
    figures = {"prior_is_assumed": True, "at_thresholds": KNOWN} | figures
    return hand_made.topic(manifest={**ABOUT, "figures": figures})


def test_against_a_background_it_is_what_half_of_the_held_out_examples_reach():
    assert first_threshold(topic(), RetrainingOptions()) == pytest.approx(0.88)


def test_it_is_never_below_the_threshold_of_the_model():
    few = [{"threshold": 0.3, "recall": 0.1}]
    assert first_threshold(topic(at_thresholds=few), RetrainingOptions()) == 0.5


@pytest.mark.parametrize(
    "row",
    [7, "abc", {}, {"recall": 0.5}, {"threshold": "x", "recall": 2}, {"threshold": 1e300, "recall": float("nan")}],
)
def test_rows_of_a_strangers_topic_that_are_none_are_left_out(row):
    assert first_threshold(topic(at_thresholds=[row, *KNOWN]), RetrainingOptions()) == pytest.approx(0.88)
    assert first_threshold(topic(at_thresholds=[row]), RetrainingOptions()) is None
    assert first_threshold(topic(at_thresholds=row), RetrainingOptions()) is None


@pytest.mark.parametrize(
    ("figures", "options"),
    [
        ({"prior_is_assumed": False}, {}),  # unlabelled pages of the web told the share
        ({"at_thresholds": []}, {}),  # a topic of an earlier version
        ({}, {"threshold": 0.3}),  # FOCUSED_RELEVANCE_THRESHOLD
        ({}, {"unlabeled": "topic"}),  # nothing is trained while the crawl goes on
    ],
)
def test_otherwise_the_model_says_it(figures, options):
    assert first_threshold(topic(**figures), RetrainingOptions(**options)) is None


def test_a_crawl_begins_with_it_where_it_trains_against_the_pages_met(tmp_path, monkeypatch):
    made = topic()
    monkeypatch.setattr("focused.crawl.planning.load_topic", lambda *_: made)
    monkeypatch.setattr("focused.retraining.options._check_topic", lambda *_, **__: None)
    made.save(tmp_path)
    settings = Settings()
    settings.setmodule(project, priority="project")
    settings.setdict({"FOCUSED_MODELS_DIR": str(tmp_path), "FOCUSED_RUNS_DIR": str(tmp_path / "runs")})

    def page_threshold(**more: object) -> float:
        settings.setdict(more)
        return plan_crawl({"topic": "stars", "strategy": "best_first"}, settings).judge.thresholds["page"]

    assert page_threshold() == pytest.approx(0.88)
    assert page_threshold(FOCUSED_UNLABELED="topic") == 0.5
