"""The private parts of Scrapy that the project needs are there, in the Scrapy versions that the requirements allow."""

from __future__ import annotations

import asyncio
import re
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import scrapy
from scrapy import Request, Spider, signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.downloadermiddlewares import cookies
from scrapy.exceptions import IgnoreRequest
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.test import get_crawler
from twisted.web.client import HTTPConnectionPool

from focused.middlewares.addresses import AddressMiddleware
from focused.utils import scrapy_internals as internals

ROOT = Path(__file__).resolve().parent.parent


class Looks(Spider):
    """Looks at the engine from inside a crawl."""

    name = "looks"
    custom_settings = {"TWISTED_REACTOR_ENABLED": False, "LOG_ENABLED": False, "DOWNLOAD_DELAY": 0.25}  # noqa: RUF012

    async def start(self) -> Any:
        self.seen: dict[str, Any] = {
            "engine": internals.engine_of(self.crawler) is self.crawler.engine,
            "starting": internals.is_starting(self.crawler.engine),
            "closing": internals.is_closing(self.crawler),
            "delay": internals.default_delay(self.crawler.engine.downloader),
        }
        internals.wake_engine(self.crawler)
        yield Request("data:,page")

    def parse(self, response: Any) -> None:
        self.seen["in progress"] = {request.url for request in internals.requests_in_progress(self.crawler)}


def test_they_say_what_a_crawl_does():
    crawler = AsyncCrawlerRunner().create_crawler(Looks)
    asyncio.run(asyncio.wait_for(crawler.crawl_async(), 60))
    assert crawler.spider.seen == {
        "engine": True,
        "starting": False,
        "closing": False,
        "delay": 0.25,
        "in progress": {"data:,page"},
    }


class KnowsItsParts(Spider):
    """Looks for what Scrapy calls by public names and documents nowhere, and this project reads where it needs it."""

    name = "parts"
    custom_settings = {"TWISTED_REACTOR_ENABLED": False, "LOG_ENABLED": False}  # noqa: RUF012

    async def start(self) -> Any:
        yield Request("data:,page")

    def parse(self, response: Any) -> None:
        downloader = self.crawler.engine.downloader
        self.found = {
            "downloader": {name for name in OF_DOWNLOADER if hasattr(downloader, name)},
            "slot": {name for name in OF_SLOT for slot in downloader.slots.values() if hasattr(slot, name)},
            "itemproc": isinstance(self.crawler.engine.scraper.itemproc, ItemPipelineManager),
        }


OF_DOWNLOADER = {"slots", "per_slot_settings", "ip_concurrency", "domain_concurrency", "active", "handlers"}
OF_SLOT = {"active", "close", "concurrency", "delay", "lastseen", "queue", "transferring"}


def test_undocumented_attributes_that_the_project_reads_are_there():
    crawler = AsyncCrawlerRunner().create_crawler(KnowsItsParts)
    asyncio.run(asyncio.wait_for(crawler.crawl_async(), 60))
    assert crawler.spider.found == {"downloader": OF_DOWNLOADER, "slot": OF_SLOT, "itemproc": True}


def test_before_a_crawl_nothing_is_in_progress():
    crawler = get_crawler(settings_dict={"TWISTED_REACTOR_ENABLED": False})
    assert internals.requests_in_progress(crawler) == set()
    assert internals.engine_of(crawler) is None
    assert not internals.is_closing(crawler)


def test_a_signal_has_receivers_once_one_is_connected():
    crawler = get_crawler(settings_dict={"TWISTED_REACTOR_ENABLED": False})

    def receiver() -> None: ...

    assert not internals.has_receivers(crawler, signals.request_scheduled)
    crawler.signals.connect(receiver, signals.request_scheduled)
    assert internals.has_receivers(crawler, signals.request_scheduled)


def test_no_other_module_touches_them():
    private = re.compile(r"\bengine\._\w|crawler\._\w|downloader\._\w|\bslot\.(inprogress|nextcall|closing)\b")
    touching = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "focused").rglob("*.py"))
        if private.search(path.read_text(encoding="utf-8"))
    ]
    assert touching == ["focused/utils/scrapy_internals.py"]


def test_the_requirements_have_a_ceiling_for_scrapy_that_this_version_is_under():
    [bounds] = re.findall(r"scrapy(>=[\d.]+,<[\d.]+)", (ROOT / "requirements.txt").read_text(encoding="utf-8"))
    ceiling = tuple(map(int, bounds.rpartition("<")[2].split(".")))
    assert scrapy.version_info[:2] < ceiling
    assert version("scrapy").startswith("2.")


def test_a_request_is_refused_where_a_receiver_says_so_and_all_are_asked(caplog: pytest.LogCaptureFixture):
    crawler = get_crawler(settings_dict={})
    request, signal, asked = Request("http://a.org/"), object(), []

    def notes(request: Request, spider: Any) -> None:
        asked.append(request)

    def refuses(request: Request) -> None:
        raise IgnoreRequest("no")

    def fails() -> None:
        raise OSError("a receiver's own trouble")

    assert not internals.is_refused(crawler, signal, request)
    crawler.signals.connect(fails, signal)
    crawler.signals.connect(notes, signal)
    assert not internals.is_refused(crawler, signal, request)
    assert "a receiver's own trouble" in caplog.text
    crawler.signals.connect(refuses, signal)
    assert internals.is_refused(crawler, signal, request)
    assert asked == [request, request]


def test_entries_of_hosts_without_a_connection_are_forgotten_and_idle_ones_close_soon():
    assert "_pool" in HTTP11DownloadHandler.__init__.__code__.co_names  # made without a reactor, it cannot be looked at
    pool = HTTPConnectionPool(None)
    pool._connections.update({("http", "gone.org", 80): [], ("http", "here.org", 80): ["a connection"]})
    handlers = SimpleNamespace(_handlers={"http": SimpleNamespace(_pool=pool), "s3": SimpleNamespace()})
    crawler = SimpleNamespace(_engine=SimpleNamespace(downloader=SimpleNamespace(handlers=handlers)))
    internals.keep_connections(crawler, 7.0)
    assert pool.cachedConnectionTimeout == 7.0
    assert pool._connections == {("http", "here.org", 80): ["a connection"]}


def test_cookies_fetch_no_list_of_suffixes(monkeypatch):
    def fetches(host: str) -> None:
        raise AssertionError(f"It asks the network about {host}")

    monkeypatch.setattr(cookies, "_split_domain", fetches)
    AddressMiddleware.from_crawler(get_crawler(settings_dict={"COOKIES_ENABLED": True}))
    assert [cookies._is_public_domain(name) for name in ("co.uk", "stars.co.uk", "github.io", "me.github.io")] == [
        True,
        False,
        True,
        False,
    ]
