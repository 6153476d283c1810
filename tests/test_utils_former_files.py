"""What the version before this one left is resumed and read: its names of files, stats, fields and keys."""

from __future__ import annotations

import json
from dataclasses import asdict

import hand_made

from focused.frontier.run_files import FileCuts, cut_back
from focused.method.topic import load_topic
from focused.retraining.judged_pages import record_path
from focused.retraining.training_task import read_verdicts
from focused.retraining.versions import Attempt, read_attempts
from focused.utils.former_files import with_present_names


def test_a_resumed_crawl_appends_to_its_files_under_their_present_names(tmp_path):
    (tmp_path / "adaptation.jsonl").write_text("12345678")
    (tmp_path / "adaptation-task.json").write_text("{}")
    assert cut_back(tmp_path, {"adaptation.jsonl": 5}) == FileCuts(3, 0)  # as long as when the last page was committed
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "retraining.jsonl": "12345",
        "retraining-task.json": "{}",
    }


def test_present_files_are_never_replaced_by_former_ones(tmp_path):
    for name in ("adaptation.jsonl", "retraining.jsonl"):
        (tmp_path / name).write_text(f"{name}\n")
    cut_back(tmp_path, {"retraining.jsonl": 100})
    assert record_path(tmp_path).read_text() == "retraining.jsonl\n"


def test_a_finished_crawl_is_read_under_its_former_names(tmp_path):
    (tmp_path / "adaptation.jsonl").touch()
    assert record_path(tmp_path) == tmp_path / "adaptation.jsonl"
    task = {"version": 2, "labels": {"1": True, "2": False}, "verdicts": [2]}
    (tmp_path / "adaptation-task.json").write_text(json.dumps(task))
    assert read_verdicts(tmp_path, 2) == {2: False}
    values = asdict(Attempt(2, accepted=True, n_label_noise=3, n_new_subtopic=4))
    former = {"n_label_noise": "n_doubtful", "n_new_subtopic": "n_new_side"}
    (tmp_path / "versions.jsonl").write_text(json.dumps({former.get(key, key): values[key] for key in values}) + "\n")
    assert read_attempts(tmp_path) == [Attempt(2, accepted=True, n_label_noise=3, n_new_subtopic=4)]


def test_stats_count_on_under_their_present_names():
    before = {"focused/adaptation/trainings_count": 3, "focused/verdicts/new_side_count": 1, "item_scraped_count": 9}
    assert with_present_names(before) == {
        "focused/retraining/trainings_count": 3,
        "focused/verdicts/new_subtopic_count": 1,
        "item_scraped_count": 9,
    }


def test_what_a_manifest_says_of_a_retraining_is_found_under_its_present_key(tmp_path):
    topic = hand_made.topic()
    topic.manifest = {"adaptation": {"version": 2}}
    topic.save(tmp_path)
    manifest = load_topic("stars", tmp_path).manifest
    assert manifest["retraining"] == {"version": 2}
    assert "adaptation" not in manifest
