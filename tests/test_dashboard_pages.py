"""A page on the dashboard: what made it relevant by which model, who says what of it, and that a person can say yes or no."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import zipfile
import zlib

import pytest
from hand_made import topic
from starlette.testclient import TestClient

from focused.collection.judged import JudgedCollection
from focused.collection.learnt_verdicts import KEY
from focused.collection.page import CollectedPage, unpack_terms
from focused.collection.store import CollectionStore
from focused.dashboard import page_models
from focused.dashboard.app import make_app
from focused.dashboard.processes import Commands
from focused.dashboard.runs import Runs
from focused.method.topic import TopicError

HOST, TOKEN = "127.0.0.1:8088", "right-token"
OWN = {"origin": f"http://{HOST}"}
EVIL = "<script>alert(1)</script>"
TERMS = {"star": 3, "orbit": 1, "cook": 2, "title: star": 1, "nothing": 9}
TEXT = "Stars, and a star that others orbit; STARS are cooking a meal."


def add(run_dir, *pages):
    run_dir.mkdir(parents=True, exist_ok=True)
    store = CollectionStore(run_dir / "collection.sqlite", max_irrelevant=1000)
    for page in pages:
        store.add(page)
    store.close()


def page(number=1, **changes):
    known = {
        "title": f"Page {number}",
        "text": TEXT,
        "relevant": True,
        "relevance": 0.9,
        "terms": TERMS,
        "threshold": 0.5,
    }
    return CollectedPage(number, f"http://a.example/{number}", **known | changes)


@pytest.fixture
def models(tmp_path):
    topic().save(tmp_path / "models")
    return tmp_path / "models"


@pytest.fixture
def run_dir(tmp_path, models):
    folder = tmp_path / "runs" / "one"
    add(folder, page())
    digest = json.loads((models / "stars" / "manifest.json").read_text())["model_sha256"]
    about = {"topic": "stars", "finish_reason": "max_pages", "model_sha256": digest}
    (folder / "run.json").write_text(json.dumps(about))
    return folder


@pytest.fixture
def client(tmp_path, models):
    app = make_app(tmp_path / "runs", token=TOKEN, hosts=frozenset({HOST}), commands=Commands((), (models,)))
    with TestClient(app, base_url=f"http://{HOST}") as client:
        assert client.get(f"/?token={TOKEN}").status_code == 200
        yield client


def path_of(run_dir):
    return f"/runs/{next(run.key for run in Runs(run_dir.parent).all() if run.path == run_dir)}"


def change(run_dir, statement, *values):
    sql = sqlite3.connect(run_dir / "collection.sqlite")
    with sql:
        sql.execute(statement, values)
    sql.close()


def retrained(models):
    """Train the topic anew, in a way: the former one is kept as the command keeps it."""
    topic().save(models / "stars" / "previous")
    topic(intercept=-0.25, coef=2 * topic().model.coef).save(models)


def rows_of(shown, kind):
    return re.findall(rf'<th scope="row"><span class="{kind}">([^<]*)</span>', shown)


def test_a_page_shows_the_words_that_weighed_most_for_and_against_by_the_model_that_judged_it(client, run_dir):
    shown = client.get(f"{path_of(run_dir)}/pages/1").text
    assert "<p>By the topic&#39;s own model." in shown
    assert rows_of(shown, "for") == ["stars", "orbit"]  # as they stand in the text
    assert rows_of(shown, "against") == ["cooking"]
    # 3, 1 and 2 of a row of length sqrt(14): 0.802, 0.267, -0.535; with the intercept 0.035.
    assert re.findall(r"[+-]\d\.\d{3}", shown) == ["+0.802", "+0.267", "-0.535", "-0.500", "+0.035"]


def test_these_words_are_underlined_in_all_their_forms_beside_the_marks_of_a_search(client, run_dir):
    shown = client.get(f"{path_of(run_dir)}/pages/1", params={"words": "star"}).text
    for piece in ("Stars", "STARS", "orbit"):
        assert f'<span class="for">{piece}</span>' in shown
    assert '<span class="against">cooking</span>' in shown
    assert "<mark>star</mark>" in shown
    assert ">others<" not in shown


def test_a_version_that_the_crawl_trained_says_what_it_believes_and_else_the_topics_model_is_named(client, run_dir):
    change(run_dir, "UPDATE pages SET model_version = 2")
    path = f"{path_of(run_dir)}/pages/1"
    shown = client.get(path).text
    assert "By the model of stars as it is now: the one that judged this page is not here any more." in shown
    topic(intercept=0.125).save(run_dir / "versions" / "2")
    shown = client.get(path).text
    assert "By version 2 of the model, which this crawl trained." in shown
    assert "+0.125" in shown


def test_pages_judged_again_after_a_training_say_so_instead_of_a_number(client, run_dir, models):
    retrained(models)
    path = f"{path_of(run_dir)}/pages/1"
    shown = client.get(path).text  # it was judged when it came, by the model that is kept
    assert "By the topic&#39;s own model." in shown
    assert "-0.500" in shown
    new = json.loads((models / "stars" / "manifest.json").read_text())["model_sha256"]
    learnt = json.dumps({"model": new[:12], "precision": None, "recall": None})
    change(run_dir, "UPDATE pages SET model_version = 0")
    change(run_dir, "INSERT INTO about VALUES (?, ?)", KEY, learnt)
    shown = client.get(path).text
    assert "judged by the topic&#39;s model after its training from this run" in shown
    assert "version 0" not in shown
    assert "<p>By the topic&#39;s model after its training from this run, which judged all pages again." in shown
    assert "-0.250" in shown


def test_a_model_is_read_once_until_its_files_change(client, run_dir, models, monkeypatch):
    loaded = []
    load = page_models.load_topic
    monkeypatch.setattr(page_models, "load_topic", lambda *words: loaded.append(words) or load(*words))
    path = f"{path_of(run_dir)}/pages/1"
    for _ in range(3):
        assert "By the topic&#39;s own model." in client.get(path).text
    assert len(loaded) == 1
    topic(intercept=-0.25).save(models)
    assert "-0.250" in client.get(path).text
    assert len(loaded) == 2


def hostile(run_dir, what):
    """Put something else in the place of what a run's model, or its page, should be."""
    version = run_dir / "versions" / "2" / "stars"
    topic().save(run_dir / "versions" / "2")
    if what == "manifest":
        (version / "manifest.json").write_text(json.dumps({"format": 1, "topic": EVIL, "language": [EVIL]}))
    elif what == "pipe":
        (version / "model.npz").unlink()
        os.mkfifo(version / "model.npz")
    elif what == "no archive":
        (version / "model.npz").write_bytes(b"nonsense")
    elif what == "bomb":
        with zipfile.ZipFile(version / "model.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("terms.npy", bytes(50_000_000))
    elif what == "link":
        (run_dir / "versions").rename(run_dir / "elsewhere")
        (run_dir / "versions").symlink_to("/etc")
    elif what == "topic":
        (run_dir / "run.json").write_text(json.dumps({"topic": f"../{EVIL}", "model_sha256": [EVIL]}))
    else:
        change(run_dir, f"UPDATE pages SET {what} = ?", HOSTILE_VALUES[what])


HOSTILE_VALUES = {
    "terms": b"nonsense", "terms ": EVIL, "terms  ": zlib.compress(b'{"star": Infinity}'),
    "terms   ": zlib.compress(b'{"star": -5, "cook": %s}' % (b"9" * 400)), "terms    ": zlib.compress(b'{"a":"' * 9_000),
    "relevance": EVIL, "model_version": EVIL, "link_score": EVIL, "depth": EVIL, "threshold": EVIL,
    "language": b"\xff", "title": b"\xff\xfe", "text": b"\xff", "headings": "[[[", "url": b"\x00", "verdict": EVIL,
}  # fmt: skip


@pytest.mark.parametrize("what", ["manifest", "pipe", "no archive", "bomb", "link", "topic", *HOSTILE_VALUES])
def test_a_strangers_model_or_page_is_harmless(client, run_dir, what):
    change(run_dir, "UPDATE pages SET model_version = 2")
    hostile(run_dir, what)
    for view in ("/pages/1", "/pages/1?words=star&as=ann", "/pages?which=all", "/pages?which=all&sort=relevance"):
        answer = client.get(f"{path_of(run_dir)}{view}")
        assert answer.status_code in (200, 400)
        assert EVIL not in answer.text
        assert "Traceback" not in answer.text


def test_an_archive_that_is_much_larger_than_it_looks_is_not_unpacked(tmp_path, monkeypatch):
    folder = topic().save(tmp_path)
    with zipfile.ZipFile(folder / "model.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("terms.npy", bytes(50_000_000))
    monkeypatch.setattr(page_models, "load_topic", lambda *words: pytest.fail("It was read"))
    with pytest.raises(TopicError, match="too large to be looked into"):
        page_models.PageModels()._load("stars", tmp_path)


def test_damaged_counts_of_terms_are_a_value_error():
    for text in (b'{"star": Infinity}', b"[1]", b'{"a": {}}'):
        with pytest.raises(ValueError, match="cannot be read"):
            unpack_terms(zlib.compress(text))


def test_a_yes_on_a_page_that_a_person_chose_counts_at_once_and_is_in_no_figure(client, run_dir):
    path = f"{path_of(run_dir)}/pages/1"
    assert "Your name" in client.get(path).text
    answer = client.post(path, data={"as": "ann", "answer": "n", "words": "star"}, headers=OWN, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{path}?as=ann&words=star")
    shown = client.get(answer.headers["location"]).text
    assert "no (ann says no)" in shown
    assert "<dt>delivered</dt><dd>no</dd>" in shown
    assert 'name="as" value="ann"' in shown  # the name is remembered
    [said] = [json.loads(line) for line in (run_dir / "verdicts" / "ann.jsonl").read_text().splitlines()]
    assert (said["url"], said["relevant"], "drawn" in said) == ("http://a.example/1", False, False)
    with JudgedCollection(run_dir) as judged:
        judged.refresh()
        assert judged.verdicts() == {"http://a.example/1": 0.0}
        assert judged.figures().precision is None
    client.post(path, data={"as": "ann", "answer": "u"}, headers=OWN)
    assert "<dt>people say</dt><dd>nothing</dd>" in client.get(path).text


def test_a_verdict_names_the_model_that_had_learnt_when_it_was_given(client, run_dir):
    change(
        run_dir, "INSERT INTO about VALUES (?, ?)", KEY, json.dumps({"model": "abc", "precision": None, "recall": None})
    )
    client.post(f"{path_of(run_dir)}/pages/1", data={"as": "ann", "answer": "y"}, headers=OWN)
    assert json.loads((run_dir / "verdicts" / "ann.jsonl").read_text())["model"] == "abc"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"as": "../../x", "answer": "y"}, "name must be"),
        ({"as": "", "answer": "y"}, "name must be"),
        ({"as": "ann", "answer": "maybe"}, "There is no such button"),
    ],
)
def test_a_verdict_that_cannot_be_written_is_refused_with_the_reason(client, run_dir, data, why):
    answer = client.post(f"{path_of(run_dir)}/pages/1", data=data, headers=OWN)
    assert (answer.status_code, why in answer.text) == (400, True)
    assert not (run_dir / "verdicts").exists()


