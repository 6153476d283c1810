"""Run directories of strangers on the dashboard: whatever one holds, it hides and stops no other."""

from __future__ import annotations

import json
import os
import sqlite3
from itertools import pairwise
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from focused.collection.page import CollectedPage
from focused.collection.store import CollectionStore
from focused.dashboard.app import make_app
from focused.dashboard.crawls import delete
from focused.dashboard.harvest_file import curve
from focused.dashboard.runs import Runs

HOST, TOKEN = "127.0.0.1:8088", "right-token"
OWN = {"origin": f"http://{HOST}"}
VIEWS = ("", "/pages", "/pages/1", "/judge?as=ann", "/learn", "/export", "/manage", "/curve.json")


def a_run(folder: Path, **about) -> Path:
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"topic": "stars", "finish_reason": "max_pages", **about}))
    (folder / "harvest.csv").write_text("pages,harvest_rate\n1,1.0\n2,0.5\n")
    store = CollectionStore(folder / "collection.sqlite", max_irrelevant=10)
    store.add(CollectedPage(1, "http://a.example/1", title="Stars", text="a star", relevant=True, relevance=0.9))
    store.close()
    return folder


@pytest.fixture
def runs_dir(tmp_path):
    a_run(tmp_path / "runs" / "good")
    a_run(tmp_path / "runs" / "evil")
    return tmp_path / "runs"


@pytest.fixture
def client(runs_dir):
    app = make_app(runs_dir, token=TOKEN, hosts=frozenset({HOST}))
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=True) as client:
        assert client.get(f"/?token={TOKEN}").status_code == 200
        yield client


def key_of(runs_dir: Path, name: str) -> str:
    return Runs.key_of(runs_dir / name)


def replaced(path: Path) -> Path:
    path.unlink(missing_ok=True)
    return path


def in_collection(statement: str):
    def change(run: Path) -> None:
        with sqlite3.connect(run / "collection.sqlite") as sql:
            sql.execute(statement)

    return change


EVIL = {
    "a pipe as harvest": lambda run: os.mkfifo(replaced(run / "harvest.csv")),
    "a pipe as versions": lambda run: os.mkfifo(run / "versions.jsonl"),
    "a device as versions": lambda run: (run / "versions.jsonl").symlink_to("/dev/zero"),
    "a number beyond all": lambda run: (run / "run.json").write_text('{"topic": "x", "max_pages": 1' + "0" * 400 + "}"),
    "half a character": lambda run: (run / "run.json").write_text('{"topic": "\\ud800", "web": "\\udfff"}'),
    "a carriage return": lambda run: (run / "harvest.csv").write_bytes(b"a,b\n3\r4,5\n"),
    "a field beyond all": lambda run: (run / "harvest.csv").write_text("pages,x\n1,2\n3," + "x" * 200_000 + "\n"),
    "a link to an endless name": lambda run: replaced(run / "collection.sqlite").symlink_to("x" * 300),
    "a link as verdicts": lambda run: (run / "verdicts").symlink_to("x" * 300),
    "a topic that is a path": lambda run: (run / "run.json").write_text('{"topic": "../../../../etc"}'),
    "a topic without end": lambda run: (run / "run.json").write_text(json.dumps({"topic": "x" * 3000})),
    "a title of bytes": in_collection("UPDATE pages SET title = x'00ff', url = x'ff'"),
    "a relevance that is a word": in_collection("UPDATE pages SET relevance = 'much', threshold = 'more'"),
    "headings without end": in_collection("UPDATE pages SET headings = replace(hex(zeroblob(50000)), '0', '[')"),
}


@pytest.mark.parametrize("what", EVIL)
def test_whatever_a_run_holds_no_view_hangs_or_shows_a_traceback_and_other_runs_are_seen(client, runs_dir, what):
    EVIL[what](runs_dir / "evil")
    for view in VIEWS:
        answer = client.get(f"/runs/{key_of(runs_dir, 'evil')}{view}")
        assert "Traceback" not in answer.text
        assert answer.headers["content-security-policy"]  # also where the view fails
    for path in ("/", "/metrics", f"/runs/{key_of(runs_dir, 'good')}"):
        answer = client.get(path)
        assert (answer.status_code, "good" in answer.text) == (200, True)


def test_a_link_in_the_place_of_a_run_file_hides_no_other_run(runs_dir):
    replaced(runs_dir / "evil" / "run.json").symlink_to("x" * 300)
    assert [run.name for run in Runs(runs_dir).all()] == ["good"]


def test_a_folder_whose_name_is_no_text_is_shown(client, runs_dir):
    os.rename(os.fsencode(runs_dir / "evil"), os.fsencode(runs_dir) + b"/ev\xffil")  # noqa: PTH104
    shown = client.get("/")
    assert shown.status_code == 200
    assert ">ev?il</a>" in shown.text


def test_a_number_of_a_page_that_no_database_has_is_not_found(client, runs_dir):
    assert client.get(f"/runs/{key_of(runs_dir, 'good')}/pages/{10**30}").status_code == 404


def test_a_name_longer_than_a_file_may_have_is_refused(client, runs_dir):
    answer = client.post(
        f"/runs/{key_of(runs_dir, 'good')}/judge", data={"as": "\U00020000" * 64, "answer": "y"}, headers=OWN
    )
    assert answer.status_code == 400
    assert "A person&#39;s name must be" in answer.text


def test_a_form_that_grows_beyond_what_it_may_be_is_refused_while_it_comes(client, runs_dir):
    def parts():
        for _ in range(10):
            yield b"a=" + b"x" * 20_000

    headers = {**OWN, "content-type": "application/x-www-form-urlencoded"}
    answer = client.post(f"/runs/{key_of(runs_dir, 'good')}/judge", content=parts(), headers=headers)
    assert answer.status_code == 413
    assert answer.headers["content-security-policy"]


def test_of_a_long_curve_some_rows_are_taken_and_the_last(runs_dir):
    rows = "".join(f"{number},{number / 50_000}\n" for number in range(1, 50_001))
    (runs_dir / "evil" / "harvest.csv").write_text("pages,harvest_rate\n" + rows + "50001,0.")  # half a row at its end
    pages, rates, *_ = curve(runs_dir / "evil")
    assert 400 <= len(pages) <= 501
    assert pages == sorted(set(pages))
    assert (pages[0], pages[-1], rates[-1]) == (1.0, 50_000.0, 1.0)
    assert max(after - before for before, after in pairwise(pages)) < 500  # evenly over it


def test_a_list_of_pages_reads_no_texts(runs_dir):
    with sqlite3.connect(runs_dir / "evil" / "collection.sqlite") as sql:
        sql.execute("UPDATE pages SET title = hex(zeroblob(1000000))")
    client = TestClient(make_app(runs_dir, token=TOKEN, hosts=frozenset({HOST})), base_url=f"http://{HOST}")
    client.get(f"/?token={TOKEN}")
    assert len(client.get(f"/runs/{key_of(runs_dir, 'evil')}/pages").text) < 20_000


def test_a_run_with_folders_in_folders_without_end_is_deleted_and_links_are_not_followed(runs_dir, tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("x")
    at = runs_dir / "evil"
    for _ in range(1300):  # deeper than Python calls itself
        at = at / "d"
        at.mkdir()
    (at / "link").symlink_to(kept)
    run = next(run for run in Runs(runs_dir).all() if run.name == "evil")
    delete(run, runs_dir)
    assert [path.name for path in runs_dir.iterdir()] == ["good"]
    assert (kept / "file").exists()
