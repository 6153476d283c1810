"""The pages of the five papers: verdicts, the plan of the crawls, and a page from made-up results."""

from __future__ import annotations

import json

import pytest
from made_evaluations import write_evaluation
from paper_claims import hybrid_stages
from paper_claims.crawls import Crawls
from paper_claims.pages import write_page
from paper_claims.plan import PAPERS, PLAN, WEBS
from paper_claims.running import FAILED, run_all, why_failed
from paper_claims.stages_file import FILE
from paper_claims.verdicts import order

from focused.crawl.declared_settings import DECLARED
from focused.method.learning.learners import LEARNERS
from focused.method.strategies import STRATEGIES


def web(*values: float) -> dict[tuple[str, int], float]:
    return {(f"topic {n}", 0): value for n, value in enumerate(values)}


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ({"a": web(0.5, 0.6), "b": web(0.5, 0.6)}, {"a": web(0.4, 0.5), "b": web(0.4, 0.49)}, "repeats"),
        ({"a": web(0.5, 0.6, 0.7), "b": web(0.5)}, {"a": web(0.2, 0.3, 0.4), "b": web(0.501)}, "repeats in part"),
        ({"a": web(0.5, 0.6)}, {"a": web(0.1, 0.59)}, "not decided"),
        ({"a": web(0.4, 0.5)}, {"a": web(0.5, 0.6)}, "does not repeat"),
        ({"a": web(0.9, 0.1)}, {"a": web(0.2, 0.9)}, "does not repeat"),
        ({}, {}, "not measured"),
    ],
)
def test_a_claim_repeats_only_where_the_interval_and_every_web_say_so(first, second, verdict):
    assert order(first, second).verdict.split(":")[0].split(" (")[0].startswith(verdict)
    if first and second:  # and the other side of a claim never repeats at the same time
        assert not (verdict == "repeats" and order(second, first).verdict.startswith("repeats"))


def test_every_crawl_of_the_plan_is_one_that_scrapy_evaluate_can_make(tmp_path):
    every = {one.name: one for paper in PAPERS for one in PLAN[paper]}
    for one in every.values():
        assert set(one.strategies) <= set(STRATEGIES)
        assert one.learner in LEARNERS
        for name, value in one.settings.items():
            DECLARED[name].read({name: value})
        assert not one.models_from or one.models_from in every
        assert one.arguments({"data": tmp_path, "webs": tmp_path}, quick=True)


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_says_what_was_measured_and_what_was_not(tmp_path, paper):
    for one in PLAN[paper]:
        if one.web == "hyperphysics":
            write_evaluation(tmp_path / one.name, strategies=one.strategies, n_repeats=1, n_pages=60)
    (tmp_path / f"{paper.lower()}-demo").mkdir()
    (tmp_path / f"{paper.lower()}-demo" / FAILED).write_text("No reliable negatives.")
    row = {"topic": "Sound", "seed": 0, "positives": 64, "others": 46, "precision": 0.5, "recall": 1.0, "f": 0.67}
    rows = [row | {"mode": mode, "stage": stage} for mode in ("interactive", "automatic") for stage in (80, 90, 100)]
    (tmp_path / FILE).write_text(json.dumps(rows))
    path = write_page(paper, tmp_path, tmp_path / "docs" / "papers", "Here.", quick=True)
    text = path.read_text(encoding="utf-8")
    assert "hyperphysics" in text
    assert "not measured" not in text.split("| verdict |")[0]
    assert "nan" not in text
    if paper not in ("L16",):
        assert "no crawl. No reliable negatives." in text
    for figure in (path.parent.parent / "figures").glob("*.svg"):
        assert f"../figures/{figure.name}" in text


def test_an_evaluation_that_fails_says_why_and_the_others_go_on(tmp_path, monkeypatch):
    made = []

    def evaluate(arguments, folder, jobs):
        made.append(folder.name)
        folder.mkdir(parents=True, exist_ok=True)
        if folder.name.startswith("i18"):
            write_evaluation(
                folder, failed=[("site", "stars", "lpe", 0)], strategies=["lpe"], topics=["stars"], n_repeats=1
            )
            raise SystemExit("exit code 1")

    monkeypatch.setattr("paper_claims.running.evaluate", evaluate)
    monkeypatch.setattr("paper_claims.running.has_web", lambda *_: True)
    folders = {"data": tmp_path, "webs": tmp_path}
    assert run_all(PLAN["I18"], tmp_path, folders, quick=True, jobs=1) == []
    assert made == [one.name for one in PLAN["I18"]]
    assert why_failed(tmp_path / "i18-demo") == "killed by a signal"
    assert Crawls(tmp_path).why_failed("i18-demo") == "killed by a signal"
    run_all(PLAN["I18"], tmp_path, folders, quick=True, jobs=1)
    assert made[len(PLAN["I18"]) :] == [f"i18-{name}" for name in WEBS]  # only what failed is tried again


@pytest.mark.slow
def test_the_stages_of_i18_learn_from_more_pages_each_time(data_dir, monkeypatch):
    for name, size in (
        ("N_POSITIVE", 20),
        ("N_NEGATIVE", 16),
        ("N_TEST_POSITIVE", 12),
        ("N_TEST_NEGATIVE", 9),
        ("N_SOURCES", 60),
    ):
        monkeypatch.setattr(hybrid_stages, name, size)
    drawn = hybrid_stages.draw(data_dir / "hyperphysics.warc.gz", data_dir / "hyperphysics.labels.tsv", "Sound", 0)
    rows = hybrid_stages.stages(drawn)
    sizes = {
        mode: [r["positives"] + r["others"] for r in rows if r["mode"] == mode] for mode in ("interactive", "automatic")
    }
    assert sizes["interactive"][0] < sizes["interactive"][1] < sizes["interactive"][2] == 36
    assert sizes["automatic"][0] <= sizes["automatic"][1] <= sizes["automatic"][2] <= 36
    assert rows[0]["f"] == rows[3]["f"]  # both begin with the same classifiers
