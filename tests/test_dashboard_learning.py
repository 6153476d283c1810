"""What the dashboard shows of verdicts and of what the model learnt from them."""

from __future__ import annotations

import json
import sys
import time

import pytest
from starlette.testclient import TestClient

from focused.collection.page import CollectedPage
from focused.collection.store import CollectionStore
from focused.dashboard.app import make_app
from focused.dashboard.jobs import MAX_BUSY, Jobs
from focused.dashboard.learning import WOULD, Learning
from focused.dashboard.processes import Commands
from focused.dashboard.runs import Runs
from focused.retraining.versions import Attempt

HOST, TOKEN = "127.0.0.1:8088", "right-token"
OWN = {"origin": f"http://{HOST}"}
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def run_dir(tmp_path):
    """A run of two pages, of which the model calls one relevant."""
    folder = tmp_path / "runs" / "one"
    (folder / "verdicts").mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"topic": "stars", "finish_reason": "max_pages"}))
    store = CollectionStore(folder / "collection.sqlite", max_irrelevant=10)
    for n in (1, 2):
        store.add(
            CollectedPage(
                n, f"http://a.example/{n}", title=f"Page {n}", text="a star", relevant=n == 1, relevance=0.9 / n
            )
        )
    store.close()
    return folder


@pytest.fixture
def client(tmp_path):
    app = make_app(
        tmp_path / "runs", token=TOKEN, hosts=frozenset({HOST}), commands=Commands((), (tmp_path / "models",))
    )
    with TestClient(app, base_url=f"http://{HOST}") as client:
        assert client.get(f"/?token={TOKEN}").status_code == 200
        yield client


def say(run_dir, person, number, relevant):
    with (run_dir / "verdicts" / f"{person}.jsonl").open("a") as file:
        file.write(json.dumps({"url": f"http://a.example/{number}", "relevant": relevant}) + "\n")


def path_of(run_dir):
    return f"/runs/{next(run.key for run in Runs(run_dir.parent).all() if run.path == run_dir)}"


def test_a_verdict_is_shown_and_acts_at_once(client, run_dir):
    path = path_of(run_dir)
    assert "Page 1" in client.get(f"{path}/pages").text
    say(run_dir, "ann", 1, relevant=False)
    assert "Page 1" not in client.get(f"{path}/pages").text  # not delivered any more
    say(run_dir, "ann", 1, relevant=True)
    assert "people say yes" in client.get(f"{path}/pages").text
    say(run_dir, "bob", 1, relevant=False)
    assert "people say" not in client.get(f"{path}/pages").text  # this and that
    assert "people contradict each other: ann says yes, bob says no" in client.get(f"{path}/pages/1").text
    assert "<dd>nothing</dd>" in client.get(f"{path}/pages/2").text


def test_where_people_contradict_each_other_is_listed_with_who_said_what(client, run_dir):
    path = path_of(run_dir)
    for person, number, relevant in (("ann", 1, True), ("bob", 1, False), ("ann", 2, True), ("assessor-x", 2, False)):
        say(run_dir, person, number, relevant)
    shown = client.get(f"{path}/learn").text
    assert "ann says yes, bob says no" in shown
    assert "Page 2" not in shown  # a program contradicts nobody
    assert ">assessor-x</th>" in shown
    say(run_dir, "bob", 1, relevant=True)
    assert "Nowhere." in client.get(f"{path}/learn").text


def test_a_strangers_collection_is_not_written_through_a_link(client, run_dir, tmp_path):
    outside = tmp_path / "outside.sqlite"
    (run_dir / "collection.sqlite").rename(outside)
    (run_dir / "collection.sqlite").symlink_to(outside)
    before = outside.read_bytes()
    say(run_dir, "ann", 1, relevant=False)
    assert "must be a regular file. It is a symbolic link" in client.get(f"{path_of(run_dir)}/pages").text
    assert outside.read_bytes() == before


@pytest.mark.parametrize(
    "retraining",
    [
        {"now_for": [EVIL], "now_against": 3, "n_compared": "many", "now_relevant": [{"url": EVIL}, 7, None]},
        {"now_for": {"a": EVIL}, "not_any_more": [[[[EVIL]]]]},
        [EVIL],
        None,
    ],
)
def test_what_a_strangers_topic_says_that_it_learnt_is_text(client, run_dir, tmp_path, retraining):
    topic = tmp_path / "models" / "stars"
    topic.mkdir(parents=True)
    (topic / "topic.toml").write_text("")
    about = {"from_run": "one", "changes": retraining, "errors_on_verdicts": {"n_judged": EVIL}}
    (topic / "manifest.json").write_text(json.dumps({"retraining": about}))
    versions = [
        Attempt(2, accepted=True, errors_on_verdicts={"n_judged": 9, "new": 1, "first": 4}),
        Attempt(3, accepted=False, why=EVIL),
    ]
    (run_dir / "versions.jsonl").write_text("".join(f"{each.to_line()}\n" for each in versions))
    for number, terms in ((1, ["star"]), (2, ["star", EVIL])):
        folder = run_dir / "versions" / str(number) / "stars"
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text(
            json.dumps({"terms_for": [[term, 1.0] for term in terms], "terms_against": EVIL})
        )
    answer = client.get(f"{path_of(run_dir)}/learn")
    assert answer.status_code == 200
    assert EVIL not in answer.text
    assert "1 of 9; the topic's own 4" in answer.text


