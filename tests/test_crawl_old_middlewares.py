"""Spider middlewares of the old synchronous kind, as ``scrapy startproject`` writes them."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest
from commands import ROOT, crawl
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from focused.crawl.arguments import PlanError
from focused.crawl.losses import LOSSES
from focused.crawl.old_middlewares import with_old_middlewares

TEMPLATE = """
from scrapy import signals


class OldMiddleware:
    @classmethod
    def from_crawler(cls, crawler):
        made = cls()
        crawler.signals.connect(made.spider_opened, signal=signals.spider_opened)
        return made

    def process_spider_input(self, response, spider):
        return None

    def process_spider_output(self, response, result, spider):
        for each in result:
            spider.crawler.stats.inc_value("old/results_count")
            yield each

    def process_spider_exception(self, response, exception, spider):
        pass

    async def process_start(self, start):
        async for each in start:
            yield each

    def spider_opened(self, spider):
        spider.crawler.stats.inc_value("old/opened_count")
"""


class Old:
    def process_spider_output(self, response, result):
        return [each for each in result if each != "secret"]


class New:
    async def process_spider_output(self, response, result):
        async for each in result:
            yield each


class Both:
    def process_spider_output(self, response, result):
        yield from result

    async def process_spider_output_async(self, response, result):
        async for each in result:
            yield each


@pytest.mark.slow
def test_a_crawl_goes_through_the_middleware_that_startproject_writes(tmp_path):
    (tmp_path / "foreign.py").write_text(TEMPLATE)
    from_settings = json.dumps(
        {
            "foreign.OldMiddleware": 543,
            "focused.middlewares.link_scoring.LinkScoringMiddleware": 850,
            "focused.middlewares.page_end.PageEndMiddleware": 10,
        }
    )
    settings = {"SPIDER_MIDDLEWARES": from_settings}
    done = crawl(ROOT / "models", tmp_path, topic="demo", max_pages=30, settings=settings, before=import_from_here)
    assert done.exit_code == 0, done.err
    assert "Traceback" not in done.err
    assert done.stats["old/opened_count"] == 1
    assert done.stats["old/results_count"] > 30
    assert done.stats["focused/pages/fetched_count"] == 30
    assert done.run["settings"]["SPIDER_MIDDLEWARES"]["foreign.OldMiddleware"] == 543


def import_from_here() -> None:
    sys.path.append("")


def in_settings(*classes: object) -> Settings:
    return Settings({"SPIDER_MIDDLEWARES": dict.fromkeys(classes, 500)})


def test_only_classes_of_the_old_kind_are_replaced():
    assert with_old_middlewares(in_settings(New, Both)) == {}
    changed = with_old_middlewares(in_settings(New, Old))["SPIDER_MIDDLEWARES"]
    assert {str(each): place for each, place in changed.items()} == {str(New): 500, f"{__name__}.Old": 500}


def test_what_an_old_class_leaves_out_is_left_out():
    [made] = with_old_middlewares(in_settings(Old))["SPIDER_MIDDLEWARES"]
    middleware = made.from_crawler(get_crawler())

    async def results():
        for each in ("page", "secret"):
            yield each

    async def passed():
        return [each async for each in middleware.process_spider_output(None, results())]

    assert asyncio.run(passed()) == ["page"]


class Forgetful:
    def process_spider_output(self, response, result, spider):
        for each in result:
            each.upper()


def test_an_old_class_that_returns_none_is_named_once_counted_and_loses_nothing(caplog):
    [made] = with_old_middlewares(in_settings(Forgetful))["SPIDER_MIDDLEWARES"]
    crawler = get_crawler()
    middleware = made.from_crawler(crawler)

    async def results():
        yield "page"

    async def passed():
        return [each async for each in middleware.process_spider_output(None, results())]

    assert [asyncio.run(passed()) for _ in range(3)] == [["page"]] * 3
    [said] = [each for each in caplog.messages if "process_spider_output" in each]
    assert said.startswith(
        f"{__name__}.Forgetful.process_spider_output must return an iterable of items and requests. Got None."
    )
    assert crawler.stats.get_value("focused/middlewares/no_results_count") == 3
    assert "focused/middlewares/no_results_count" in LOSSES


def test_a_class_that_is_not_there_is_named_before_the_first_request():
    with pytest.raises(
        PlanError, match=r"SPIDER_MIDDLEWARES must name .* Got 'nobody.Middleware': No module named 'nobody'"
    ):
        with_old_middlewares(in_settings("nobody.Middleware"))
