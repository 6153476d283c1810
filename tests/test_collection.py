"""The collection's file: what is written is found again, also after a crash, and what is delivered follows from what is said."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections import Counter

import numpy as np
import pytest

from focused.collection.index_process import IndexProcess
from focused.collection.page import CollectedPage, pack_terms, unpack_terms
from focused.collection.schema import CollectionFileError, check_collection, open_collection
from focused.collection.store import INDEX_HERE_PAGES, CollectionStore
from focused.collection.view import CollectionView, PageFilter, headings_of, terms_of
from focused.collection.word_index import bring_up_to_date
from focused.method.page.counted_terms import CountedTerms
from focused.method.text.analyzer import TERMS


def page(number: int, **fields) -> CollectedPage:
    defaults = {
        "url": f"http://h{number % 3}.example/{number}",
        "title": f"Title {number}",
        "text": f"star number{number}",
    }
    return CollectedPage(number, **{**defaults, "relevance": 0.9, "relevant": True, "threshold": 0.5, **fields})


@pytest.fixture
def store(tmp_path):
    made = CollectionStore(tmp_path / "collection.sqlite", max_irrelevant=1000)
    yield made
    made.close()


def made_folders(folder) -> tuple[str, str]:
    """Make two folders."""
    names = "alone", "together"
    for name in names:
        (folder / name).mkdir()
    return names


def urls(rows) -> list[str]:
    return [row["url"] for row in rows]


def test_a_page_is_found_again_as_it_was_written_while_the_crawl_goes_on(store, tmp_path):
    written = page(1, headings=[(1, "A"), (2, "B \u2019")], terms={"star": 3}, author="Ada", date="2024-05-01")
    store.add(written)
    with CollectionView(tmp_path) as view:
        [row] = view.pages()
        store.add(page(2))
        assert view.count() == 2
    assert (row["author"], row["date"], row["delivered"], row["verdict"]) == ("Ada", "2024-05-01", 1, None)
    assert headings_of(row) == [(1, "A"), (2, "B \u2019")]
    assert terms_of(row) == {"star": 3}


@pytest.mark.parametrize(
    ("fields", "verdict", "delivered"),
    [
        ({}, None, 1), ({"relevant": False}, None, 0), ({}, 0, 0), ({"relevant": False}, 1, 1),
        ({"noindex": True}, None, 0), ({"noindex": True}, 1, 0),
        ({"duplicate_of": "http://a.example/"}, None, 0), ({"duplicate_of": "http://a.example/"}, 1, 1),
    ],
)  # fmt: skip
def test_what_is_delivered_follows_from_people_before_the_model(store, tmp_path, fields, verdict, delivered):
    store.add(page(1, **fields))
    sqlite3.connect(tmp_path / "collection.sqlite", isolation_level=None).execute(
        "UPDATE pages SET verdict = ?", (verdict,)
    )
    with CollectionView(tmp_path) as view:
        assert [row["delivered"] for row in view.pages()] == [delivered]


def test_halves_of_characters_in_any_field_cost_no_page(store, tmp_path):
    store.add(
        page(1, text="a \ud800 b", referrer="http://a.example/\udfff", terms={"\ud800": 1}, headings=[(1, "\ud800")])
    )
    with CollectionView(tmp_path) as view:
        [row] = view.pages()
    assert (row["text"], row["referrer"], terms_of(row)) == ("a ? b", "http://a.example/?", {"?": 1})


def test_of_pages_that_cannot_be_added_together_none_is_there_and_the_draw_is_as_it_was(tmp_path):
    alone, together = (
        CollectionStore(tmp_path / name / "collection.sqlite", max_irrelevant=5) for name in made_folders(tmp_path)
    )
    for number in range(1, 30, 3):
        pages = [page(each, relevant=False, terms={"a": 1}) for each in range(number, number + 3)]
        with pytest.raises(sqlite3.IntegrityError):
            together.add(*pages, page(99, title=None))
        together.add(*pages)
        for each in range(number, number + 3):
            alone.add(page(each, relevant=False, terms={"a": 1}))
    rows = []
    for store in (alone, together):
        store.close()
        with CollectionView(store.path.parent) as view:
            rows.append([(row["number"], row["text_left_out"]) for row in view.pages(PageFilter(delivered=False))])
    assert rows[0] == rows[1]
    assert len(rows[0]) == 30


def test_a_page_fetched_again_takes_the_place_of_the_former_also_in_the_index(store, tmp_path):
    for number in range(1, 101):
        store.add(page(number))
    bring_up_to_date(tmp_path)
    store.add(page(99, url="http://h1.example/1", text="comet"))
    for number in range(101, 201):
        store.add(page(number))
    store.close()
    with CollectionView(tmp_path) as view:
        assert view.count() == 200
        assert urls(view.search("comet")) == ["http://h1.example/1"]
        assert view.search("number1") == []
    sql = open_collection(tmp_path / "collection.sqlite")
    sql.execute("INSERT INTO pages_fts (pages_fts) VALUES ('integrity-check')")
    sql.close()


def test_rows_that_the_frontier_does_not_know_are_removed_and_the_index_stays_true(store, tmp_path):
    for number in range(1, 204):
        store.add(page(number, relevant=number % 2 == 0))
        if number == 100:
            bring_up_to_date(tmp_path)
    assert store.remove_after(95) == 108
    assert store.last_number == 95
    store.add(page(900, text="comet"))
    store.close()
    with CollectionView(tmp_path) as view:
        assert urls(view.search("comet")) == ["http://h0.example/900"]
        assert view.search("number100", delivered=None) == []
    sql = open_collection(tmp_path / "collection.sqlite")
    sql.execute("INSERT INTO pages_fts (pages_fts) VALUES ('integrity-check')")
    sql.close()


def test_of_pages_that_are_not_relevant_a_fair_draw_keeps_its_text_and_all_keep_their_rows(tmp_path):
    n_pages, n_kept = 600, 100
    store = CollectionStore(tmp_path / "collection.sqlite", max_irrelevant=n_kept)
    for number in range(1, n_pages + 1):
        store.add(page(number, relevant=False, terms={"a": 1}))
        if number == n_pages // 2:  # a resumed crawl goes on drawing
            store.close()
            store = CollectionStore(tmp_path / "collection.sqlite", max_irrelevant=n_kept)
    store.add(page(n_pages + 1))
    store.close()
    with CollectionView(tmp_path) as view:
        rows = list(view.pages(PageFilter(delivered=False)))
        assert view.count() == n_pages + 1
        assert len(view.search("star", delivered=None, limit=1000)) == n_kept + 1
    kept = [row["number"] for row in rows if not row["text_left_out"]]
    assert len(kept) == n_kept
    assert all(bool(row["text"]) == bool(row["terms"]) == (not row["text_left_out"]) for row in rows)
    quarters = Counter((number - 1) * 4 // n_pages for number in kept)
    assert all(12 <= quarters[each] <= 38 for each in range(4)), quarters  # 25 each, three standard deviations


def test_words_are_found_by_their_form_without_accents_and_the_best_page_comes_first(store, tmp_path):
    store.add(page(1, title="Caf\u00e9 de Flore", text="A street."))
    store.add(page(2, title="A street", text="The cafe, the cafe and a long text " * 20))
    store.add(page(3, title="Other", text="Cafe", relevant=False))
    for number in range(4, 14):
        store.add(page(number))
    store.close()
    with CollectionView(tmp_path) as view:
        assert urls(view.search("cafe")) == ["http://h1.example/1", "http://h2.example/2"]
        assert "[Caf\u00e9]" in view.search("cafe")[0]["snippet"]
        assert len(view.search("cafe", delivered=None)) == 3


@pytest.mark.parametrize(
    ("words", "found"),
    [('"cafe', [1]), ("x-ray", [2]), ("c++ source", [3]), ("star -x-ray", [3]), ("o'brien", [2]), ("cafe, paris", [1])],
)
def test_words_that_are_no_query_of_sqlites_are_taken_as_they_stand(store, tmp_path, words, found):
    for number, text in enumerate(
        ("A cafe in Paris", "A star in x-ray light, said O'Brien", "A star in C++ source"), 1
    ):
        store.add(page(number, text=text))
    store.close()
    with CollectionView(tmp_path) as view:
        assert [row["number"] for row in view.search(words)] == found
        assert view.count(PageFilter(words=words)) == 1


def test_a_search_without_a_word_says_what_it_must_be(store, tmp_path):
    with (
        CollectionView(tmp_path) as view,
        pytest.raises(CollectionFileError, match=r"of letters or digits.* Got '[*]'"),
    ):
        view.search("*")


def test_what_a_killed_crawl_had_not_indexed_is_found_after_the_rest_is_indexed(store, tmp_path):
    store.add(page(1, text="comet"))
    with CollectionView(tmp_path) as view:
        assert view.search("comet") == []
        bring_up_to_date(tmp_path)
        assert urls(view.search("comet")) == ["http://h1.example/1"]


def test_a_crawl_that_goes_on_indexes_nothing_twice_and_takes_out_what_others_have_indexed(store, tmp_path):
    store.add(page(1, text="comet"))
    bring_up_to_date(tmp_path)
    store.add(page(2, url="http://h1.example/1", text="galaxy"))  # takes the place of the first
    store.close()
    with CollectionView(tmp_path) as view:
        assert view.search("comet") == []
        assert urls(view.search("galaxy")) == ["http://h1.example/1"]
    check = sqlite3.connect(tmp_path / "collection.sqlite")
    check.execute("INSERT INTO pages_fts (pages_fts, rank) VALUES ('integrity-check', 1)")


def test_pages_that_come_slowly_are_indexed_soon(store, tmp_path, monkeypatch):
    monkeypatch.setattr("focused.collection.store.INDEX_EVERY_SECS", 0.0)
    store.add(page(1, text="comet"))
    with CollectionView(tmp_path) as view:
        assert len(view.search("comet")) == 1


@pytest.mark.parametrize("can_start", [True, False])
def test_many_pages_are_indexed_by_another_process_or_where_none_starts_here(store, tmp_path, monkeypatch, can_start):
    if not can_start:
        monkeypatch.setattr("focused.collection.index_process.sys.executable", str(tmp_path / "nothing"))
    for number in range(1, 3 * INDEX_HERE_PAGES):
        store.add(page(number))
    assert store.close() == 0
    assert (store.index_cpu_secs > 0) == can_start
    with CollectionView(tmp_path) as view:
        assert len(view.search("star", limit=1000)) == 3 * INDEX_HERE_PAGES - 1
    check = sqlite3.connect(tmp_path / "collection.sqlite")
    check.execute("INSERT INTO pages_fts (pages_fts, rank) VALUES ('integrity-check', 1)")


def test_a_crawl_writes_while_another_process_indexes_what_came_before(store, tmp_path, monkeypatch):
    monkeypatch.setattr("focused.collection.store.INDEX_EVERY_SECS", 0.0)
    n_pages = 8 * INDEX_HERE_PAGES
    store.add(*(page(number) for number in range(1, n_pages)))  # more than the crawl would index itself
    for number in range(n_pages, n_pages + 50):
        store.add(page(number))  # raises where it cannot be written
    assert store.close() == 0
    assert store.index_cpu_secs > 0
    with CollectionView(tmp_path) as view:
        assert len(view.search("star", limit=2000)) == n_pages + 49


def test_a_process_that_is_killed_while_it_indexes_is_followed_by_another(store, tmp_path, monkeypatch):
    begin, begun = IndexProcess.begin, []

    def killed_once(self, **how):
        is_begun = begin(self, **how)
        begun.append(self._process)
        if len(begun) == 1:
            self._process.kill()
        return is_begun

    monkeypatch.setattr(IndexProcess, "begin", killed_once)
    store.add(*(page(number) for number in range(1, 2 * INDEX_HERE_PAGES)))
    assert store.close() == 0
    assert len(begun) == 2


def test_a_resumed_crawl_indexes_what_a_killed_one_has_left(store, tmp_path):
    store.add(page(1, text="comet"))
    again = CollectionStore(tmp_path / "collection.sqlite", max_irrelevant=1000)
    again.add(page(2))
    with CollectionView(tmp_path) as view:
        assert urls(view.search("comet")) == ["http://h1.example/1"]
    again.close()


def test_nothing_in_the_folder_of_the_crawl_is_run_by_the_process_that_indexes(store, tmp_path, monkeypatch):
    (tmp_path / "sqlite3.py").write_text("open('was_run', 'w')")
    monkeypatch.chdir(tmp_path)
    store.add(*(page(number) for number in range(1, 2 * INDEX_HERE_PAGES)))
    assert store.close() == 0
    assert store.index_cpu_secs > 0
    assert not (tmp_path / "was_run").exists()


def test_what_cannot_be_indexed_in_time_is_counted_and_found_by_the_next_who_searches(store, tmp_path, monkeypatch):
    monkeypatch.setattr("focused.collection.store._INDEX_AT_END_SECS", 0.0)
    store.add(*(page(number) for number in range(1, 2 * INDEX_HERE_PAGES)))
    assert store.close() > 0
    bring_up_to_date(tmp_path)
    with CollectionView(tmp_path) as view:
        assert len(view.search("star", limit=2000)) == 2 * INDEX_HERE_PAGES - 1


def test_a_strangers_collection_is_not_indexed_through_a_link(store, tmp_path):
    store.add(page(1, text="comet"))
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "collection.sqlite").symlink_to(tmp_path / "collection.sqlite")
    bring_up_to_date(tmp_path / "run")
    with CollectionView(tmp_path) as view:
        assert view.search("comet") == []


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (PageFilter(), [1, 2, 3, 4]),
        (PageFilter(delivered=True), [1, 2, 3]),
        (PageFilter(delivered=False), [4]),
        (PageFilter(least_relevance=0.8), [1, 2]),
        (PageFilter(languages=("en",)), [1, 2]),
        (PageFilter(since="2024"), [2, 3]),
        (PageFilter(before="2024-06"), [1, 2]),
        (PageFilter(hosts=("b.example",)), [2, 3]),
        (PageFilter(hosts=("news.b.example", "a.example")), [1, 3]),
        (PageFilter(words="comet"), [2]),
        (PageFilter(words="comet", hosts=("a.example",)), []),
    ],
)
def test_filters_find_the_pages_they_name(store, tmp_path, wanted, numbers):
    store.add(page(1, url="http://a.example/", language="en", date="2020", relevance=0.9))
    store.add(page(2, url="http://b.example:8080/x", language="en-GB", date="2024-05-01", relevance=0.8, text="comet"))
    store.add(page(3, url="http://news.b.example/", language="eno", date="2024-07", relevance=0.7))
    store.add(page(4, url="http://ab.example/", relevance=0.1, relevant=False))
    store.close()
    with CollectionView(tmp_path) as view:
        assert [row["number"] for row in view.pages(wanted)] == numbers
        assert view.count(wanted) == len(numbers)


def test_what_is_no_collection_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(CollectionFileError, match=r"There is no collection.sqlite in .*FOCUSED_COLLECTION=on"):
        CollectionView(tmp_path)
    path = tmp_path / "collection.sqlite"
    path.write_bytes(bytes(range(256)) * 20)
    with pytest.raises(CollectionFileError, match=r"is damaged, or no collection: .* move the file away"):
        open_collection(path)
    path.unlink()
    sqlite3.connect(path).execute("CREATE TABLE a (b)")
    with pytest.raises(CollectionFileError, match="is no collection of a crawl"):
        open_collection(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(CollectionFileError, match="must be a file"):
        open_collection(path)


@pytest.mark.parametrize(
    "terms", [{"star": 3, "gas": 1, "звезда": 255}, {"star": 256, "gas": 1}, dict.fromkeys(map(str, range(2000)), 1)]
)
def test_terms_are_read_as_they_were_packed_also_as_former_versions_did(terms):
    ids = np.array([TERMS.intern(term) for term in terms])
    counted = CountedTerms(ids, np.array(list(terms.values())))
    assert unpack_terms(pack_terms(counted)) == unpack_terms(pack_terms(terms)) == terms == dict(counted)
    assert unpack_terms(zlib.compress(json.dumps(terms).encode())) == terms
    assert pack_terms({}) is None


@pytest.mark.parametrize(
    "data",
    [
        *(b"x", b"\1", b"\4\xff\xff\xff\xffa", b"\2\1\0\0\0\1a"),
        *(pack_terms({"a": 1})[:-1] + b"\xff", pack_terms({"a": 1, "b": 1})[:-2], zlib.compress(b'["a"]')),
    ],
)
def test_damaged_terms_are_an_error_and_no_traceback_of_another_kind(data):
    with pytest.raises(ValueError, match="The terms of a page cannot be read"):
        unpack_terms(data)


def test_of_words_that_stand_everywhere_the_first_pages_are_ranked(store, tmp_path, monkeypatch):
    for number in range(1, 11):
        store.add(page(number, title="Star" if number in (4, 9) else "Other"))
    store.close()
    monkeypatch.setattr("focused.collection.view._MAX_RANKED", 5)
    with CollectionView(tmp_path) as view:
        found = [row["number"] for row in view.search("star")]
    assert found[0] == 4
    assert sorted(found) == [1, 2, 3, 4, 5]


def test_a_collection_that_has_lost_its_end_is_refused_before_a_crawl_uses_it(store, tmp_path):
    store.add(*(page(number) for number in range(1, 50)))
    store.close()
    path = tmp_path / "collection.sqlite"
    check_collection(path)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(CollectionFileError, match=r"is damaged.*its end is missing.*--recover"):
        check_collection(path)
