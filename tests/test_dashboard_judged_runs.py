"""What people say of a run is read when something has been written, and not for each view."""

from __future__ import annotations

import json

import pytest

from focused.collection.page import CollectedPage
from focused.collection.schema import CollectionFileError
from focused.collection.store import CollectionStore
from focused.collection.verdict_folder import ON_PAGE
from focused.collection.view import CollectionView
from focused.dashboard import judged_runs
from focused.dashboard.judged_runs import MAX_RUNS, JudgedRuns
from focused.dashboard.verdicts import MAX_PEOPLE, VerdictUpdates


@pytest.fixture
def n_read(monkeypatch):
    """A list that grows each time the pages of a run are read."""
    found, read = [], judged_runs.read_opinions
    monkeypatch.setattr(judged_runs, "read_opinions", lambda run_dir: found.append(run_dir) or read(run_dir))
    return found


def add(run_dir, *numbers):
    (run_dir / "verdicts").mkdir(parents=True, exist_ok=True)
    store = CollectionStore(run_dir / "collection.sqlite", max_irrelevant=10)
    for n in numbers:
        store.add(CollectedPage(n, f"http://a.example/{n}", text="a star", relevant=True, relevance=0.9))
    store.close()


def say(run_dir, number, relevant):
    with (run_dir / "verdicts" / "anna.jsonl").open("a") as file:
        file.write(json.dumps({"url": f"http://a.example/{number}", "relevant": relevant}) + "\n")


def test_what_has_not_changed_is_not_read_again(tmp_path, n_read):
    add(tmp_path, 1, 2)
    say(tmp_path, 1, True)
    runs = JudgedRuns()
    for _ in range(3):
        assert runs.opinions(tmp_path).people == {"anna": (1, 0)}
    assert len(n_read) == 1


def test_a_new_verdict_counts_at_once_however_long_reading_took(tmp_path, monkeypatch):
    monkeypatch.setattr(judged_runs, "TIMES_AS_LONG", 1e9)
    add(tmp_path, 1, 2)
    say(tmp_path, 1, True)
    runs = JudgedRuns()
    runs.opinions(tmp_path)
    say(tmp_path, 2, False)
    assert runs.opinions(tmp_path).people == {"anna": (1, 1)}


LINE = '{"url": "http://a.example/1", "relevant": false}'


@pytest.mark.parametrize("text", [f"{LINE}{' ' * 10_000_000}\n", "\n" * 100_001], ids=["bytes", "lines"])
def test_a_verdict_file_that_holds_too_much_for_a_page_is_left_out_and_named(tmp_path, text):
    add(tmp_path, 1)
    say(tmp_path, 1, True)
    (tmp_path / "verdicts" / "aa-large.jsonl").write_text(text + LINE + "\n")
    found = JudgedRuns().read(tmp_path)
    assert found.people == {"anna": (1, 0)}
    assert found.figures[-1].startswith("Not counted here: aa-large.jsonl. The page reads verdict files of up to 10 MB")


def test_verdicts_of_very_many_bytes_are_not_taken_in_by_a_page(tmp_path, monkeypatch):
    monkeypatch.setattr("focused.dashboard.verdicts.ON_PAGE", ON_PAGE._replace(n_all_bytes=10))
    add(tmp_path, 1)
    say(tmp_path, 1, False)
    assert "Take them in in a terminal" in VerdictUpdates().apply(tmp_path)
    with CollectionView(tmp_path) as view:
        assert [row["verdict"] for row in view.pages()] == [None]


def test_of_very_many_people_those_who_said_most_are_named(tmp_path):
    add(tmp_path, 1, 2)
    lines = [{"url": "http://a.example/1", "relevant": True, "person": f"p{n}"} for n in range(MAX_PEOPLE + 5)]
    lines += [{"url": "http://a.example/2", "relevant": False, "person": "p104"}]
    (tmp_path / "verdicts" / "all.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    people = JudgedRuns().read(tmp_path).people
    assert (len(people), people["p104"], people["5 others"]) == (MAX_PEOPLE + 1, (1, 1), (5, 0))


@pytest.mark.parametrize(("times", "n_times"), [(1e9, 1), (0, 2)], ids=["within the time", "after it"])
def test_new_pages_count_when_their_time_has_come(tmp_path, n_read, monkeypatch, times, n_times):
    monkeypatch.setattr(judged_runs, "TIMES_AS_LONG", times)
    add(tmp_path, 1)
    say(tmp_path, 2, True)
    runs = JudgedRuns()
    assert runs.opinions(tmp_path).people == {}  # nobody knows the page yet
    add(tmp_path, 2)
    assert runs.opinions(tmp_path).people == ({} if n_times == 1 else {"anna": (1, 0)})
    assert len(n_read) == n_times


def test_a_collection_that_cannot_be_read_any_more_is_an_error_and_not_what_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(judged_runs, "TIMES_AS_LONG", 0)
    add(tmp_path, 1)
    runs = JudgedRuns()
    runs.opinions(tmp_path)
    (tmp_path / "collection.sqlite").write_bytes(b"nothing of the kind" * 100)
    for _ in range(2):
        with pytest.raises(CollectionFileError):
            runs.opinions(tmp_path)


def test_no_more_than_some_runs_are_remembered(tmp_path):
    runs = JudgedRuns()
    for number in range(MAX_RUNS + 5):
        with pytest.raises(CollectionFileError):
            runs.opinions(tmp_path / str(number))
    assert len(runs._seen) == MAX_RUNS
