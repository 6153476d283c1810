"""The dashboard's export: the files of `scrapy export` as downloads, and nothing else than these."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from focused.collection.page import CollectedPage
from focused.collection.store import CollectionStore
from focused.dashboard import exporting
from focused.dashboard.app import make_app
from focused.dashboard.runs import Runs

HOST, TOKEN = "127.0.0.1:8088", "right-token"


@pytest.fixture
def client(tmp_path, monkeypatch):
    """A browser that has opened the printed link; one run is there, and files that are made for it lie in ``tmp_path``."""
    run = tmp_path / "runs" / "stars" / "one"
    run.mkdir(parents=True)
    (run / "run.json").write_text(json.dumps({"topic": "stars\r\nx-evil: 1", "finish_reason": "max_pages"}))
    store = CollectionStore(run / "collection.sqlite", max_irrelevant=10)
    for n, word in enumerate(("pulsar", "quasar"), 1):
        store.add(CollectedPage(n, f"http://a.example/{n}", title=word, text=f"a {word}", relevant=True, relevance=0.9))
    store.close()
    (tmp_path / "made").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "made"))
    app = make_app(tmp_path / "runs", token=TOKEN, hosts=frozenset({HOST}))
    with TestClient(app, base_url=f"http://{HOST}") as client:
        assert client.get(f"/?token={TOKEN}").status_code == 200
        yield client


def path_of(tmp_path: Path) -> str:
    [run] = Runs(tmp_path / "runs").all()
    return f"/runs/{run.key}/export"


def test_the_pages_that_the_filters_name_are_sent_and_no_file_stays(client, tmp_path):
    path = path_of(tmp_path)
    assert "--output" not in client.get(path).text
    answer = client.get(f"{path}/file", params={"format": "markdown", "words": "pulsar", "output": str(tmp_path / "x")})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == 'attachment; filename="stars-x-evil-1-one.zip"'
    files = zipfile.ZipFile(io.BytesIO(answer.content))
    text = b"".join(files.read(name) for name in files.namelist())
    assert (b"a pulsar" in text, b"a quasar" in text) == (True, False)
    assert list((tmp_path / "made").iterdir()) == []
    assert not (tmp_path / "x").exists()
    assert "The last export: 1 page of 1 run." in client.get(path).text


def test_an_empty_file_is_not_sent(client, tmp_path):
    answer = client.get(f"{path_of(tmp_path)}/file", params={"format": "csv", "host": "b.example"})
    assert answer.status_code == 400
    assert "No page of this run passes these filters" in answer.text
    answer = client.get(f"{path_of(tmp_path)}/file", params={"format": "csv", "host": "http://a.example/x"})
    assert answer.status_code == 200  # a URL stands for its host


def test_what_a_filter_holds_is_never_an_option_and_the_command_says_what_is_wrong(client, tmp_path):
    path = path_of(tmp_path)
    answer = client.get(f"{path}/file", params={"format": "jsonl", "since": "--output=/tmp/x"})
    assert answer.status_code == 400
    assert "--since must be a date such as 2024, 2024-05 or 2024-05-31. Got &#39;--output=/tmp/x&#39;." in answer.text
    assert list((tmp_path / "made").iterdir()) == []
    assert client.get(f"{path}/file", params={"format": "../x"}).status_code == 400


def test_only_some_exports_are_made_at_a_time(client, tmp_path, monkeypatch):
    monkeypatch.setattr(exporting, "MAX_AT_A_TIME", 0)
    answer = client.get(f"{path_of(tmp_path)}/file", params={"format": "jsonl"})
    assert (answer.status_code, "Try again in a moment" in answer.text) == (503, True)
