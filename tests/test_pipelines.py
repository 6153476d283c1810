from __future__ import annotations

import asyncio
import csv
import json
import sqlite3
import threading
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any

import hand_made
import pytest
from crawls import a_crawl
from scrapy.exceptions import DropItem

from focused.items import PageItem
from focused.pipelines.classify import ClassifyPipeline
from focused.pipelines.collection import CollectionPipeline
from focused.pipelines.harvest import HarvestPipeline
from focused.pipelines.json_lines import JsonLinesPipeline
from focused.utils.file_names import COLLECTION_FILE, FETCHED_FILE, HARVEST_FILE, PAGES_FILE

HEAD = '<link rel=canonical href="/star"><meta name=description content="About  stars">'


@pytest.fixture
def crawler(tmp_path):
    settings = {"FOCUSED_HARVEST_WINDOW_PAGES": 2, "FOCUSED_HARVEST_EVERY_PAGES": 2}
    return a_crawl(run_dir=tmp_path, max_pages=4, settings=settings)[0]


def item(crawler, body: bytes = b"", url="http://h.org/a", **fields) -> PageItem:
    found = PageItem(url=url, body=body, **fields)
    found.attach(crawler.spider.plan.reader.read(body, url))
    return found


def test_a_page_is_classified_if_nobody_has_done_it(crawler):
    pipeline = ClassifyPipeline.from_crawler(crawler)
    found = [pipeline.process_item(item(crawler, hand_made.html(text))) for text in (hand_made.STARS, hand_made.FOOD)]
    assert [page.relevant for page in found] == [True, False]
    assert found[0].relevance > 0.5 > found[1].relevance


def test_what_link_scoring_found_stands_whatever_judges_by_now(crawler):
    pipeline = ClassifyPipeline.from_crawler(crawler)
    page = item(crawler, hand_made.html(hand_made.STARS))
    page.scores = SimpleNamespace(
        relevance=SimpleNamespace(page=0.1, is_relevant=False, other_language=""), model_version=2
    )
    crawler.spider.crawl.judging.replace(version=3)
    found = pipeline.process_item(page)
    assert (found.relevance, found.relevant, found.model_version) == (0.1, False, 2)


@pytest.mark.parametrize("pipeline", [ClassifyPipeline, HarvestPipeline, JsonLinesPipeline])
def test_items_of_other_kinds_pass(crawler, pipeline):
    other = {"url": "http://h.org/"}
    assert pipeline.from_crawler(crawler).process_item(other) is other
    assert crawler.stats.get_value("focused/pages/fetched_count") is None


def counted(crawler, monkeypatch, pages: list[tuple[bool, str]]) -> tuple[HarvestPipeline, list[str]]:
    ended: list[str] = []
    monkeypatch.setattr(HarvestPipeline, "_finish", lambda self, reason: ended.append(reason))
    pipeline = HarvestPipeline.from_crawler(crawler)
    for number, (relevant, reason) in enumerate(pages):
        page = PageItem(url=f"http://h.org/{number}", relevant=relevant, link_reason=reason, depth=number)
        if relevant:
            assert pipeline.process_item(page) is page
        else:
            with pytest.raises(DropItem):
                pipeline.process_item(page)
    return pipeline, ended


@pytest.mark.parametrize("is_shared", [False, True], ids=["one process", "a worker"])
@pytest.mark.parametrize("limit", ["max_pages", "max_relevant"])
def test_a_worker_does_not_end_by_its_own_count_for_some_of_its_pages_may_be_refused(
    crawler, monkeypatch, limit, is_shared
):
    setattr(crawler.spider.plan, limit, 2)
    if is_shared:
        crawler.settings.frozen = False
        crawler.settings.set("FOCUSED_DATABASE", "postgresql://me@host/database")
    pipeline, ended = counted(crawler, monkeypatch, [(True, "seed")] * 3)
    pipeline.close_spider()
    assert ended == ([] if is_shared else [limit])


