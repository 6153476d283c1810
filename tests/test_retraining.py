"""What a crawl learns, without a crawl: which pages join, verdict files, enlarged examples, comparisons, the process."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from focused.method.scoring import Visit
from focused.method.text.analyzer import COUNTING
from focused.method.topic import Topic, TopicExamples, load_topic
from focused.retraining.augmentation import AugmentedExamples
from focused.retraining.drift import DriftReport, drift
from focused.retraining.feedback_files import FeedbackFiles
from focused.retraining.judged_pages import JudgedPage, LinkTexts, read_record
from focused.retraining.kept_pages import KeptPages
from focused.retraining.label_noise import probably_relevant
from focused.retraining.options import RetrainingOptions, read_options
from focused.retraining.page_labels import PageLabels
from focused.retraining.training import Retraining
from focused.retraining.training_process import TrainingProcess
from focused.retraining.training_task import Task
from focused.retraining.versions import Attempt, read_attempts, version_in_use

STAR_WORDS = [f"star{i}" for i in range(12)]
COMET_WORDS = [f"comet{i}" for i in range(12)]
TABLE_WORDS = [f"table{i}" for i in range(12)]
OTHER_WORDS = [f"other{i}" for i in range(60)]
AUTOMATIC = RetrainingOptions("automatic", every_pages=3)


def words(rng: np.random.Generator, about: list[str], n: int = 30) -> dict[str, int]:
    drawn = [*rng.choice(about, n // 2).tolist(), *rng.choice(OTHER_WORDS, n // 2).tolist()]
    return {word: drawn.count(word) for word in dict.fromkeys(drawn)}


def a_topic(n_positive: int = 12, n_others: int = 60, seed: int = 0) -> Topic:
    """A topic whose examples are about stars, or about nothing."""
    rng = np.random.default_rng(seed)
    terms = [*STAR_WORDS, *OTHER_WORDS]
    texts = [words(rng, STAR_WORDS) for _ in range(n_positive)] + [words(rng, OTHER_WORDS) for _ in range(n_others)]
    rows = sparse.csr_matrix([[float(text.get(term, 0)) for term in terms] for text in texts])
    none, no_rows = sparse.csr_matrix((0, len(terms))), np.zeros(0, dtype=np.int64)
    topic = Topic("stars", "Stars", "en", [])
    topic.examples = TopicExamples(
        terms, rows, np.arange(n_positive + n_others) < n_positive, no_rows, no_rows, none, none, none, none
    )
    topic.manifest = {"learner": "screened_svm"}
    return topic


def judged(number: int, terms: dict[str, int], link: LinkTexts | None = None) -> JudgedPage:
    return JudgedPage(number, f"http://h.example/{number}", 0.5, 1, 1, None, terms, link)


def test_pages_join_by_their_relevance_and_every_judged_page_counts_whether_it_joins_or_not():
    joined = PageLabels(AUTOMATIC)
    labels = [joined.add_page(number, value) for number, value in enumerate((0.9, 0.5, 0.1), start=1)]
    assert labels == [True, None, False]
    assert joined.chosen() == {1: True, 3: False}
    assert joined.is_due
    joined.reset_counts()
    joined.add_page(4, 0.5)
    joined.add_verdict(4, True)
    joined.add_page(5, 0.5)
    assert not joined.is_due  # a page counts once
    only_added = PageLabels(RetrainingOptions("automatic", every_pages=3, counts="added"))
    for number, value in enumerate((0.9, 0.5, 0.1), start=1):
        only_added.add_page(number, value)
    assert not only_added.is_due
    few_verdicts = PageLabels(RetrainingOptions("interactive", every_pages=3))
    assert [few_verdicts.add_page(number, 0.9) for number in (1, 2, 3)] == [None] * 3
    few_verdicts.add_verdict(1, False)
    assert few_verdicts.is_due
    assert few_verdicts.chosen() == {1: False}


@pytest.mark.parametrize(
    ("trained", "counted", "changed"),
    [
        ({1: True, 2: False}, {7, 8, 9}, {8}),  # nothing was new at page 6
        ({1: True, 2: True}, {2, 4, 5, 6, 7, 8, 9}, {2, 8}),  # a verdict is another
        ({}, {1, 2, 4, 5, 6, 7, 8, 9}, {1, 2, 8}),  # nobody knows what was learnt from
    ],
)
def test_a_crawl_that_goes_on_counts_what_was_new_since_its_last_training(trained, counted, changed):
    joined = PageLabels(RetrainingOptions("interactive", every_pages=3))
    for number in range(1, 10):
        joined.add_page(number, 0.5)
    for number, relevant in {1: True, 2: False, 8: True}.items():
        joined.add_verdict(number, relevant)
    joined.restore_counts(3, 9, trained)
    assert (joined.counted, joined.changed) == (counted, changed)


def test_a_verdict_stands_above_the_relevance_and_a_later_one_above_an_earlier():
    joined = PageLabels(RetrainingOptions("both"))
    joined.add_page(1, 0.95)
    joined.add_verdict(1, False)
    assert joined.chosen() == {1: False}
    joined.add_verdict(1, True)
    assert joined.chosen() == {1: True}
    assert not joined.add_verdict(1, True)


def test_of_more_pages_than_the_limit_verdicts_and_the_latest_pages_are_learnt_from():
    joined = PageLabels(RetrainingOptions("both", max_pages=3))
    for number in range(1, 8):
        joined.add_page(number, 0.9)
    joined.add_verdict(2, True)
    assert sorted(joined.chosen()) == [2, 6, 7]


def test_verdict_files_may_grow_hold_nonsense_and_end_in_half_a_line(tmp_path):
    folder = tmp_path / "verdicts"
    files = FeedbackFiles(folder)
    assert files.read_new() == []
    folder.mkdir()
    first = folder / "a.jsonl"
    first.write_text('{"url": "http://h.example/1", "relevant": true}\nnonsense\n{"url": "http://h.example/2", "rel')
    (folder / "b.csv").write_text("url,relevant,note\nhttp://h.example/3,no,a list\nhttp://h.example/4,perhaps\n")
    (folder / "notes.txt").write_text("http://h.example/9 is good\n")
    found = files.read_new()
    assert [(v.url, v.relevant) for v in found] == [("http://h.example/1", True), ("http://h.example/3", False)]
    assert files.counts["bad"] == 2
    assert files.counts["ignored_files"] == 1
    with first.open("a") as file:
        file.write('evant": "no"}\n')
    assert [(v.url, v.relevant) for v in files.read_new()] == [("http://h.example/2", False)]
    assert files.read_new() == []
    first.write_text('{"url": "http://h.example/5", "relevant": 1}\n')
    assert [v.url for v in files.read_new()] == ["http://h.example/5"]


def test_a_long_verdict_file_is_read_in_pieces_and_says_that_there_is_more(tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text("".join(f'{{"url": "http://h.example/{n}", "relevant": true}}\n' for n in range(5000)))
    files = FeedbackFiles(path)
    found = files.read_new()
    assert 0 < len(found) < 5000
    while files.has_more:
        found += files.read_new()
    assert [verdict.url for verdict in found] == [f"http://h.example/{n}" for n in range(5000)]


def test_a_line_without_end_does_not_keep_a_verdict_file_from_being_read(tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text("x" * 3_000_000 + "\n" + '{"url": "http://h.example/1", "relevant": true}\n')
    files = FeedbackFiles(path)
    found = [verdict.url for _ in range(60) for verdict in files.read_new()]
    assert found == ["http://h.example/1"]


@pytest.mark.parametrize("array", ["[1]", '[{"url": "http://h.example/1",', "[\n  1,\n  2\n]"])
def test_wrong_lines_are_named_up_to_the_fifth_also_where_one_of_them_is_an_array(tmp_path, array):
    wrong = '{"url": "http://h.example/", "relevant": "x"}'
    (tmp_path / "ann.jsonl").write_text("\n".join(["not json", wrong, array, wrong, wrong, wrong]) + "\n")
    after = 4 + array.count("\n")
    faults = read_all(FeedbackFiles(tmp_path))[1]
    named = [int(fault.partition(", line ")[2].split()[0]) for fault in faults]
    assert named == [1, 2, 3, after, after + 1]


def read_all(files: FeedbackFiles) -> tuple[list[str], list[str]]:
    """The URLs of the verdicts, and what is wrong with the files."""
    urls, faults = [], []
    for _ in range(200):
        urls += [verdict.url for verdict in files.read_new()]
        faults += files.faults()
    return urls, faults


def test_what_is_wrong_with_a_verdict_file_is_said_once_with_its_line_and_what_it_must_be(tmp_path):
    good = '{"url": "http://h.example/1", "relevant": true}\n'
    (tmp_path / "array.json").write_text('[\n  {\n    "url": "http://h.example/2",\n    "relevant": true\n  }\n]\n')
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "long.jsonl").write_text(good + "x" * 5_000_000 + good + good)
    (tmp_path / "object.jsonl").write_text(good * 3 + "yes\nno\n")
    (tmp_path / "row.csv").write_text("url,relevant\nhttp://h.example/1,yes\nhttp://h.example/2,perhaps\n")
    (tmp_path / "utf16.jsonl").write_bytes((good * 4).encode("utf-16"))
    (tmp_path / "whole.jsonl").write_text(good + good.strip())
    files = FeedbackFiles(tmp_path)
    urls, faults = read_all(files)
    assert urls == ["http://h.example/1"] * 7
    of = {fault.split(", line")[0].rpartition("/")[2]: fault for fault in reversed(faults)}
    assert sorted(of) == ["array.json", "binary.csv", "long.jsonl", "object.jsonl", "row.csv", "utf16.jsonl"]
    assert len(faults) == 7
    assert "line 1 " in of["array.json"]
    assert "JSON Lines, one object a line, and not an array" in of["array.json"]
    assert (
        "jq -c '.[]' array.json > lines && mv lines array.jsonl" in of["array.json"]
    )  # no file is read and emptied at once
    assert "must be text in UTF-8" in of["binary.csv"]
    assert "line 2 " in of["long.jsonl"]
    assert all(len(fault) < 700 for fault in faults)
    assert "line 4 " in of["object.jsonl"]
    assert '{"url": "http://' in of["object.jsonl"]
    assert "line 3 " in of["row.csv"]
    assert '"relevant" must be true or false, yes or no' in of["row.csv"]
    assert "must be text in UTF-8" in of["utf16.jsonl"]
    assert f"{files.counts['bad']:,} lines, in files: array.json, " in files.summary()
    assert "the last line, which has no end, of: " in files.summary()
    assert "whole.jsonl" in files.summary()


def test_of_each_verdict_file_the_first_five_wrong_lines_are_named_and_all_are_counted(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("".join(f"http://h.example/{n},perhaps\n" for n in range(1, 9)))
    files = FeedbackFiles(tmp_path)
    _, faults = read_all(files)
    lines = [fault.partition(" is no verdict")[0].rpartition("/")[2] for fault in faults]
    assert lines == [f"{name}, line {n}" for name in ("a.csv", "b.csv") for n in (1, 2, 3, 4, 5)]
    assert files.counts["bad"] == 16


@pytest.mark.parametrize(
    "head", ["url,relevant", "Page;Verdict", "address,is it good?,remark", '"URL","yes or no"', "pages"]
)
def test_whatever_the_head_of_a_table_says_it_hides_no_row(tmp_path, head):
    (tmp_path / "a.csv").write_text(f"{head}\nhttp://h.example/1,yes\nhttp://h.example/2,perhaps\n")
    urls, [fault] = read_all(FeedbackFiles(tmp_path))
    assert urls == ["http://h.example/1"]
    assert "a.csv, line 3 is no verdict" in fault
    (tmp_path / "a.csv").write_text("h.example/1,yes\n")
    assert "line 1 is no verdict" in read_all(FeedbackFiles(tmp_path))[1][0]


def test_a_verdict_line_that_comes_in_pieces_is_one_bad_line_and_its_end_is_no_verdict(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("x" * 100_000 + "http://h.example/1,yes\nhttp://h.example/2,yes\n")
    files = FeedbackFiles(path)
    assert read_all(files)[0] == ["http://h.example/2"]
    assert files.counts["bad"] == 1


def test_a_verdict_file_that_cannot_be_read_is_named_once(tmp_path, monkeypatch):
    path = tmp_path / "v.jsonl"
    path.write_text('{"url": "http://h.example/1", "relevant": true}\n')
    files = FeedbackFiles(path)

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.open", refused)
        assert read_all(files) == ([], [f"{path} cannot be read: Permission denied. Its verdicts are left out."])
    assert "these files or folders: v.jsonl" in files.summary()


def test_of_the_files_that_a_folder_of_verdicts_holds_in_vain_the_first_is_named_once_and_all_are_counted(tmp_path):
    for name in ("b.jsonl", "h.txt", "c.xlsx"):
        (tmp_path / name).write_text('{"url": "http://h.example/1", "relevant": true}\n')
    (tmp_path / "people").mkdir()
    files = FeedbackFiles(tmp_path)
    urls, faults = read_all(files)
    assert urls == ["http://h.example/1"]
    assert len(faults) == 1
    assert f"{tmp_path / 'c.xlsx'} is ignored: " in faults[0]
    assert ".jsonl, .json, .csv, .tsv" in faults[0]
    assert files.counts["ignored_files"] == 3
    assert files.summary() == ""
    (tmp_path / "h.txt").rename(tmp_path / "h.jsonl")
    assert read_all(files) == (urls, [])
    assert files.counts["ignored_files"] == 2


def test_verdict_files_beyond_the_limit_of_a_folder_are_named_and_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("focused.collection.verdict_files.MAX_FILES", 2)
    for n in (1, 2, 3, 4):
        (tmp_path / f"{n}.csv").write_text(f"http://h.example/{n},yes\n")
    files = FeedbackFiles(tmp_path)
    urls, faults = read_all(files)
    assert urls == ["http://h.example/1", "http://h.example/2"]
    assert [fault.partition(" is ignored")[0] for fault in faults] == [str(tmp_path / "3.csv")]
    assert files.counts["ignored_files"] == 2


def test_of_verdict_files_without_a_fault_nothing_is_said(tmp_path):
    (tmp_path / "a.csv").write_text("url,relevant\n\nhttp://h.example/1,yes\n")
    for name in (".hidden", "a.csv~", "#a.csv#", "b.jsonl.part", "c.tmp"):
        (tmp_path / name).write_text("http://h.example/2,yes\n")
    files = FeedbackFiles(tmp_path)
    assert read_all(files) == (["http://h.example/1"], [])
    assert files.summary() == ""
    assert f"no file to read at {tmp_path / 'b'}" in FeedbackFiles(tmp_path / "b").summary()


def test_pages_of_a_crawl_without_a_known_word_are_named_when_a_topic_is_trained_again():
    rng = np.random.default_rng(3)
    pages = [judged(n, {f"only{n}": 3} if n > 2 else words(rng, STAR_WORDS)) for n in range(1, 8)]
    said: list[str] = []
    Retraining(a_topic(), pages).train(dict.fromkeys(range(1, 8), True), say=said.append)
    assert said[1:] == [
        "5 pages of the positives hold no known word (a word that several pages hold) and are left out: "
        "http://h.example/3, http://h.example/4, http://h.example/5, 2 more of the crawl"
    ]


def test_the_record_of_pages_is_read_back_and_half_lines_are_left_out(tmp_path):
    page = judged(2, {"stern": 3, "straße": 1}, LinkTexts(1, {"a": 1}, {"b": 2}, {"c": 1}, {"d": 1}))
    path = tmp_path / "retraining.jsonl"
    path.write_text(f"{page.to_line()}\n[1]\n{judged(1, {}).to_line()}\n{page.to_line()[:40]}", encoding="utf-8")
    pages, n_bad = read_record(path)
    assert pages == [judged(1, {}), page]
    assert n_bad == 1
    assert read_record(path, len(page.to_line().encode()) + 1)[0] == [page]


def test_joined_pages_stand_under_the_examples_with_their_words_and_the_links_between_them():
    topic = a_topic()
    assert topic.examples is not None
    known = topic.examples
    link = LinkTexts(1, {"star0": 1}, {"comet1": 2}, {"star0": 1}, {"new": 1})
    pages = [judged(1, {"comet1": 2, "star0": 1}), judged(2, {"comet2": 1}, link), judged(3, {"x": 1})]
    found = AugmentedExamples(known, pages).with_labels({1: False, 2: True})
    column = {term: number for number, term in enumerate(found.terms)}
    n = known.pages.shape[0]
    assert found.pages.shape[0] == n + 2
    assert (found.pages[:n, : len(known.terms)] != known.pages).nnz == 0
    assert found.pages[n, column["comet1"]] == 2
    assert found.positive.tolist() == [*known.positive.tolist(), False, True]
    assert found.sources.tolist() == [n]
    assert found.targets.tolist() == [n + 1]
    assert found.contexts[0, column["comet1"]] == 2
    again = TopicExamples.to_bytes(found)  # what a version keeps must be what a topic's file may hold
    assert again


def test_a_link_whose_own_page_did_not_join_is_no_example():
    topic = a_topic()
    assert topic.examples is not None
    link = LinkTexts(1, {"star0": 1})
    pages = [judged(1, {"a": 1}), judged(2, {"b": 1}, link)]
    found = AugmentedExamples(topic.examples, pages).with_labels({2: True})
    assert found.n_links == 0


def test_labels_that_turn_the_topic_round_are_refused_and_right_ones_are_not():
    topic, rng = a_topic(), np.random.default_rng(1)
    pages = [judged(n, words(rng, STAR_WORDS if n % 2 else OTHER_WORDS)) for n in range(1, 81)]
    right = {page.number: page.number % 2 == 1 for page in pages}
    wrong = {number: not label for number, label in right.items()}
    assert Retraining(topic, pages).compare(right, {}, set()).why_worse(0.02) == ""
    found = Retraining(topic, pages).compare(wrong, {}, set())
    assert found.new < found.in_use - 0.1
    assert "held-out" in found.why_worse(0.02)


def test_verdicts_that_widen_the_topic_are_not_taken_for_a_loss():
    topic, rng = Retraining(a_topic(), []).train({}), np.random.default_rng(2)
    # Neither the words of comets nor those of tables stand in the examples.
    pages = [judged(n, words(rng, COMET_WORDS if n % 2 else TABLE_WORDS)) for n in range(1, 41)]
    labels = {page.number: page.number % 2 == 1 for page in pages}
    found = Retraining(topic, pages).compare(labels, {}, set(labels))
    assert found.new > found.in_use
    assert found.why_worse(0.02) == ""


def test_a_third_of_wrong_verdicts_is_mostly_found_out_and_right_ones_are_believed():
    topic, rng = a_topic(), np.random.default_rng(3)
    pages = [judged(n, words(rng, STAR_WORDS if n % 2 else OTHER_WORDS)) for n in range(1, 101)]
    right = {page.number: page.number % 2 == 1 for page in pages}
    assert Retraining(topic, pages).without_label_noise(right, set(right)) == right
    wrong = set(rng.choice(100, 30, replace=False).tolist())
    told = {number: label != (number in wrong) for number, label in right.items()}
    kept = Retraining(topic, pages).without_label_noise(told, set(told))
    n_wrong = sum(kept[number] != right[number] for number in kept)
    assert n_wrong <= 15
    assert len(kept) - n_wrong >= 60


def test_verdicts_for_a_new_subtopic_of_the_topic_are_believed_even_where_others_are_wrong():
    topic, rng = a_topic(), np.random.default_rng(6)
    pages = [judged(n, words(rng, COMET_WORDS if n % 2 else TABLE_WORDS)) for n in range(1, 121)]
    right = {page.number: page.number % 2 == 1 for page in pages}
    assert Retraining(topic, pages).without_label_noise(right, set(right)) == right
    wrong = set(rng.choice(120, 36, replace=False).tolist())
    told = {number: label != (number in wrong) for number, label in right.items()}
    kept = Retraining(topic, pages).without_label_noise(told, set(told))
    assert sum(kept[number] != right[number] for number in kept) <= 9
    assert sum(kept[number] and right[number] for number in kept) >= 35


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3])
def test_the_share_of_wrong_verdicts_is_estimated_without_knowing_the_right_ones(share):
    rng = np.random.default_rng(7)
    truth = rng.random(600) < 0.4
    decisions = rng.normal(np.where(truth, 1.0, -1.0), 0.6)
    said = truth != (rng.random(600) < share)
    relevant, errs = probably_relevant(decisions, said)
    assert errs == pytest.approx((said != truth).mean(), abs=0.04)
    assert ((relevant > 0.5) == truth).mean() > 0.94
    relevant, errs = probably_relevant(np.zeros(600), said)  # decisions that say nothing leave people their opinion
    assert ((relevant > 0.5) == said).all()


def test_wrong_verdicts_are_found_where_most_of_those_that_say_no_are_wrong():
    rng = np.random.default_rng(9)
    truth = np.arange(120) < 105
    decisions = rng.normal(np.where(truth, 0.85, -0.55), 0.25)
    said = truth.copy()
    said[:36] = False  # of the pages that are relevant beyond doubt
    decisions[:36] += 0.1
    relevant, errs = probably_relevant(decisions, said)
    assert errs == pytest.approx(0.3, abs=0.03)
    assert ((relevant > 0.5) == truth).all()


def test_a_few_verdicts_are_believed_whatever_they_say():
    topic, rng = a_topic(), np.random.default_rng(4)
    pages = [judged(n, words(rng, OTHER_WORDS)) for n in range(1, 9)]
    labels = dict.fromkeys(range(1, 9), True)
    assert Retraining(topic, pages).without_label_noise(labels, set(labels)) == labels


def a_task(tmp_path) -> Task:
    return Task(2, 1, "stars", str(tmp_path), str(tmp_path), 0, {}, [], 0.02, 0, False, False)


def answer_of(trainer: TrainingProcess, seconds: float = 60) -> Attempt | None:
    end = time.monotonic() + seconds
    while trainer.is_busy and time.monotonic() < end:
        found = trainer.poll()
        if found is not None:
            return found
        time.sleep(0.01)
    return None


@pytest.mark.parametrize(
    ("program", "timeout_secs"),
    [
        ("import sys; sys.stdin.readline(); sys.exit(3)", 60.0),
        ("import sys, time; sys.stdin.readline(); time.sleep(60)", 0.2),
        ("import sys; sys.stdin.readline(); print('no JSON', flush=True); sys.stdin.read()", 60.0),
    ],
    ids=["dies", "hangs", "talks nonsense"],
)
def test_a_process_that_dies_hangs_or_talks_nonsense_is_counted_and_the_next_task_gets_a_new_one(
    tmp_path, program, timeout_secs
):
    trainer = TrainingProcess(timeout_secs, [sys.executable, "-c", program])
    try:
        for n in (1, 2):
            assert trainer.ask(a_task(tmp_path))
            assert trainer.is_busy
            assert answer_of(trainer) is None
            assert not trainer.is_busy
            assert trainer.n_failed == n
    finally:
        trainer.close()


def test_an_answer_is_read_without_waiting_for_it(tmp_path):
    line = json.dumps({"version": 2, "accepted": False, "why": "so"})
    trainer = TrainingProcess(
        60, [sys.executable, "-c", f"import sys; sys.stdin.readline(); print({line!r}, flush=True)"]
    )
    try:
        assert trainer.ask(a_task(tmp_path))
        assert answer_of(trainer) == Attempt(2, accepted=False, why="so")
        assert trainer.n_failed == 0
    finally:
        trainer.close()


def test_a_process_that_was_started_ahead_takes_the_first_task(tmp_path):
    program = """
