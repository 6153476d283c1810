"""Items of a project's own class keep their fields when their pages are delivered late."""

from __future__ import annotations

import datetime
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field, make_dataclass
from typing import Any

import pytest
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from focused.collection.as_sqlite import write_sqlite
from focused.collection.joined import JoinedRuns
from focused.collection.page import CollectedPage
from focused.collection.schema import open_collection
from focused.collection.store import CollectionStore
from focused.collection.verdict_rows import VerdictRows
from focused.collection.view import PageFilter
from focused.crawl.own_fields import NOT_KEPT, OwnFields, StoredFields, own_values
from focused.items import PageItem

ROW = {"content_type": "text/html", "location": "", "noindex": 0, "relevant": 1, "title": "Stars", "number": 7}


@dataclass
class Observation(PageItem):
    n_images: int = 0
    #: A column of the collection has this name, too.
    number: str = ""
    tags: list[str] = field(default_factory=list)


@dataclass
class Sighting(Observation):
    #: No JSON value.
    at: datetime.date = datetime.date(2000, 1, 1)
    picture: str = ""


@dataclass
class Story(PageItem):
    section: str = ""


@pytest.mark.parametrize("name", ["raw", "scores", "noindex", "location"])
def test_a_field_that_the_page_would_overwrite_is_refused(name):
    with pytest.raises(TypeError, match=f"A field of Taken must not be called '{name}'"):
        make_dataclass("Taken", [(name, str, "")], bases=(PageItem,))


def row(url: str) -> dict[str, object]:
    return {**ROW, "url": url}


def test_a_late_page_has_the_class_and_the_fields_that_it_came_with():
    own = OwnFields()
    own.remember(Observation("http://h.org/1", n_images=3, number="IV", tags=["sky"]))
    own.remember(Story("http://h.org/2", section="news"))
    own.remember(PageItem("http://h.org/3"))
    first, second, third = (own.late(row(f"http://h.org/{number}")) for number in (1, 2, 3))
    assert isinstance(first, Observation)
    assert (first.n_images, first.number, first.tags) == (3, "IV", ["sky"])
    assert (first.title, first.relevant, first.is_late) == ("Stars", True, True)
    assert isinstance(second, Story)
    assert second.section == "news"
    assert type(third) is PageItem


def test_a_page_that_is_not_remembered_is_of_the_class_that_came_last_with_default_values():
    own = OwnFields(max_pages=1)
    assert type(own.late(row("http://h.org/0"))) is PageItem
    for number in (1, 2):
        own.remember(Observation(f"http://h.org/{number}", n_images=number))
    forgotten, kept = own.late(row("http://h.org/1")), own.late(row("http://h.org/2"))
    assert isinstance(forgotten, Observation)
    assert (forgotten.n_images, forgotten.number) == (0, "")
    assert isinstance(kept, Observation)
    assert kept.n_images == 2


def stored(tmp_path, *items: PageItem) -> tuple[list[dict[str, Any]], StatsCollector]:
    """Return the rows of pages as another process reads them, and the stats of the one that wrote them."""
    path, stats = tmp_path / "collection.sqlite", StatsCollector(get_crawler())
    fields = StoredFields(stats)
    store = CollectionStore(path, max_irrelevant=10)
    store.add(
        *(CollectedPage(number, each.url, own_fields=fields.text_of(each)) for number, each in enumerate(items, 1))
    )
    store.close()
    rows = VerdictRows(path)
    found = [rows.row(each.url) for each in items]
    rows.close()
    return [{name: row[name] for name in row.keys()} for row in found if row is not None], stats  # noqa: SIM118


def test_another_process_finds_class_and_fields_in_the_page_s_row(tmp_path):
    rows, stats = stored(
        tmp_path,
        Observation("http://h.org/1", n_images=3, number="IV", tags=["sky", "\ud800"]),
        Story("http://h.org/2", section="news"),
        PageItem("http://h.org/3"),
    )
    later = OwnFields()
    later.remember(Story("http://h.org/9"))
    first, second, third = map(later.late, rows)
    assert isinstance(first, Observation)
    assert (first.n_images, first.number, first.tags) == (3, "IV", ["sky", "?"])  # half a character is none
    assert isinstance(second, Story)
    assert second.section == "news"
    assert type(third) is PageItem
    assert own_values(rows[1]) == {"section": "news"}
    assert stats.get_value(NOT_KEPT) is None


def test_what_is_no_json_value_or_too_long_is_counted_and_its_field_is_named_once(tmp_path, caplog):
    rows, stats = stored(
        tmp_path, *(Sighting(f"http://h.org/{n}", n_images=n, picture="x" * 200_000) for n in range(3))
    )
    late = OwnFields().late(rows[2])
    assert isinstance(late, Sighting)
    assert (late.n_images, late.at, late.picture) == (2, datetime.date(2000, 1, 1), "")
    assert stats.get_value(NOT_KEPT) == 6
    said = [record.getMessage() for record in caplog.records if record.name == "focused.crawl.own_fields"]
    assert len(said) == 2
    assert (
        "The field at of Sighting is not kept with the page: it must be a JSON value. Got one of type date" in said[0]
    )
    assert "The field picture of Sighting is not kept with the page: it must be at most 100,000 characters" in said[1]


def test_a_number_that_json_has_none_for_is_not_kept(tmp_path):
    rows, stats = stored(tmp_path, Sighting("http://h.org/1", n_images=float("nan"), at=None))
    assert "NaN" not in rows[0]["own_fields"]
    assert stats.get_value(NOT_KEPT) == 1


def test_a_class_that_is_not_loaded_is_named_and_its_fields_stay_readable(tmp_path, caplog):
    [row], _ = stored(tmp_path, Story("http://h.org/1", section="news"))
    row["own_fields"] = row["own_fields"].replace(f"{__name__}.Story", "os.system")
    assert type(OwnFields().late(row)) is PageItem
    assert "came as items of os.system are delivered late as items of focused.items.PageItem" in caplog.text
    assert own_values(row) == {"section": "news"}


def test_a_collection_of_an_earlier_version_gets_the_column_and_its_pages_become_items_of_the_last_class(tmp_path):
    path = tmp_path / "collection.sqlite"
    store = CollectionStore(path, max_irrelevant=10)
    store.add(CollectedPage(1, "http://h.org/1", title="Stars"))
    store.close()
    with closing(sqlite3.connect(path)) as sql:
        sql.execute("ALTER TABLE pages DROP COLUMN own_fields")
        sql.commit()
    # Whoever only reads it changes nothing.
    with JoinedRuns([tmp_path], PageFilter()) as runs:
        write_sqlite(runs, tmp_path / "exported.sqlite")
    with closing(sqlite3.connect(tmp_path / "exported.sqlite")) as sql:
        assert sql.execute("SELECT title, own_fields FROM pages").fetchall() == [("Stars", None)]
    for _ in range(2):
        open_collection(path).close()
    rows, later = VerdictRows(path), OwnFields()
    row = rows.row("http://h.org/1")
    rows.close()
    assert row is not None
    later.remember(Story("http://h.org/2"))
    late = later.late({name: row[name] for name in row.keys()})  # noqa: SIM118
    assert isinstance(late, Story)
    assert (late.title, late.section) == ("Stars", "")
