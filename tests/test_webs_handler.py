from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scrapy import Request, signals
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError, StopDownload
from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse
from scrapy.utils.test import get_crawler
from warcs import HTML, Warc

from focused.webs import Answer, handler
from focused.webs.handler import WebDownloadHandler

ROOT = Path(__file__).resolve().parent.parent


class StubWeb:
    """Gives one answer to every URL, and remembers what it was asked."""

    def __init__(self, answer: Answer) -> None:
        self.result = answer
        self.asked: list[str] = []
        self.n_closed = 0

    def answer(self, url: str) -> Answer:
        self.asked.append(url)
        return self.result

    def close(self) -> None:
        self.n_closed += 1


@pytest.fixture
def make(monkeypatch):
    """Make a handler over a web that gives one answer."""

    def make(answer: Answer, **settings) -> tuple[WebDownloadHandler, StubWeb]:
        web = StubWeb(answer)
        monkeypatch.setattr(handler, "open_web", lambda name, settings: web)
        return WebDownloadHandler.from_crawler(crawler(**settings)), web

    return make


def crawler(**settings):
    return get_crawler(settings_dict={"TWISTED_REACTOR_ENABLED": False, "FOCUSED_WEB": "stub", **settings})


def fetch(handler: WebDownloadHandler, url="http://h.org/a", **options) -> Response:
    return asyncio.run(handler.download_request(Request(url, **options)))


def page(body=b"<p>text</p>", status=200, headers=tuple(HTML), **options) -> Answer:
    return Answer(status, headers, body, **options)


def test_an_answer_becomes_a_response(make):
    handler, web = make(page(status=201, headers=(*HTML, ("Set-Cookie", "a"), ("Set-Cookie", "b"))))
    response = fetch(handler, "http://h.org/a?b#part")
    assert type(response) is HtmlResponse
    assert (response.url, response.status, response.body) == ("http://h.org/a?b", 201, b"<p>text</p>")
    assert response.headers.getlist("Set-Cookie") == [b"a", b"b"]
    assert response.flags == []
    assert web.asked == ["http://h.org/a?b"]


@pytest.mark.parametrize(
    ("url", "headers", "body", "kind"),
    [
        ("http://h.org/a", (("Content-Type", "text/plain"),), b"text", TextResponse),
        ("http://h.org/a", (("Content-Type", "application/xml"),), b"<a/>", XmlResponse),
        ("http://h.org/a", (("Content-Type", "image/png"),), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Response),
        ("http://h.org/a.html", (), b"", HtmlResponse),
        ("http://h.org/a", (), b"<html><p>", HtmlResponse),
        ("http://h.org/a", (("Content-Type", "text/html"), ("Content-Encoding", "compress")), b"\x1f\x9d", Response),
    ],
)
def test_the_class_of_the_response_follows_headers_name_and_body(make, url, headers, body, kind):
    assert type(fetch(make(page(body, headers=headers))[0], url)) is kind


def test_header_values_keep_their_bytes(make):
    headers = (("Location", "/caf\xe9"), ("X", "\u20ac"))
    response = fetch(make(page(headers=headers))[0])
    assert response.headers["Location"] == b"/caf\xe9"
    assert response.headers["X"] == "\u20ac".encode()


@pytest.mark.parametrize("match", ["exact", "canonical", "tolerant", "missing"])
def test_how_a_page_was_found_is_counted_and_flagged(make, match):
    handler, _ = make(page(match=match))
    assert fetch(handler).flags == ([] if match == "exact" else [match])
    assert handler.crawler.stats.get_stats() == {f"focused/web/{match}_count": 1}


def test_head_gets_the_headers_only(make):
    response = fetch(make(page(headers=(("Content-Length", "11"),), cut=True))[0], method="HEAD")
    assert (response.body, response.headers["Content-Length"], response.flags) == (b"", b"11", [])


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_a_web_knows_no_other_methods(make, method):
    handler, web = make(page())
    response = fetch(handler, method=method)
    assert (response.status, response.headers["Allow"], response.body) == (405, b"GET, HEAD", b"")
    assert web.asked == []
    assert handler.crawler.stats.get_stats() == {"focused/web/method_refused_count": 1}


def test_latency_is_waited_for_without_blocking_and_noted(make):
    handler, _ = make(page(latency_secs=0.2))

    async def both() -> tuple[float, tuple[Request, Request]]:
        requests = Request("http://h.org/a"), Request("http://h.org/b")
        start = time.monotonic()
        await asyncio.gather(*(handler.download_request(request) for request in requests))
        return time.monotonic() - start, requests

    elapsed, requests = asyncio.run(both())
    latencies = [request.meta["download_latency"] for request in requests]
    assert min(latencies) >= 0.19
    assert elapsed < sum(latencies)  # one after the other would take as long as both


def test_an_answer_without_latency_has_a_latency_too(make):
    request = Request("http://h.org/a")
    asyncio.run(make(page())[0].download_request(request))
    assert request.meta["download_latency"] >= 0


@pytest.mark.parametrize(("settings", "meta"), [({"DOWNLOAD_TIMEOUT": 0.05}, {}), ({}, {"download_timeout": 0.05})])
def test_a_server_slower_than_the_timeout_times_out(make, settings, meta):
    request = Request("http://h.org/a", meta=meta)
    with pytest.raises(DownloadTimeoutError, match=r"Getting http://h.org/a took longer than 0.05 seconds\."):
        asyncio.run(make(page(latency_secs=60), **settings)[0].download_request(request))
    assert "download_latency" not in request.meta


