"""Views answer at once although what they want is long in reading, and show it when it is there."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from starlette.testclient import TestClient

from focused.collection.page import CollectedPage
from focused.collection.store import CollectionStore
from focused.dashboard import background_work, judged_runs, judging_room, verdicts
from focused.dashboard.app import make_app
from focused.dashboard.background_work import BackgroundWork
from focused.dashboard.judging_room import JudgingRoom
from focused.dashboard.runs import Runs

HOST, TOKEN = "127.0.0.1:8088", "right-token"


@pytest.fixture
def gate(monkeypatch):
    """An event until which all that reads a run waits."""
    gate = threading.Event()
    monkeypatch.setattr(background_work, "ANSWER_SECS", 0.01)

    def slow(work):
        def waiting(*given, **options):
            assert gate.wait(120)
            return work(*given, **options)

        return waiting

    for module, name in (
        (judged_runs, "read_opinions"),
        (verdicts, "apply_verdicts"),
        (judging_room, "JudgingSession"),
    ):
        monkeypatch.setattr(module, name, slow(getattr(module, name)))
    yield gate
    gate.set()


@pytest.fixture
def run_dir(tmp_path):
    path = tmp_path / "run"
    (path / "verdicts").mkdir(parents=True)
    (path / "run.json").write_text('{"topic": "stars", "finish_reason": "max_pages"}')
    (path / "verdicts" / "anna.jsonl").write_text('{"url": "http://a.example/1", "relevant": true}\n')
    store = CollectionStore(path / "collection.sqlite", max_irrelevant=10)
    for n in (1, 2):
        store.add(
            CollectedPage(n, f"http://a.example/{n}", title=f"Star {n}", text="a star", relevant=True, relevance=0.9)
        )
    store.close()
    return path


@pytest.mark.parametrize(
    ("view", "at_first", "then"),
    [
        ("", "is being read", "Nobody has judged random pages yet"),
        ("/learn", "is being read", "anna"),
        ("/learn?part=opinions", "is being read", "anna"),
        ("/pages", "being taken in", "people say yes"),
        ("/judge?as=berta", "are being read", "Star 2"),
        ("/judge?as=berta&part=1", "are being read", "Star 2"),
    ],
)
def test_a_view_answers_before_its_pages_are_read_and_shows_them_afterwards(gate, run_dir, view, at_first, then):
    key = Runs(run_dir.parent).all()[0].key
    app = make_app(run_dir.parent, token=TOKEN, hosts=frozenset({HOST}))
    with TestClient(app, base_url=f"http://{HOST}") as client:
        client.get(f"/?token={TOKEN}")
        answer = client.get(f"/runs/{key}{view}")
        assert answer.status_code == 200
        assert at_first in answer.text
        assert then not in answer.text
        gate.set()
        text = until(lambda: client.get(f"/runs/{key}{view}").text, lambda text: at_first not in text)
        assert then in text


def test_what_was_known_is_shown_while_it_is_read_anew(gate, run_dir):
    runs = judged_runs.JudgedRuns()
    gate.set()
    until(lambda: runs.opinions(run_dir), bool)
    gate.clear()
    with (run_dir / "verdicts" / "anna.jsonl").open("a") as file:
        file.write('{"url": "http://a.example/2", "relevant": false}\n')
    former = runs.opinions(run_dir)
    assert (former.people, former.is_old) == ({"anna": (1, 0)}, True)
    gate.set()
    assert until(lambda: runs.opinions(run_dir), lambda found: not found.is_old).people == {"anna": (1, 1)}


def test_work_that_is_under_way_is_not_begun_twice_and_its_fault_is_told_once(monkeypatch):
    monkeypatch.setattr(background_work, "ANSWER_SECS", 0.01)
    gate, begun = threading.Event(), []

    def work():
        begun.append(1)
        gate.wait(120)
        raise ValueError("no")

    waiting = BackgroundWork()
    assert [waiting.get("a", work) for _ in range(3)] == [None] * 3
    gate.set()
    with pytest.raises(ValueError, match="no"):
        until(lambda: waiting.get("a", work), bool)
    assert len(begun) == 1


def test_a_name_that_is_none_is_refused_also_after_a_wait_and_leaves_no_session(gate, run_dir):
    async def ask():
        room = JudgingRoom()
        assert (await room.ask(run_dir, "../x")).is_reading
        gate.set()
        for _ in range(1000):
            try:
                await room.ask(run_dir, "../x")
            except ValueError as error:
                return room, str(error)
            await asyncio.sleep(0.01)
        return room, ""

    room, error = asyncio.run(ask())
    assert "name must be" in error
    assert not room._seats


def until(look, is_right):
    """Return what is seen when it is right; an AssertionError if it never is."""
    for _ in range(1000):
        if is_right(found := look()):
            return found
        time.sleep(0.01)
    raise AssertionError(found)