def test_a_copy_that_people_want_is_delivered_and_not_counted_as_left_out(crawler, monkeypatch):
    monkeypatch.setattr(HarvestPipeline, "_finish", lambda self, reason: None)
    pipeline = HarvestPipeline.from_crawler(crawler)
    for number, verdict in enumerate((True, None)):
        page = PageItem(url=f"http://h.org/{number}", relevant=True, duplicate_of="http://h.org/z", verdict=verdict)
        if verdict:
            assert pipeline.process_item(page) is page
        else:
            with pytest.raises(DropItem):
                pipeline.process_item(page)
    pipeline.close_spider()
    assert crawler.stats.get_value("focused/pages/copy_count") == 2
    assert crawler.stats.get_value("focused/pages/copy_relevant_count") == 1


def written(folder) -> list[tuple[int, str]]:
    with closing(sqlite3.connect(folder / COLLECTION_FILE)) as sql:
        return sql.execute("SELECT number, url FROM pages ORDER BY id").fetchall()


def with_pages(crawler, monkeypatch, n_pages: int, *, most_waiting: int = 200):
    """A collection that another program has locked from the second page on, and the pages that came meanwhile."""
    monkeypatch.setattr("focused.collection.schema.BUSY_SECS", 0.01)
    monkeypatch.setattr("focused.pipelines.collection._MOST_WAITING", most_waiting)
    pipeline = CollectionPipeline.from_crawler(crawler)
    pipeline.open_spider()
    harvest = crawler.spider.crawl.harvest
    other = sqlite3.connect(crawler.spider.plan.run_dir / COLLECTION_FILE, isolation_level=None)
    for number in range(1, n_pages + 1):
        if number == 2:
            other.execute("BEGIN IMMEDIATE")
        harvest.n_pages = number - 1
        page = item(crawler, hand_made.html(hand_made.STARS), f"http://h.org/{number}")
        assert pipeline.process_item(page) is page
    return pipeline, other


def test_rows_that_come_while_another_program_locks_the_collection_are_written_with_the_next_page(
    crawler, monkeypatch, tmp_path
):
    pipeline, other = with_pages(crawler, monkeypatch, 3)
    assert written(tmp_path) == [(1, "http://h.org/1")]
    other.execute("ROLLBACK")
    crawler.spider.crawl.harvest.n_pages = 3
    pipeline.process_item(item(crawler, hand_made.html(hand_made.STARS), "http://h.org/4"))
    assert written(tmp_path) == [(number, f"http://h.org/{number}") for number in (1, 2, 3, 4)]
    pipeline.close_spider()
    other.close()
    assert crawler.stats.get_value("focused/collection/written_count") == 4
    assert crawler.stats.get_value("focused/collection/lost_count") is None


def test_rows_that_still_wait_when_the_crawl_closes_are_written_before_anybody_looks_at_them(
    crawler, monkeypatch, tmp_path
):
    pipeline, other = with_pages(crawler, monkeypatch, 2)
    other.execute("ROLLBACK")
    asyncio.run(pipeline.before_close())
    assert len(written(tmp_path)) == 2
    pipeline.close_spider()
    other.close()


def test_a_row_that_cannot_be_made_is_lost_alone_and_keeps_no_commit_waiting(crawler, tmp_path):
    pipeline = CollectionPipeline.from_crawler(crawler)
    pipeline.open_spider()
    pipeline._is_called = True  # as on the durable frontier, which calls before its commit
    for number in range(1, 4):
        crawler.spider.crawl.harvest.n_pages = number - 1
        page = item(crawler, hand_made.html(hand_made.STARS), f"http://h.org/{number}")
        pipeline.process_item(page)
    pipeline._waiting[1].headings = [object()]  # what JSON cannot hold, as a page reader of somebody else's may give
    crawler.spider.crawl.write_rows()
    assert written(tmp_path) == [(1, "http://h.org/1"), (3, "http://h.org/3")]
    assert crawler.stats.get_value("focused/collection/written_count") == 2
    assert crawler.stats.get_value("focused/collection/lost_count") == 1
    pipeline.close_spider()


def test_of_rows_that_cannot_be_written_as_many_are_lost_and_counted_as_find_no_room(crawler, monkeypatch, tmp_path):
    pipeline, other = with_pages(crawler, monkeypatch, 5, most_waiting=3)
    assert crawler.stats.get_value("focused/collection/lost_count") == 1
    pipeline.close_spider()
    other.close()
    assert crawler.stats.get_value("focused/collection/lost_count") == 4
    assert written(tmp_path) == [(1, "http://h.org/1")]


