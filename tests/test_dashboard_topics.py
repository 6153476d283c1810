"""Topics on the dashboard: what they are made from, and that neither a form nor a file leads anywhere else."""

from __future__ import annotations

import json
import time

import pytest
from commands import ROOT
from recorded_commands import Recorded
from starlette.testclient import TestClient

from focused.dashboard.app import make_app
from focused.dashboard.guard import MAX_UPLOAD_BYTES
from focused.dashboard.material import Material, chosen_lines
from focused.dashboard.runs import Runs
from focused.dashboard.topics import MAX_FILE_BYTES

HOST, TOKEN = "127.0.0.1:8088", "right-token"
OWN = {"origin": f"http://{HOST}"}
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def runs_dir(tmp_path):
    (tmp_path / "runs" / "one").mkdir(parents=True)
    (tmp_path / "runs" / "one" / "run.json").write_text("{}")
    return tmp_path / "runs"


@pytest.fixture
def client(runs_dir, tmp_path):
    commands = Recorded((), (tmp_path / "models", ROOT / "models"))
    app = make_app(runs_dir, token=TOKEN, hosts=frozenset({HOST}), commands=commands)
    with TestClient(app, base_url=f"http://{HOST}") as client:
        assert client.get(f"/?token={TOKEN}").status_code == 200
        yield client


def trained_with(client, runs_dir) -> list[str]:
    """Wait for the training; return what it was asked for."""
    deadline = time.monotonic() + 180
    while "under way" in client.get("/topics/bees?part=1").text:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return json.loads((runs_dir / ".topics" / "bees" / "train.log").read_text().splitlines()[-1])


def test_a_topic_is_trained_from_all_that_was_given_and_what_is_added_later_joins_it(client, runs_dir):
    [run] = Runs(runs_dir).all()
    data = {"name": "bees", "keywords": "--force bee", "urls": "http://a.example/1\nhttp://a.example/2", "run": run.key}
    files = [("files", ("../../../evil bee.html", b"<p>bees</p>")), ("files", ("..\\evil bee.HTML", b"<p>honey</p>"))]
    assert client.post("/topics", data=data, files=files, headers=OWN, follow_redirects=False).status_code == 303
    folder = runs_dir / ".topics" / "bees"
    positive = [str(folder / f"run-{run.key}.jsonl"), str(folder / "urls.txt"), str(folder / "files")]
    assert trained_with(client, runs_dir) == ["train", "bees", "--keywords=--force bee", "--positive", *positive]
    assert sorted(path.name for path in (folder / "files").iterdir()) == ["evil-bee-2.html", "evil-bee.html"]
    assert json.loads((folder / f"run-{run.key}.jsonl").read_text())["url"] == "2"  # the one that people said yes to
    more = {"name": "bees", "urls": "http://b.example/", "seeds": "http://seed.example/", "title": "Bees"}
    refused = client.post("/topics", data=more, headers=OWN)  # as if it were a new one
    assert (refused.status_code, "Open it to widen it" in refused.text) == (400, True)
    assert client.post("/topics", data=more | {"widen": "yes"}, headers=OWN).status_code == 200
    words = trained_with(client, runs_dir)
    assert words[2:4] == ["--title=Bees", "--keywords=--force bee"]
    assert words[-1] == f"--seeds={folder / 'seeds.txt'}"
    assert (folder / "urls.txt").read_text().split() == [
        "http://a.example/1",
        "http://a.example/2",
        "http://b.example/",
    ]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"name": "../x", "keywords": "a"}, "A topic&#39;s name must be"),
        ({"name": "bees"}, "Say what the topic is about"),
        ({"name": "bees", "urls": "file:///etc/passwd"}, "A URL must be such as"),
        ({"name": "bees", "urls": "/etc/passwd"}, "A URL must be such as"),
        ({"name": "bees", "seeds": "--force"}, "A URL must be such as"),
        ({"name": "demo", "keywords": "a"}, "was not made here"),
        ({"name": "bees", "keywords": "a", "run": "../one"}, "This run is not there any more"),
    ],
)
def test_what_cannot_be_learnt_from_is_refused_with_the_reason(client, runs_dir, data, why):
    answer = client.post("/topics", data=data, headers=OWN)
    assert answer.status_code == 400
    assert why in answer.text
    assert list(runs_dir.glob(".topics/*/train.log")) == []


def test_other_files_than_pages_and_too_much_of_them_are_refused(client, runs_dir):
    data = {"name": "bees", "keywords": "a"}
    for named in ("evil.sh", ".html", "topic.toml", "x.warc.gz"):
        answer = client.post("/topics", data=data, files=[("files", (named, b"x"))], headers=OWN)
        assert (answer.status_code, "A file must be a page or a text" in answer.text) == (400, True)
    big = {"content-length": str(MAX_UPLOAD_BYTES + 1), **OWN}
    assert client.post("/topics", content=b"x", headers=big).status_code == 413
    assert client.post("/start", content=b"x" * 70_000, headers=OWN).status_code == 413


@pytest.mark.parametrize("wrong", [("big.txt", b"x" * (MAX_FILE_BYTES + 1)), ("evil.sh", b"x")])
def test_a_file_that_is_refused_is_not_cut_and_none_that_came_with_it_is_written(client, runs_dir, wrong):
    files = [("files", ("good.txt", b"x" * MAX_FILE_BYTES)), ("files", wrong)]
    answer = client.post("/topics", data={"name": "bees"}, files=files, headers=OWN)
    assert answer.status_code == 400
    assert wrong[0] in answer.text
    assert list(runs_dir.glob(".topics/bees/files/*")) == []


def test_a_link_in_the_place_of_a_folder_is_not_written_through(client, runs_dir, tmp_path):
    (tmp_path / "outside").mkdir()
    (runs_dir / ".topics").mkdir()
    (runs_dir / ".topics" / "bees").symlink_to(tmp_path / "outside")
    with pytest.raises(ValueError, match="no link"):
        Material(runs_dir, "bees").begin()


def test_of_a_run_pages_with_a_yes_join_first_or_alone():
    lines = [
        json.dumps({"url": str(n), "verdict": verdict}) + "\n" for n, verdict in enumerate((None, True, False, True))
    ]
    assert chosen_lines(lines, judged_only=True) == [lines[1], lines[3]]
    assert chosen_lines([*lines, "\n"], judged_only=False) == [lines[1], lines[3], lines[0], lines[2]]


def test_what_a_topic_believes_is_shown_and_a_strangers_is_text(client, tmp_path):
    shown = client.get("/topics/demo").text
    assert "star, orbit, comet" in shown
    assert "a page is relevant from a relevance of 0." in shown
    strange = tmp_path / "models" / "strange"
    strange.mkdir(parents=True)
    (strange / "topic.toml").write_text(f'title = "{EVIL}"\nseeds = ["{EVIL}"]\n')
    (strange / "manifest.json").write_text(json.dumps({"format": EVIL, "terms_for": [[EVIL]], "warnings": EVIL}))
    answer = client.get("/topics/strange")
    assert (answer.status_code, EVIL in answer.text, 'role="alert"' in answer.text) == (200, False, True)
    for name in ("%2e%2e%2fx", "nothing-of-the-kind"):
        assert client.get(f"/topics/{name}").status_code == 404