def test_a_topic_that_is_not_here_is_not_trained(client, run_dir):
    answer = client.post(f"{path_of(run_dir)}/learn", headers=OWN)
    assert (answer.status_code, "not among the topics here" in answer.text) == (400, True)
    assert not (run_dir / "train.log").exists()


def test_a_worse_model_is_taken_only_after_the_page_has_said_what_these_verdicts_would_do(
    client, run_dir, tmp_path, monkeypatch
):
    (tmp_path / "models" / "stars").mkdir(parents=True)
    (tmp_path / "models" / "stars" / "topic.toml").write_text("")
    # A stand-in for the command, which would train for some seconds.
    code = "import sys; print(f'{WOULD!r} of topic stars would do.\\nIt is worse.' if '--dry-run' in sys.argv else sys.argv)"
    code = code.replace("{WOULD!r}", WOULD)
    monkeypatch.setattr(Commands, "words", lambda self, *words: [sys.executable, "-c", code, *words])
    path, log = f"{path_of(run_dir)}/learn", run_dir / "train.log"
    say(run_dir, "ann", 1, relevant=False)
    force = {"what": "force", "sure": "yes"}

    def ended(**form):
        n_before = log.stat().st_size if log.exists() else 0
        assert client.post(path, data=form, headers=OWN).status_code == 200
        deadline = time.monotonic() + 180
        while (shown := client.get(path).text).count("data-busy") or log.stat().st_size == n_before:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return shown

    assert client.post(path, data=force, headers=OWN).status_code == 400  # nobody has seen what it would do
    shown = ended(what="try")
    assert "It is worse." in shown
    assert "At risk:" in shown
    assert client.post(path, data={"what": "force"}, headers=OWN).status_code == 400  # not sure
    say(run_dir, "ann", 2, relevant=False)
    assert "At risk:" not in client.get(path).text
    assert client.post(path, data=force, headers=OWN).status_code == 400  # of other verdicts it was not said
    ended(what="try")
    assert "At risk:" not in ended(**force)
    assert "--force" in log.read_text().splitlines()[-1]
    assert client.post(path, data={"what": "eat"}, headers=OWN).status_code == 400


def test_a_model_that_is_not_worse_is_not_offered_as_one_that_is(client, run_dir, monkeypatch):
    path = f"{path_of(run_dir)}/learn"
    for said, is_offered in (("It is not worse", False), ("It is not clearly worse", True), ("It is worse", True)):
        monkeypatch.setattr(Learning, "_would", lambda *_, said=said: [f"{WOULD} would do.", f"{said} (F1 0.8)."])
        assert ("Take it although it is worse" in client.get(path).text) is is_offered


def test_the_page_knows_how_the_command_begins_its_answer():
    from focused.commands.train_from_run_words import WOULD as OF_COMMAND

    assert OF_COMMAND == WOULD


def test_a_training_is_followed_to_its_end_and_only_some_are_under_way_at_a_time(tmp_path):
    jobs, log = Jobs(), tmp_path / "train.log"
    log.write_text("of an earlier one\n")
    words = [sys.executable, "-c", "input(); print('done')"]
    assert jobs.of("a", log).said == "of an earlier one\n"
    fails = [
        *(sys.executable, "-c"),
        "import os, sys, time\nwhile not os.path.exists(sys.argv[1]): time.sleep(0.01)\nprint('x'); sys.exit('Error: It is worse.')",
        *(str(tmp_path / "goes_on"),),
    ]
    for number in range(MAX_BUSY):
        jobs.start(f"{number}", fails, log if number == 0 else tmp_path / f"{number}.log")
    with pytest.raises(ValueError, match="is under way"):
        jobs.start("0", words, log)
    with pytest.raises(ValueError, match="Other trainings"):
        jobs.start("other", words, log)
    assert jobs.of("0", log).is_busy
    (tmp_path / "goes_on").touch()
    deadline = time.monotonic() + 180
    while jobs.of("0", log).is_busy or jobs.of("1", tmp_path / "1.log").is_busy:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    found = jobs.of("0", log)
    assert (found.error, "of an earlier one" in found.said) == ("It is worse.", False)
