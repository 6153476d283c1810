from __future__ import annotations

import json
from dataclasses import replace

import hand_made
import pytest
from commands import crawl

from focused.crawl.run_history import first_model, strategy_parts
from focused.evaluation.report import write_run_report
from focused.method.topic import load_topic


def part(strategy: str, from_page: int) -> dict:
    return {"strategy": strategy, "from_page": from_page}


@pytest.fixture
def run_file(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"strategy": "b", "parts": [part("a", 1), part("b", 11)]}))
    return path


def test_a_run_that_begins_has_one_part_whatever_lies_there(run_file):
    assert strategy_parts(run_file, "c", 0) == [part("c", 1)]


def test_another_strategy_is_another_part_and_the_same_one_goes_on(run_file):
    assert strategy_parts(run_file, "b", 20) == [part("a", 1), part("b", 11)]
    assert strategy_parts(run_file, "c", 20) == [part("a", 1), part("b", 11), part("c", 21)]


def test_a_part_without_a_page_is_forgotten(run_file):
    assert strategy_parts(run_file, "a", 10) == [part("a", 1)]
    assert strategy_parts(run_file, "c", 10) == [part("a", 1), part("c", 11)]


@pytest.mark.parametrize("text", ["", "[1]", '{"parts": [3]}', '{"parts": 3}', "{}", "[" * 100_000])
def test_where_the_run_file_says_nothing_the_strategy_so_far_is_unknown(run_file, text):
    run_file.write_text(text)
    assert strategy_parts(run_file, "c", 5) == [part("unknown", 1), part("c", 6)]


def test_a_run_of_an_earlier_version_says_one_strategy(run_file):
    run_file.write_text('{"strategy": "a"}')
    assert strategy_parts(run_file, "c", 5) == [part("a", 1), part("c", 6)]


@pytest.mark.parametrize(
    ("text", "n_pages_before", "expected"),
    [
        ('{"model_sha256": "then"}', 9, "then"),
        ('{"model_sha256": "then"}', 0, "now"),
        *((text, 9, "now") for text in ('{"model_sha256": 3}', '{"model_sha256": ""}', "{}", "[1]", "", "[" * 100_000)),
    ],
)
def test_a_run_keeps_the_model_that_it_was_begun_with(tmp_path, text, n_pages_before, expected):
    (tmp_path / "run.json").write_text(text)
    assert first_model(tmp_path / "run.json", "now", n_pages_before) == expected


def test_a_crawl_gone_on_after_its_topic_was_trained_again_says_so_and_names_the_first_model(two_regions, tmp_path):
    folder = tmp_path / "models"
    hand_made.topic().save(folder)
    begun = crawl(folder, tmp_path, web=two_regions, strategy="best_first", max_pages=4)
    assert begun.exit_code == 0, begun.err
    first = load_topic("stars", folder)
    again = load_topic("stars", folder)
    again.model = replace(again.model, coef=again.model.coef * 1.01)
    again.save(folder)
    gone_on = crawl(folder, tmp_path, web=two_regions, strategy="best_first", max_pages=7)
    assert gone_on.exit_code == 0, gone_on.err
    assert again.model_sha256 != first.model_sha256
    assert gone_on.run["model_sha256"] == begun.run["model_sha256"] == first.model_sha256
    assert "trained again after this crawl had begun" in gone_on.err
    assert "pages up to 4 were judged" in gone_on.err
    assert "trained again" not in begun.err


@pytest.mark.slow
def test_a_crawl_gone_on_with_another_strategy_says_so_in_run_json_and_in_the_report(models, two_regions, tmp_path):
    assert crawl(models, tmp_path, web=two_regions, strategy="best_first", max_pages=4).exit_code == 0
    gone_on = crawl(models, tmp_path, web=two_regions, strategy="breadth_first", max_pages=7)
    assert gone_on.run["parts"] == [part("best_first", 1), part("breadth_first", 5)]
    report = write_run_report([gone_on.run_dir]).read_text()
    assert "best_first to page 4, then breadth_first" in report
