"""Delivered pages are copied into a real PostgreSQL server, and the copy is right whatever happened meanwhile."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import psycopg
import pytest
from commands import ROOT, crawl

from focused.collection.judged_rows import JudgedRows
from focused.collection.page import CollectedPage
from focused.collection.postgresql import PostgresCopy, check_database
from focused.collection.store import CollectionStore

MODELS = ROOT / "models"


@pytest.fixture
def store(tmp_path):
    made = CollectionStore(tmp_path / "collection.sqlite", max_irrelevant=100)
    made.describe("id", "one")
    yield made
    made.close()


def rows(database, columns="url") -> list[tuple]:
    with psycopg.connect(database) as connection:
        return connection.execute(f"SELECT {columns} FROM focused_pages ORDER BY url").fetchall()


def page(number: int, **fields) -> CollectedPage:
    return CollectedPage(number, f"http://a.example/{number}", **{"relevance": 0.9, "relevant": True, **fields})


def all_of(copy: PostgresCopy) -> int:
    return sum(iter(copy.step, 0))


def test_pages_that_a_later_model_judged_again_are_copied_again_and_those_never_delivered_are_not(
    store, database, tmp_path
):
    copy = PostgresCopy(database, tmp_path, "stars")
    for number in range(150):
        store.add(page(number, terms={"w": 1}, relevant=number % 3 == 0))
    all_of(copy)
    judged = JudgedRows(tmp_path / "collection.sqlite")
    found = [(row.id, 0.8 if row.id % 2 else 0.2) for part in judged.slices(100) for row in part]
    judged.judge(found, 0.5, replace(judged.first_judged(), version=2))
    judged.close()
    all_of(copy)
    found = rows(database, "url, delivered, model_version")
    now = {int(url.rpartition("/")[2]): (delivered, version) for url, delivered, version in found}
    # Rows are numbered from 1.
    assert now == {n: (n % 2 == 0, 2) for n in range(150) if n % 3 == 0 or n % 2 == 0}
    copy.close()
    again = PostgresCopy(database, tmp_path, "stars")
    assert all_of(again) == 0
    again.close()


def test_what_is_delivered_is_copied_once_with_its_fields(store, database, tmp_path):
    copy = PostgresCopy(database, tmp_path, "stars")
    for number in range(250):
        store.add(page(number, title="A\0B \ud800", headings=[(1, "H")], relevant=number % 2 == 0))
    assert all_of(copy) == 250
    found = rows(database, "topic, url, title, headings, relevant, verdict, run")
    assert len(found) == 125
    assert found[0] == ("stars", "http://a.example/0", "AB ?", [{"text": "H", "level": 1}], True, None, tmp_path.name)
    store.add(page(900))
    again = PostgresCopy(database, tmp_path, "stars")  # as after a crash: it goes on where the database says
    assert all_of(again) == 1
    assert len(rows(database)) == 126
    for each in (copy, again):
        each.close()


def test_people_who_change_their_minds_change_the_copy(store, database, tmp_path):
    copy = PostgresCopy(database, tmp_path, "stars")
    store.add(page(1))
    store.add(page(2, relevant=False))
    all_of(copy)
    sql = sqlite3.connect(tmp_path / "collection.sqlite", isolation_level=None)
    for verdicts, delivered in (((0, 1), [False, True]), ((None, 1), [True, True]), ((None, None), [True, False])):
        for number, verdict in enumerate(verdicts, 1):
            sql.execute("UPDATE pages SET verdict = ? WHERE number = ?", (verdict, number))
        all_of(copy)
        assert [each for (each,) in rows(database, "delivered")] == delivered
    sql.close()
    copy.close()


def test_a_crawl_copies_its_pages_and_a_resumed_one_what_is_left(database, tmp_path):
    options = {"topic": "demo", "settings": {"FOCUSED_POSTGRESQL": database}}
    first = crawl(MODELS, tmp_path, max_pages=40, **options)
    assert first.exit_code == 0, first.err
    n_first = len(first.pages)
    assert [url for (url,) in rows(database)] == sorted(each["url"] for each in first.pages)
    without = crawl(MODELS, tmp_path, max_pages=60, topic="demo")
    assert n_first == len(rows(database)) < len(without.pages)
    last = crawl(MODELS, tmp_path, max_pages=70, **options)
    assert [url for (url,) in rows(database)] == sorted(each["url"] for each in last.pages)
    assert last.stats["focused/postgresql/written_count"] == len(last.pages) - n_first


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("not a url", "must be a URL such as postgresql://me@host/database. Got 'not a url'."),
        ("postgresql://me:secret@127.0.0.1:1/a", "must not hold a password"),
        ("postgresql://me@127.0.0.1:1/a", "The database of FOCUSED_POSTGRESQL cannot be used: connection failed"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused_in_one_sentence_that_tells_no_secret(url, says):
    with pytest.raises(ValueError, match="FOCUSED_POSTGRESQL") as error:
        check_database(url)
    assert says in str(error.value)
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)


def test_such_a_database_stops_the_crawl_before_its_first_request(tmp_path):
    settings = {"FOCUSED_POSTGRESQL": "postgresql://me@127.0.0.1:1/a"}
    result = crawl(MODELS, tmp_path, topic="demo", max_pages=5, settings=settings)
    assert result.exit_code == 1
    assert "FOCUSED_POSTGRESQL cannot be used" in result.err
    assert "Traceback" not in result.err
    assert not (tmp_path / "run").exists()
