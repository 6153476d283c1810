"""Collections with damaged pages: what is said, and what is saved of them."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing

import pytest
from test_collection import page

from focused.collection.recovery import recover_collection
from focused.collection.schema import CollectionFileError, check_pages, open_collection
from focused.collection.store import CollectionStore

N_PAGES = 60


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "collection.sqlite"
    store = CollectionStore(made, max_irrelevant=100)
    words = random.Random(3)
    store.add(
        *(
            page(number, text=f"star{number} " + " ".join(f"word{words.randrange(9999)}" for _ in range(3_000)))
            for number in range(1, N_PAGES + 1)
        )
    )
    store.close()
    return made


def texts(path) -> dict[str, str]:
    with closing(open_collection(path, read_only=True)) as sql:
        return dict(sql.execute("SELECT url, text FROM pages").fetchall())


def test_a_collection_that_is_whole_stays_as_it_is(path):
    before = path.read_bytes()
    check_pages(path)
    assert recover_collection(path) is None
    assert path.read_bytes() == before
    assert recover_collection(path.with_name("none.sqlite")) is None


@pytest.mark.parametrize("seed", range(6))
def test_what_can_be_read_of_a_damaged_collection_is_saved_and_found_by_its_words(path, seed):
    before, n_bytes = texts(path), path.stat().st_size
    source = random.Random(seed)
    with path.open("r+b") as file:
        file.seek(source.randrange(n_bytes // 4, n_bytes - 16_384) // 8192 * 8192)
        file.write(os.urandom(8192))
    found = recover_collection(path)
    if found is None:  # it was a page that nothing stands on
        assert texts(path) == before
        return
    assert found.kept.name == "collection.sqlite.damaged"
    assert found.kept.is_file()
    after = texts(path)
    assert N_PAGES // 2 < found.n_pages == len(after) <= N_PAGES
    assert all(text in (before[url], "") for url, text in after.items())
    assert list(after.values()).count("") == found.n_without_text
    with closing(open_collection(path)) as sql:
        assert sql.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        number = next(n for n, text in enumerate(after.values(), 1) if text)
        word = next(text for text in after.values() if text).split()[0]
        [(n_found,)] = sql.execute("SELECT count(*) FROM pages_fts WHERE pages_fts MATCH ?", (word,))
        assert n_found == 1, number
    CollectionStore(path, max_irrelevant=100).close()
    assert recover_collection(path) is None


def test_a_text_that_is_none_costs_the_text_and_not_the_page(path):
    with closing(sqlite3.connect(path)) as sql, sql:
        sql.execute("UPDATE pages SET text = CAST(X'C3284142' AS TEXT) WHERE number = 5")
        sql.execute("UPDATE pages SET url = CAST(X'C3284142' AS TEXT) WHERE number = 7")
    found = recover_collection(path)
    assert found is not None
    assert (found.n_pages, found.n_without_text, found.n_before) == (N_PAGES - 1, 1, N_PAGES)
    with closing(open_collection(path, read_only=True)) as sql:
        assert sql.execute("SELECT number FROM pages WHERE text_left_out").fetchall() == [(5,)]


def test_a_damaged_collection_is_refused_before_a_crawl_adds_to_it_and_nothing_can_be_saved_of_none(path):
    n_bytes = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(n_bytes // 2)
        file.write(b"\xde\xad" * 8192)
    with pytest.raises(CollectionFileError, match=r"is damaged, or no collection: malformed.*--recover"):
        check_pages(path)
    path.write_bytes(path.read_bytes()[:100] + os.urandom(n_bytes - 100))
    with pytest.raises(CollectionFileError, match="Nothing can be saved"):
        recover_collection(path)
    assert path.is_file()
    assert [each.name for each in path.parent.iterdir() if each.name.startswith("recovery-")] == []
