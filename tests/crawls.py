"""Crawls that are not started: a crawler with a plan, for tests of single components."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hand_made
from scrapy.utils.test import get_crawler

from focused.crawl.crawl import Crawl
from focused.crawl.plan import CrawlPlan
from focused.method.page.reader import PageReader
from focused.method.strategies import make_strategy
from focused.method.topic.judge import Judge
from focused.spiders.focused import FocusedSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.http import Response

SETTINGS = {
    "TWISTED_REACTOR_ENABLED": False,
    "FOCUSED_LINK_SCORING_ENABLED": True,
    "FOCUSED_MERGE_EVIDENCE": True,
    "FOCUSED_PAGES_ENABLED": True,
    "FOCUSED_HARVEST_WINDOW_PAGES": 100,
}


def a_plan(strategy: str = "best_first", *, run_dir: Path = Path(), drops: bool = False, **fields: Any) -> CrawlPlan:
    topic = hand_made.topic()
    plan = {
        "topic": topic,
        "strategy": make_strategy(strategy),
        "reader": PageReader(topic.analyzer),
        "judge": Judge(topic),
        "seeds": ["http://h.org/"],
        "max_pages": 0,
        "max_relevant": 0,
        "drops_below_threshold": drops,
        "web": "demo",
        "run_dir": run_dir,
    }
    return CrawlPlan(**(plan | fields))


def a_crawl(strategy: str = "best_first", *, settings: dict[str, Any] | None = None, **plan: Any) -> tuple[Any, Crawl]:
    """Return a crawler whose spider is there, and its crawl; Scrapy's scheduler holds the links."""
    scheduler = {"SCHEDULER": "scrapy.core.scheduler.Scheduler"}
    crawler = get_crawler(settings_dict=scheduler | SETTINGS | (settings or {}))
    crawler.spider = spider = FocusedSpider()
    spider.crawler, spider.plan = crawler, a_plan(strategy, **plan)
    spider.crawl = Crawl(crawler, spider.plan)
    return crawler, spider.crawl


async def handed_over(crawler: Any, response: Response) -> AsyncIterator[Any]:
    """What the spider makes of a response."""
    for each in crawler.spider.parse(response):
        yield each


def passed_on(middleware: Any, response: Response) -> list[Any]:
    """What a spider middleware makes of what the spider makes of a response."""

    async def all_of_it() -> list[Any]:
        output = middleware.process_spider_output(response, handed_over(middleware.crawler, response))
        return [each async for each in output]

    return asyncio.run(all_of_it())