def test_a_form_of_another_site_judges_no_page(client, run_dir):
    for headers in ({}, {"origin": "http://evil.example"}):
        answer = client.post(f"{path_of(run_dir)}/pages/1", data={"as": "ann", "answer": "y"}, headers=headers)
        assert answer.status_code == 403
    assert not (run_dir / "verdicts").exists()


def test_copies_and_pages_that_must_not_be_shown_are_not_judged(client, run_dir):
    add(run_dir, page(2, duplicate_of="http://a.example/1", relevant=True), page(3, noindex=True))
    path = path_of(run_dir)
    shown = client.get(f"{path}/pages/2").text
    assert f'href="{path}/pages/1"' in shown
    assert "judge the page that it repeats" in shown
    assert "asks not to be indexed: nothing" in client.get(f"{path}/pages/3").text
    for number in (2, 3, 99):
        answer = client.post(f"{path}/pages/{number}", data={"as": "ann", "answer": "y"}, headers=OWN)
        assert answer.status_code in (400, 404)
    assert not (run_dir / "verdicts" / "ann.jsonl").exists()


@pytest.mark.parametrize(
    ("asked", "titles"),
    [
        ({"language": "de"}, ["B"]),
        ({"language": "en, de"}, ["A", "B"]),
        ({"host": "b.example"}, ["B"]),
        ({"since": "2024-05"}, ["B"]),
        ({"before": "2024"}, ["A"]),
        ({"relevance": "0.8"}, ["A"]),
        ({"words": "star", "host": "b.example"}, ["B"]),
        ({"words": "star", "relevance": "0.99"}, []),
    ],
)
def test_the_list_and_the_search_have_the_filters_of_the_export(client, run_dir, asked, titles):
    change(run_dir, "DELETE FROM pages")
    a = CollectedPage(
        1, "http://a.example/1", title="A", text="star", relevance=0.9, relevant=True, language="en", date="2023"
    )
    b = CollectedPage(
        2,
        "http://w.b.example/",
        title="B",
        text="star",
        relevance=0.7,
        relevant=True,
        language="de-CH",
        date="2024-06-01",
    )
    add(run_dir, a, b)
    shown = client.get(f"{path_of(run_dir)}/pages", params=asked).text
    assert re.findall(r'<li><a href="[^"]*">(.)</a>', shown) == titles
    assert "<details open>" in shown


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"relevance": "much"}, "Least relevance must be a number from 0 to 1. Got &#39;much&#39;."),
        ({"relevance": "nan"}, "Least relevance must be a number from 0 to 1."),
        (
            {"language": "German"},
            "Language must be codes of two or three letters, such as en,de. Got &#39;German&#39;.",
        ),
        (
            {"host": "a#b"},
            "Host must be names of hosts such as example.org.",
        ),
        ({"since": "May"}, "Published since must be a date such as 2024, 2024-05 or 2024-05-31. Got &#39;May&#39;."),
        ({"before": "2024-13"}, "Published before must be a date"),
        ({"which": "some"}, "Which must be one of delivered, refused, all. Got &#39;some&#39;."),
    ],
)
def test_a_filter_that_is_none_is_refused_by_its_name(client, run_dir, asked, why):
    assert why in client.get(f"{path_of(run_dir)}/pages", params=asked).text


def test_beyond_the_end_the_last_pages_are_shown_and_links_keep_filters_and_name(client, run_dir):
    add(run_dir, *(page(n, language="en") for n in range(2, 121)))
    asked = {"language": "en", "as": "ann", "offset": "1000000"}
    shown = client.get(f"{path_of(run_dir)}/pages", params=asked).text
    assert "119 pages, 101 to 119 shown" in shown
    assert shown.count("<li>") == 19
    assert "language=en&amp;as=ann&amp;offset=50" in shown
    assert "/pages/102?as=ann" in shown
    assert "0 pages" in client.get(f"{path_of(run_dir)}/pages", params=asked | {"language": "de"}).text
