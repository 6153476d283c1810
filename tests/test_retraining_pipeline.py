"""The pipeline that lets a crawl's model learn from its pages, without a crawl around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hand_made
import pytest
from crawls import a_crawl
from scrapy.exceptions import NotConfigured

from focused.items import PageItem
from focused.method.page.reader import PageReader
from focused.pipelines.retraining import RetrainingPipeline
from focused.retraining.judged_pages import read_record
from focused.retraining.options import RetrainingOptions
from focused.retraining.versions import Attempt
from focused.utils.file_names import RETRAINING_FILE

if TYPE_CHECKING:
    from pathlib import Path


def a_pipeline(run_dir: Path) -> RetrainingPipeline:
    crawler, crawl = a_crawl(run_dir=run_dir, web="live")
    return RetrainingPipeline.of(crawler, crawl, RetrainingOptions("automatic"))


def a_judged_item(number: int, version: int) -> PageItem:
    url = f"http://h.org/{number}"
    page = PageReader(hand_made.topic().analyzer).read(hand_made.html(hand_made.STARS), url)
    return PageItem(url, relevance=0.9, relevant=True, model_version=version, page=page)


def test_a_page_belongs_to_the_version_that_judged_it_although_another_took_over_before_the_pipeline(tmp_path):
    pipeline = a_pipeline(tmp_path)
    judged_before = a_judged_item(1, version=1)
    pipeline._crawl.judging.replace(version=2)
    for version, item in ((1, judged_before), (2, a_judged_item(2, version=2))):
        assert pipeline.process_item(item).model_version == version
        pipeline._crawl.harvest.add(True)  # as the next pipeline does
    pipeline.close_spider()
    pages, _ = read_record(tmp_path / RETRAINING_FILE)
    assert [page.version for page in pages] == [1, 2]


@pytest.mark.parametrize("accepted", [True, False])
def test_a_crawl_that_is_resumed_without_its_model_says_so(tmp_path, caplog, accepted):
    (tmp_path / "versions.jsonl").write_text(Attempt(version=2, accepted=accepted).to_line() + "\n")
    crawler, _ = a_crawl(run_dir=tmp_path, settings={"FOCUSED_RETRAINING": "off"})
    with pytest.raises(NotConfigured):
        RetrainingPipeline.from_crawler(crawler)
    assert [record.levelname for record in caplog.records] == ["WARNING"] * accepted
    assert ("used version 2" in caplog.text) == accepted
    assert ("FOCUSED_RETRAINING=MODE" in caplog.text) == accepted


def test_a_crawl_that_is_resumed_without_a_model_of_the_pages_met_is_told_what_brings_it_back(tmp_path, caplog):
    (tmp_path / "versions.jsonl").write_text(Attempt(version=2, accepted=True, n_drawn=8).to_line() + "\n")
    crawler, _ = a_crawl(run_dir=tmp_path, settings={"FOCUSED_UNLABELED": "topic"})
    with pytest.raises(NotConfigured):
        RetrainingPipeline.from_crawler(crawler)
    assert "add -s FOCUSED_UNLABELED=met" in caplog.text