PAGES = [(True, "seed"), (False, "block"), (True, "below threshold"), (True, "anchor")]


def test_every_page_counts_and_irrelevant_ones_go_no_further(crawler, monkeypatch):
    pipeline, ended = counted(crawler, monkeypatch, PAGES)
    pipeline.close_spider()
    stats = {name.removeprefix("focused/"): value for name, value in crawler.stats.get_stats().items()}
    assert stats["pages/fetched_count"] == 4
    assert stats["pages/relevant_count"] == 3
    assert stats["harvest_rate"] == 0.75
    assert stats["target_length"] == 0 + 2 + 3
    through = {name: value for name, value in stats.items() if name.startswith("relevant/")}
    assert through == {"relevant/seed_count": 1, "relevant/deferred_count": 1, "relevant/by_anchor_count": 1}
    assert ended == ["max_pages"]
    assert crawler.spider.crawl.harvest.n_pages == 4


def test_a_stat_has_no_blank_in_its_name(crawler, monkeypatch):
    pipeline, _ = counted(crawler, monkeypatch, [(True, "fair share")])
    pipeline.close_spider()
    assert crawler.stats.get_value("focused/relevant/by_fair_share_count") == 1


def test_the_crawl_ends_once_when_enough_relevant_pages_are_found(crawler, monkeypatch):
    crawler.spider.plan.max_pages, crawler.spider.plan.max_relevant = 0, 2
    pipeline, ended = counted(crawler, monkeypatch, [*PAGES, (False, "block"), (True, "page")])
    pipeline.close_spider()
    assert ended == ["max_relevant"]


def test_harvest_csv_has_a_row_every_so_many_pages_and_a_last_one(crawler, monkeypatch, tmp_path):
    crawler.stats.set_value("scheduler/enqueued", 9)
    crawler.stats.set_value("scheduler/dequeued", 4)
    pipeline, _ = counted(crawler, monkeypatch, PAGES[:3])
    pipeline.close_spider()
    assert (tmp_path / HARVEST_FILE).read_text().splitlines() == [
        "pages,relevant,harvest_rate,harvest_rate_last_2,frontier,target_length,estimated,estimated_low,estimated_high"
        ",forecast,forecast_low,forecast_high",
        "2,1,0.5000,0.5000,5,0,,,,,,",
        "3,2,0.6667,0.5000,5,2,,,,,,",
    ]


@pytest.mark.parametrize("further", ["", ",estimated,estimated_low,estimated_high"])
def test_a_harvest_csv_of_before_keeps_its_columns(crawler, monkeypatch, tmp_path, further):
    before = f"pages,relevant,harvest_rate,harvest_rate_last_2,frontier,target_length{further}\n"
    (tmp_path / HARVEST_FILE).write_text(before)
    pipeline, _ = counted(crawler, monkeypatch, PAGES[:2])
    pipeline.close_spider()
    assert {line.count(",") for line in (tmp_path / HARVEST_FILE).read_text().splitlines()} == {before.count(",")}


def test_every_page_judged_has_a_row_with_the_url_the_web_gives_it(crawler, monkeypatch, tmp_path):
    pipeline, _ = counted(crawler, monkeypatch, PAGES[:2])
    named = PageItem(
        url="http://h.org/A,b", location="http://h.org/a", relevance=0.75, relevant=True, referrer="http://h.org/0",
        link_score=0.5, link_reason="anchor", depth=1, irrelevant_on_path=1, model_version=3, link_model_version=2,
    )  # fmt: skip
    pipeline.process_item(named)
    pipeline.close_spider()
    with (tmp_path / FETCHED_FILE).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["number"], row["url"], row["relevant"]) for row in rows] == [
        ("1", "http://h.org/0", "1"), ("2", "http://h.org/1", "0"), ("3", "http://h.org/A,b", "1"),
    ]  # fmt: skip
    assert [row["location"] for row in rows] == ["http://h.org/0", "http://h.org/1", "http://h.org/a"]
    assert dict(rows[2]) == {
        "number": "3", "url": "http://h.org/A,b", "location": "http://h.org/a", "referrer": "http://h.org/0",
        "relevance": "0.7500", "relevant": "1", "link_score": "0.5000", "link_reason": "anchor", "depth": "1",
        "irrelevant_on_path": "1", "model_version": "3", "link_model_version": "2", "duplicate_of": "",
    }  # fmt: skip


