"""Crawls fill the collection: a row for each page that was judged, whatever happens to the crawl."""

from __future__ import annotations

import csv
import sqlite3

import pytest
from commands import ROOT, crawl
from warcio.archiveiterator import ArchiveIterator

from focused.collection.view import CollectionView, PageFilter, terms_of

pytestmark = pytest.mark.slow

MODELS = ROOT / "models"
DEMO = {"topic": "demo"}


def fetched(run_dir) -> list[dict[str, str]]:
    with (run_dir / "fetched.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_each_judged_page_has_a_row_and_what_is_delivered_is_what_pages_jsonl_holds(tmp_path):
    result = crawl(MODELS, tmp_path, **DEMO, max_pages=60)
    with CollectionView(result.run_dir) as view:
        rows = list(view.pages())
        delivered = [row["url"] for row in view.pages(PageFilter(delivered=True))]
        assert view.about()["topic"] == result.run["topic"]
    assert [(str(row["number"]), row["url"]) for row in rows] == [
        (e["number"], e["url"]) for e in fetched(result.run_dir)
    ]
    assert delivered == [page["url"] for page in result.pages]
    assert 0 < len(delivered) < 60
    by_url = {page["url"]: page for page in result.pages}
    for row in rows:
        assert row["text"]
        assert terms_of(row)
        assert (row["relevance"] >= row["threshold"]) == bool(row["relevant"])
        if row["url"] in by_url:
            assert by_url[row["url"]]["text"] == row["text"]
            assert by_url[row["url"]]["sha256"] == row["sha256"]
    assert result.stats["focused/collection/written_count"] == 60
    assert not (result.run_dir / "pages.warc.gz").exists()  # a web that is there already needs no recording


def test_a_resumed_crawl_removes_the_rows_of_pages_that_were_not_durable(tmp_path):
    first = crawl(MODELS, tmp_path, **DEMO, max_pages=15)
    sql = sqlite3.connect(first.run_dir / "collection.sqlite", isolation_level=None)
    # As if the crawl had been killed between the row and the frontier's commit.
    columns = [row[1] for row in sql.execute("PRAGMA table_info(pages)") if row[1] not in ("id", "number", "url")]
    names = ", ".join(columns)
    sql.execute(
        f"INSERT INTO pages (number, url, {names}) SELECT 16, 'http://lost.example/', {names} FROM pages WHERE number = 1"
    )
    sql.close()
    again = crawl(MODELS, tmp_path, **DEMO, max_pages=20)
    assert again.stats["focused/collection/taken_back_count"] == 1
    with CollectionView(again.run_dir) as view:
        assert [row["url"] for row in view.pages()] == [row["url"] for row in fetched(again.run_dir)]
    (again.run_dir / "collection.sqlite").unlink()
    last = crawl(MODELS, tmp_path, **DEMO, max_pages=25)
    assert last.stats["focused/collection/missing_count"] == 20
    assert "lacks rows of the last 20 pages" in last.err
    with CollectionView(last.run_dir) as view:
        assert [row["number"] for row in view.pages()] == list(range(21, 26))


def test_a_damaged_collection_stops_the_crawl_before_its_first_request(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "collection.sqlite").write_bytes(b"nonsense" * 1000)
    result = crawl(MODELS, tmp_path, **DEMO, max_pages=5)
    assert result.exit_code == 1
    assert "collection.sqlite is damaged" in result.err
    assert "Traceback" not in result.err
    assert not (tmp_path / "run" / "fetched.csv").exists()


def test_only_relevant_pages_are_recorded_if_the_settings_say_so(tmp_path):
    for scheduler in (
        "focused.frontier.scheduler.FrontierScheduler",
        "focused.frontier.budget_scheduler.BudgetScheduler",
    ):
        settings = {"FOCUSED_WARC": "relevant", "SCHEDULER": scheduler}
        folder = tmp_path / scheduler.rpartition(".")[2]
        folder.mkdir()
        result = crawl(MODELS, folder, **DEMO, settings=settings, max_pages=40)
        with (result.run_dir / "pages.warc.gz").open("rb") as file:
            pages = {
                record.rec_headers.get_header("WARC-Target-URI")
                for record in ArchiveIterator(file)
                if record.rec_type == "response" and record.http_headers.get_statuscode() == "200"
            }
        assert pages == {page["url"] for page in result.pages}, result.err
        assert 0 < len(pages) < 40