import json, os, sys
open("started", "a").write("x")
sys.stdin.readline()
print(json.dumps({"version": 2, "accepted": True, "why": ""}), flush=True)
sys.stdin.read()
"""
    trainer = TrainingProcess(60, [sys.executable, "-c", program.replace("started", str(tmp_path / "started"))])
    try:
        trainer.get_ready()
        trainer.get_ready()
        assert not trainer.is_busy
        assert trainer.ask(a_task(tmp_path))
        assert answer_of(trainer) == Attempt(2, accepted=True, why="")
        assert (tmp_path / "started").read_text() == "x"
    finally:
        trainer.close()


def test_the_version_in_use_is_the_last_that_was_accepted(tmp_path):
    lines = [Attempt(2, True).to_line(), Attempt(3, False, "worse").to_line(), '{"version": "x"}', "{"]
    (tmp_path / "versions.jsonl").write_text("\n".join(lines) + "\n")
    attempts = read_attempts(tmp_path)
    assert [each.version for each in attempts] == [2, 3]
    assert version_in_use(attempts) == 2


def test_kept_pages_are_the_latest():
    class Named:
        def __init__(self, url: str) -> None:
            self.url = url

    pages = KeptPages(2)
    for name in "abc":
        pages.keep(Named(name), Visit())
    assert pages.get("a") is None
    assert pages.get("c") is not None
    assert len(pages) == 2


def test_drift_is_zero_for_the_same_scores_and_grows_with_their_distance():
    rng = np.random.default_rng(0)
    training = rng.beta(1, 9, 2000)
    assert drift(training, training) == pytest.approx(0)
    near, far = drift(training, rng.beta(1, 8, 2000)), drift(training, rng.beta(9, 1, 2000))
    assert near < 0.1 < 0.25 < far


@pytest.mark.parametrize(
    ("relevances", "said"),
    [
        ([0.9] * 9, None),
        ([0.9] * 10, "The last 10 pages look like the examples: 10 of them"),
        ([0.9] * 200, "The last 50 pages look like the examples: 50 of them"),
        ([0.1] * 200, "Few of the last 50 pages look like the examples: 0 of them"),
        ([0.9, 0.1, 0.1] * 60, "Some of the last 50 pages look like the examples"),
        ([0.9] * 100 + [0.9, 0.5] * 25, "The last 50 pages look less and less like the examples"),
        ([0.1] * 100 + [0.1, 0.5] * 25, "The last 50 pages look more and more like the examples"),
    ],
)
def test_drift_is_said_in_words_of_at_least_ten_pages(monkeypatch, caplog, relevances, said):
    examples = SimpleNamespace(positive=np.arange(40) < 20)
    trained = np.where(examples.positive, np.linspace(0.6, 1, 40), 0.05)
    monkeypatch.setattr("focused.retraining.drift.example_relevance", lambda topic, examples: trained)
    stats: dict = {}
    report = DriftReport(stats.__setitem__, 50, SimpleNamespace(rate=0.5, recent_rate=0.4))
    report.trained(SimpleNamespace(threshold=lambda unit: 0.6), examples)
    for relevance in relevances:
        report.add_page(relevance)
    with caplog.at_level("INFO"):
        report.show()
    assert [message[: len(said or "")] for message in caplog.messages] == ([] if said is None else [said])
    assert bool(stats) == (said is not None)


def test_pages_are_compared_with_the_examples_by_the_model_that_judged_them_and_by_its_threshold(monkeypatch, caplog):
    """Each model knows its examples by heart, and the second one is stricter than the first."""
    examples = SimpleNamespace(positive=np.arange(40) < 20)
    known = {0.4: np.where(examples.positive, 0.9, 0.1), 0.6: np.where(examples.positive, 0.99, 0.01)}
    monkeypatch.setattr(
        "focused.retraining.drift.example_relevance", lambda topic, examples: known[topic.threshold("page")]
    )
    report = DriftReport({}.__setitem__, 100, SimpleNamespace(rate=0.5, recent_rate=0.4))
    with caplog.at_level("INFO"):
        for threshold, relevances in ((0.4, [0.9] * 60), (0.6, [0.7, 0.7, 0.3] * 60)):
            report.trained(SimpleNamespace(threshold=lambda unit, value=threshold: value), examples)
            report.show()
            for relevance in relevances:
                report.add_page(relevance)
        report.show()
    assert [message.partition("; of the whole crawl")[0] for message in caplog.messages] == [
        "The last 60 pages look like the examples: 60 of them",
        "The last 100 pages look like the examples: 66 of them",
    ]


def test_pages_of_a_topic_from_words_are_not_compared_with_examples_that_it_has_not(monkeypatch, caplog):
    monkeypatch.setattr("focused.retraining.drift.example_relevance", lambda topic, examples: np.full(40, 0.05))
    stats: dict = {}
    report = DriftReport(stats.__setitem__, 50, SimpleNamespace(rate=0.5, recent_rate=0.4))
    report.trained(SimpleNamespace(threshold=lambda unit: 0.6), SimpleNamespace(positive=np.zeros(40, dtype=bool)))
    with caplog.at_level("INFO"):
        for relevances in ([0.9] * 50, [0.1] * 50):
            for relevance in relevances:
                report.add_page(relevance)
            report.show()
    # Of the first pages there is nothing to say: the lines of progress have their count.
    assert caplog.messages == [
        "The last 50 pages are less and less relevant; of the whole crawl judged relevant 0.500",
    ]
    assert "example" not in caplog.text


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"FOCUSED_RETRAINING": "on"}, "'off' or 'automatic' or 'interactive' or 'both'"),
        ({"FOCUSED_RETRAINING": "automatic", "FOCUSED_RETRAINING_T1": "0.1"}, "must be less than"),
        ({"FOCUSED_RETRAINING_EVERY_PAGES": "0"}, "a whole number of at least 1"),
    ],
)
def test_settings_that_cannot_be_are_refused_by_name(settings, says):
    with pytest.raises(ValueError, match="FOCUSED_") as error:
        read_options(settings)
    assert says in str(error.value)


def test_a_topic_without_examples_cannot_be_trained_again_and_says_so():
    topic = Topic("tides", "Tides", "en", [])
    topic.manifest = {"kind": "keywords"}
    with pytest.raises(ValueError, match="scrapy train tides --force --positive PATH"):
        read_options({"FOCUSED_RETRAINING": "automatic"}, topic)
    assert read_options({}, topic).mode == "off"


def old(folder: Path, name: str = "stars") -> None:
    """Make of a saved topic one of the first counting, whose manifest did not say so."""
    path = folder / name / "manifest.json"
    manifest = json.loads(path.read_text())
    assert manifest.pop("counting") == COUNTING
    path.write_text(json.dumps(manifest))


def test_a_topic_that_was_counted_otherwise_crawls_as_it_did_but_cannot_be_trained_again(tmp_path):
    made = Retraining(a_topic(), [judged(1, {"star": 3})]).train({1: True})
    made.save(tmp_path)
    assert read_options({"FOCUSED_RETRAINING": "automatic"}, load_topic("stars", tmp_path)).mode == "automatic"
    old(tmp_path)
    topic = load_topic("stars", tmp_path)
    assert read_options({}, topic).mode == "off"
    with pytest.raises(ValueError, match=r"counting 1, now 2.*Retrain it: scrapy train stars") as refused:
        read_options({"FOCUSED_RETRAINING": "automatic"}, topic)
    assert "\n" not in str(refused.value)
    topic.save(tmp_path / "again")  # writing it again does not count it anew
    assert load_topic("stars", tmp_path / "again").manifest["counting"] == 1


def test_a_version_that_is_saved_and_loaded_judges_as_the_model_that_was_trained(tmp_path):
    topic, rng = a_topic(), np.random.default_rng(5)
    topic.manifest |= {"intercept": 9.0, "calibrations": {}, "sublinear_tf": False, "figures": {}}
    pages = [judged(n, words(rng, STAR_WORDS if n % 2 else OTHER_WORDS)) for n in range(1, 31)]
    labels = {page.number: page.number % 2 == 1 for page in pages}
    made = Retraining(topic, pages).train(labels, about={"version": 2})
    kept = made.model
    made.save(tmp_path)
    loaded = load_topic("stars", tmp_path)
    assert loaded.model.calibrations == kept.calibrations
    assert (loaded.model.intercept, loaded.model.sublinear_tf) == (kept.intercept, kept.sublinear_tf)
    assert loaded.manifest["retraining"]["version"] == 2