@pytest.mark.parametrize(("settings", "meta"), [({"DOWNLOAD_MAXSIZE": 10}, {}), ({}, {"download_maxsize": 10})])
def test_a_body_larger_than_allowed_cancels_the_download(make, settings, meta, caplog):
    with pytest.raises(
        DownloadCancelledError, match=r"Received 11 bytes which is larger than download max size \(10\)"
    ):
        fetch(make(page(b"x" * 11), **settings)[0], meta=meta)
    assert "Received 11 bytes" in caplog.text
    assert fetch(make(page(b"x" * 10), **settings)[0], meta=meta).body == b"x" * 10


def test_a_request_may_allow_more_than_the_setting(make):
    handler, _ = make(page(b"x" * 11), DOWNLOAD_MAXSIZE=10)
    assert len(fetch(handler, meta={"download_maxsize": 0}).body) == 11


def test_a_cut_body_is_flagged_and_counted_or_cancelled_at_the_limit(make):
    handler, _ = make(page(b"x" * 10, cut=True))
    assert fetch(handler).flags == ["cut"]
    assert handler.crawler.stats.get_value("focused/web/cut_count") == 1
    with pytest.raises(DownloadCancelledError):
        fetch(handler, meta={"download_maxsize": 10})


def test_a_large_body_is_warned_of(make, caplog):
    fetch(make(page(b"x" * 11), DOWNLOAD_WARNSIZE=10)[0])
    assert "Received 11 bytes which is larger than download warn size (10)" in caplog.text


@pytest.mark.parametrize(
    ("signal", "body"), [(signals.headers_received, b""), (signals.bytes_received, b"<p>text</p>")]
)
def test_receivers_of_signals_may_stop_a_download(make, signal, body):
    handler, _ = make(page())
    stop = StopDownload(fail=False)

    def receiver(request, **about):
        raise stop

    handler.crawler.signals.connect(receiver, signal)
    response = fetch(handler)
    assert (response.body, response.flags) == (body, ["download_stopped"])
    stop.fail = True
    with pytest.raises(StopDownload) as caught:
        fetch(handler)
    assert caught.value.response.status == 200


def test_the_handlers_of_a_crawl_share_one_web_and_close_it(monkeypatch):
    webs = []
    monkeypatch.setattr(handler, "open_web", lambda name, settings: webs.append(StubWeb(page())) or webs[-1])
    one, other = crawler(), crawler()
    handlers = [WebDownloadHandler.from_crawler(c) for c in (one, one, other)]
    assert len(webs) == 2
    asyncio.run(handlers[0].close())
    assert [web.n_closed for web in webs] == [1, 0]


CRAWL = """
import json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

handler = "focused.webs.handler.WebDownloadHandler"

class Probe(scrapy.Spider):
    name = "probe"
    seen = {}
    async def start(self):
        yield scrapy.Request(sys.argv[2], errback=self.failed)
    def parse(self, response):
        self.seen[response.url] = [response.status, response.flags, response.meta.get("redirect_urls", [])]
        for link in response.xpath("//a/@href").getall():
            yield response.follow(link, errback=self.failed)
    def failed(self, failure):
        self.seen[failure.request.url] = failure.type.__name__

process = CrawlerProcess({
    "DOWNLOAD_HANDLERS": {"http": handler, "https": handler}, "FOCUSED_WEB": sys.argv[1], "ROBOTSTXT_OBEY": True,
    "HTTPERROR_ALLOW_ALL": True, "DOWNLOAD_MAXSIZE": 5000, "RETRY_ENABLED": False, "LOG_LEVEL": "INFO",
})
crawler = process.create_crawler(Probe)
process.crawl(crawler)
process.start()
stats = {k: v for k, v in crawler.stats.get_stats().items() if isinstance(v, (int, str))}
print(json.dumps([Probe.seen, stats]))
"""


def crawl(web: Path | str, seed: str) -> tuple[dict, dict]:
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", CRAWL, str(web), seed],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_a_crawl_runs_through_scrapys_own_middlewares(tmp_path):
    links = "".join(
        f"<a href='{link}'>x</a>"
        for link in ("/old", "/Page.HTML", "/private/x", "/none", "/big", "https://other.org/", "/zip#top", "/loop")
    )
    warc = Warc(tmp_path / "w.warc.gz")
    warc.page("http://h.org/", links.encode())
    warc.page(
        "http://h.org/robots.txt", b"User-agent: *\nDisallow: /private/", headers=[("Content-Type", "text/plain")]
    )
    warc.page("http://h.org/old", status="301 Moved Permanently", headers=[("Location", "/new")])
    warc.page("http://h.org/loop", status="302 Found", headers=[("Location", "/loop")])
    warc.page("http://h.org/new", b"<p>new").page("http://h.org/page.html", b"<p>").page(
        "http://h.org/private/x", b"<p>"
    )
    warc.page("http://h.org/big", b"x" * 5001).page("https://other.org/", b"<p>")
    packed = gzip.compress(b"<a href='/from-zip'>x</a>")
    warc.page("http://h.org/zip", packed, headers=[*HTML, ("Content-Encoding", "gzip")])
    seen, stats = crawl(warc.save(), "http://h.org/")
    assert seen == {
        "http://h.org/": [200, [], []],
        "http://h.org/new": [200, [], ["http://h.org/old"]],
        "http://h.org/Page.HTML": [200, ["tolerant"], []],
        "http://h.org/private/x": "IgnoreRequest",
        "http://h.org/none": [404, ["missing"], []],
        "http://h.org/big": "DownloadCancelledError",
        "https://other.org/": [200, [], []],
        "http://h.org/zip": [200, [], []],
        "http://h.org/from-zip": [404, ["missing"], []],
    }
    assert stats["focused/web/tolerant_count"] == 1
    assert stats["focused/web/missing_count"] == 3  # the two pages, and robots.txt of other.org
    assert stats["robotstxt/forbidden"] == 1
    assert stats["finish_reason"] == "finished"