def test_a_crawl_without_pages_leaves_a_row_of_zeros(crawler, tmp_path):
    HarvestPipeline.from_crawler(crawler).close_spider()
    assert (tmp_path / HARVEST_FILE).read_text().splitlines()[1:] == ["0,0,0.0000,0.0000,0,0,,,,,,"]
    assert crawler.stats.get_value("focused/harvest_rate") == 0


def test_a_stored_page_is_one_line_with_what_the_page_says_of_itself(crawler, tmp_path):
    pipeline = JsonLinesPipeline.from_crawler(crawler)
    body = f"<html lang=en><title>A\nstar</title>{HEAD}<p>Über\u2028stars<p>More".encode()
    pipeline.process_item(item(crawler, body, relevance=0.7, relevant=True))
    pipeline.process_item(item(crawler, b"<p>plain", url="http://h.org/b"))
    pipeline.close_spider()
    lines = (tmp_path / PAGES_FILE).read_text(encoding="utf-8").split("\n")
    first, second = map(json.loads, lines[:-1])
    assert lines[-1] == ""
    assert (first["title"], first["text"].split()) == ("A star", ["Über", "stars", "More"])
    assert first["canonical_url"] == "http://h.org/star"
    assert first["description"].split() == ["About", "stars"]
    assert first["language"] == "en"
    assert (second["canonical_url"], second["description"]) == ("http://h.org/b", "")
    assert not {"page", "body", "analysed", "raw"} & set(first)
    assert crawler.stats.get_value("focused/store/pages_written_count") == 2
    assert crawler.stats.get_value("focused/store/pages_lost_count") is None


def test_no_page_is_lost_for_what_a_field_of_another_class_holds(crawler, tmp_path):
    @dataclass
    class Own(PageItem):
        own: Any = None

    itself: list[Any] = []
    itself.append(itself)
    stars = datetime(2026, 1, 2, tzinfo=timezone.utc)
    pipeline = JsonLinesPipeline.from_crawler(crawler)
    for own in (stars, {"star"}, {(1, 2): 3}, itself, threading.Lock(), b"star", PageItem("http://h.org/other")):
        pipeline.process_item(Own("http://h.org/", own=own))
    pipeline.close_spider()
    written = [json.loads(line)["own"] for line in (tmp_path / PAGES_FILE).read_text(encoding="utf-8").splitlines()]
    assert written[:4] == ["2026-01-02T00:00:00+00:00", ["star"], "{(1, 2): 3}", "[[...]]"]
    assert written[4].startswith("<unlocked _thread.lock")
    assert (written[5], written[6]["url"]) == ("b'star'", "http://h.org/other")


def test_a_page_that_people_refuse_and_want_again_stands_in_the_file_once(crawler, tmp_path):
    pipeline = JsonLinesPipeline.from_crawler(crawler)
    page = item(crawler, b"<p>plain", url="http://h.org/b")
    pipeline.process_item(page)
    for _ in range(2):
        pipeline.withdraw_item(page)
        pipeline.process_item(page)
    pipeline.close_spider()
    assert len((tmp_path / PAGES_FILE).read_text().splitlines()) == 1


def test_control_characters_of_a_page_reach_no_feed(crawler):
    pipeline = JsonLinesPipeline.from_crawler(crawler)
    body = hand_made.html(f"{hand_made.STARS} a\x01b&#2;c", title="St\x0bars \x02&#3;\x7f")
    found = pipeline.process_item(item(crawler, body, relevant=True, relevance=0.9))
    pipeline.close_spider()
    assert not any(ord(character) < 32 and character not in "\t\n" for character in found.title + found.text)
    assert "\x7f" not in found.title
    assert found.title.startswith("St")


def test_an_item_takes_the_callback_of_its_links_as_a_method_or_by_name():
    for callback in ("parse_story", SimpleNamespace(__name__="parse_story")):
        assert PageItem("http://h.org/", callback=callback).links_callback == "parse_story"
