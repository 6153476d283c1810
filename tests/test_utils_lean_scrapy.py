"""The project's stats, lines of the log and referrers are Scrapy's, and cost less."""

from __future__ import annotations

import logging
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import DropItem
from scrapy.http import Response
from scrapy.logformatter import LogFormatter
from scrapy.settings import default_settings
from scrapy.spidermiddlewares.referer import DefaultReferrerPolicy
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.misc import load_object
from scrapy.utils.test import get_crawler

from focused import settings
from focused.utils.lean_scrapy import LeanLogFormatter, LeanReferrerPolicy, LeanStats, is_heard

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
REQUEST = Request("http://a.org/")
RESPONSE = Response("http://a.org/", request=REQUEST)


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    """A logger that hands its records to nobody else."""
    found = logging.getLogger("focused.test_lean_scrapy")
    # pytest gives a logger that does not propagate a handler of its own.
    found.handlers, found.propagate, found.level = [], False, logging.DEBUG
    yield found
    found.handlers, found.propagate, found.level = [], True, logging.NOTSET


def test_the_project_uses_them():
    used = settings.STATS_CLASS, settings.LOG_FORMATTER, settings.REFERRER_POLICY
    assert [load_object(path) for path in used] == [LeanStats, LeanLogFormatter, LeanReferrerPolicy]


def test_stats_are_counted_as_scrapy_counts_them():
    crawler = get_crawler(settings_dict={})
    found = []
    for stats in (LeanStats(crawler), MemoryStatsCollector(crawler)):
        stats.set_value("set", "a")
        stats.inc_value("new")
        stats.inc_value("counted", 2, start=5)
        stats.inc_value("counted")
        stats.max_value("most", 3)
        stats.max_value("most", 2)
        stats.min_value("least", 3)
        stats.min_value("least", 2)
        found.append((stats.get_stats(), stats.get_value("none", 7)))
    assert found[0] == found[1]
    assert found[0][0] == {"set": "a", "new": 1, "counted": 8, "most": 3, "least": 2}


def test_a_method_of_the_stats_is_called_without_anything_in_between():
    stats = LeanStats(get_crawler(settings_dict={}))
    assert stats.inc_value.__func__ is MemoryStatsCollector.inc_value


def test_a_line_is_made_where_a_handler_reads_it_and_else_not(monkeypatch: pytest.MonkeyPatch, logger: logging.Logger):
    for name in ("_ENGINE", "_SCRAPER"):
        monkeypatch.setattr(f"focused.utils.lean_scrapy.{name}", logger)
    handler = logging.NullHandler()
    logger.handlers = [handler]
    spider = get_crawler(Spider, settings_dict={})._create_spider("a")
    irrelevant, wrong = DropItem("irrelevant", log_level="DEBUG"), DropItem("wrong", log_level="WARNING")

    def lines(formatter: LogFormatter) -> list[object]:
        return [
            formatter.crawled(REQUEST, RESPONSE, spider),
            formatter.scraped({}, RESPONSE, spider),
            formatter.dropped({}, irrelevant, RESPONSE, spider),
            formatter.dropped({}, wrong, RESPONSE, spider),
        ]

    handler.setLevel(logging.DEBUG)
    assert lines(LeanLogFormatter()) == lines(LogFormatter())
    handler.setLevel(logging.INFO)
    assert lines(LeanLogFormatter()) == [None, None, None, lines(LogFormatter())[3]]


def test_a_record_is_heard_by_the_handlers_of_a_logger_and_those_above(logger: logging.Logger):
    below = logger.getChild("below")
    logger.handlers = []
    assert is_heard(below, logging.DEBUG), "without a handler Python decides"
    handler = logging.NullHandler()
    handler.setLevel(logging.INFO)
    logger.addHandler(handler)
    assert [is_heard(below, level) for level in (logging.DEBUG, logging.INFO)] == [False, True]
    logger.setLevel(logging.ERROR)
    assert not is_heard(below, logging.INFO)


def test_a_referrer_is_what_scrapy_s_default_policy_says():
    pages = ["http://u:p@a.org:80/x?y#z", "https://a.org/x", "file:///x", "s3://a/x", "data:,x", "about:blank", "x", ""]
    for page, link in product(pages, ["http://b.org/", "https://b.org/", "data:,y"]):
        assert LeanReferrerPolicy().referrer(page, link) == DefaultReferrerPolicy().referrer(page, link), (page, link)
    assert LeanReferrerPolicy().referrer("https://a.org/x", "http://b.org/") is None


def test_the_remote_control_is_not_imported_and_a_project_may_have_it_all_the_same():
    path = "scrapy.extensions.remote_control.RemoteControl"
    assert set(default_settings.EXTENSIONS_BASE) - set(settings.EXTENSIONS_BASE) == {path}
    code = (
        "import sys; from scrapy.utils.project import get_project_settings;"
        "get_project_settings().get_component_priority_dict_with_base('EXTENSIONS'); print('aiohttp' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
