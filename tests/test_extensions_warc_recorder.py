from __future__ import annotations

import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import pytest
from scrapy import Request, Spider, signals
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers, HtmlResponse, Response
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler
from warcio.archiveiterator import ArchiveIterator

from focused.extensions.warc_recorder import WarcRecorder
from focused.webs.recorded import RecordedWeb

ROOT = Path(__file__).resolve().parent.parent
URL = "http://h.org/a"


@pytest.fixture
def stats() -> MemoryStatsCollector:
    return MemoryStatsCollector(get_crawler(settings_dict={"TWISTED_REACTOR_ENABLED": False, "STATS_DUMP": False}))


def record(recorder: WarcRecorder, *responses: Response, method: str = "GET") -> None:
    spider = Spider("test")
    for response in responses:
        recorder.response_downloaded(response, Request(response.url, method=method), spider)
    recorder.spider_closed(spider)


def records(path: Path) -> list[tuple[dict[str, str], str, list[tuple[str, str]], bytes]]:
    """WARC headers, status line, HTTP headers and body as stored of all responses, as warcio sees them."""
    with path.open("rb") as file:
        return [
            (dict(r.rec_headers.headers), r.http_headers.statusline, r.http_headers.headers, r.raw_stream.read())
            for r in ArchiveIterator(file, check_digests="raise")
            if r.rec_type == "response"
        ]


def test_an_answer_is_recorded_as_it_came(tmp_path, stats):
    body = gzip.compress(b"<p>text")
    headers = Headers({"Content-Type": "text/html", "Content-Encoding": "gzip", "Set-Cookie": ["a", "b"]})
    headers["Transfer-Encoding"] = "chunked"  # Scrapy has joined the chunks
    response = Response(URL, 200, headers, body, ip_address=ip_address("10.0.0.1"), protocol="HTTP/1.0")
    recorder = WarcRecorder(tmp_path / "run", stats, "tests (+http://h.org)")
    record(recorder, response)
    [(about, status, http, stored)] = records(recorder.path)
    assert recorder.path == tmp_path / "run" / "pages.warc.gz"
    assert (about["WARC-Target-URI"], about["WARC-IP-Address"]) == (URL, "10.0.0.1")
    assert about["WARC-Payload-Digest"].startswith("sha1:")
    assert status == "200 OK"
    assert stored == body
    assert http == [
        ("Content-Type", "text/html"),
        ("Content-Encoding", "gzip"),
        ("Set-Cookie", "a"),
        ("Set-Cookie", "b"),
        ("Content-Length", str(len(body))),
    ]
    with gzip.open(recorder.path) as file:
        beginning = file.read(2000)
    assert beginning.startswith(b"WARC/1.1\r\nWARC-Type: warcinfo")
    assert b"http-header-user-agent: tests (+http://h.org)" in beginning
    assert stats.get_value("focused/warc/written_count") == 1
    assert stats.get_value("focused/warc/written_bytes") < recorder.path.stat().st_size


@pytest.mark.parametrize(
    ("flags", "truncated"),
    [
        ([], None),
        (["tolerant"], None),
        (["dataloss"], "disconnect"),
        (["download_stopped"], "length"),
        (["cut"], "length"),
    ],
)
def test_a_body_that_is_not_all_there_is_marked(tmp_path, stats, flags, truncated):
    recorder = WarcRecorder(tmp_path, stats)
    record(recorder, HtmlResponse(URL, body=b"<p>", flags=flags))
    assert records(recorder.path)[0][0].get("WARC-Truncated") == truncated


@pytest.mark.parametrize("status", [200, 301, 404, 418, 599, 999])
def test_every_status_is_recorded_and_replayed(tmp_path, stats, status):
    recorder = WarcRecorder(tmp_path, stats)
    record(recorder, Response(URL, status, {"Location": b"/caf\xe9 \xe2\x82\xac"}, b"body", protocol="h2"))
    with RecordedWeb(recorder.path) as web:
        answer = web.answer(URL)
    assert (answer.status, answer.body) == (status, b"body")
    assert answer.headers[0][1].encode("latin-1") == b"/caf\xe9 \xe2\x82\xac"  # not escaped


def test_answers_to_other_methods_are_left_out(tmp_path, stats):
    recorder = WarcRecorder(tmp_path, stats)
    record(recorder, HtmlResponse(URL, body=b""), method="HEAD")
    assert not recorder.path.exists()
    assert stats.get_value("focused/warc/skipped_count") == 1


def test_an_existing_file_is_appended_to(tmp_path, stats):
    for number in range(2):
        recorder = WarcRecorder(tmp_path, stats)
        record(recorder, HtmlResponse(f"{URL}{number}", body=b"<p>"))
    assert [about["WARC-Target-URI"] for about, *_ in records(recorder.path)] == [URL + "0", URL + "1"]


def test_a_full_disk_is_counted_and_logged_once(tmp_path, stats, caplog):
    (tmp_path / "pages.warc.gz").symlink_to("/dev/full")
    recorder = WarcRecorder(tmp_path, stats)
    record(recorder, *(HtmlResponse(f"{URL}{number}", body=b"<p>") for number in range(3)))
    assert stats.get_value("focused/warc/failed_count") == 3
    assert stats.get_value("focused/warc/written_count") is None
    assert caplog.text.count(f"Cannot write to {recorder.path}: [Errno 28] No space left on device") == 1


def test_a_folder_that_cannot_be_made_is_counted_and_logged_once(tmp_path, stats, caplog):
    (tmp_path / "file").write_text("")
    recorder = WarcRecorder(tmp_path / "file" / "run", stats)
    record(recorder, HtmlResponse(URL, body=b"<p>"), HtmlResponse(URL, body=b"<p>"))
    assert stats.get_value("focused/warc/failed_count") == 2
    assert caplog.text.count("Cannot write to") == 1


def test_a_record_that_was_written_in_part_is_taken_back(tmp_path, stats):
    """A file size limit lets the first part of a write through, as a filling disk does."""
    recorder = WarcRecorder(tmp_path, stats)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        bodies = [os.urandom(5000), os.urandom(30_000), os.urandom(5000)]
        record(recorder, *(Response(f"{URL}{number}", body=body) for number, body in enumerate(bodies)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert stats.get_value("focused/warc/failed_count") == 1
    with RecordedWeb(recorder.path) as web:
        assert web.index.n_damaged == 0
        assert [web.answer(f"{URL}{number}").body for number in (0, 2)] == [bodies[0], bodies[2]]


def test_it_is_off_by_default_and_needs_a_folder():
    def make(**settings) -> WarcRecorder:
        return WarcRecorder.from_crawler(get_crawler(settings_dict={"TWISTED_REACTOR_ENABLED": False, **settings}))

    with pytest.raises(NotConfigured):
        make()
    with pytest.raises(ValueError, match=r"FOCUSED_WARC=all needs a folder.* Set FOCUSED_RUN_DIR"):
        make(FOCUSED_WARC="all")
    recorder = make(FOCUSED_WARC="all", FOCUSED_RUN_DIR="somewhere")
    assert recorder.path == Path("somewhere/pages.warc.gz")


class Site(BaseHTTPRequestHandler):
    """A small site: compressed and chunked pages, a redirect, a missing page, robots.txt."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/":
            links = "".join(f"<a href='{link}'>x</a>" for link in ("/zip", "/chunked", "/old", "/none", "/private"))
            self.reply(200, links.encode())
        elif self.path == "/robots.txt":
            self.reply(200, b"User-agent: *\nDisallow: /private", **{"Content-Type": "text/plain"})
        elif self.path == "/zip":
            self.reply(200, gzip.compress(b"<a href='/new'>x</a>"), **{"Content-Encoding": "gzip"})
        elif self.path == "/chunked":
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"5\r\n<p>so\r\n8\r\nme words\r\n0\r\n\r\n")
        elif self.path == "/old":
            self.reply(301, b"", Location="/new")
        elif self.path == "/new":
            self.reply(200, b"<p>new")
        else:
            self.reply(404, b"<p>not here")

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "text/html", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *about: object) -> None:
        pass


CRAWL = """
import json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Probe(scrapy.Spider):
    name = "probe"
    seen = {}
    async def start(self):
        yield scrapy.Request(sys.argv[1])
    def parse(self, response):
        self.seen[response.url] = [response.status, response.text]
        yield from response.follow_all(css="a")

settings = json.loads(sys.argv[2])
process = CrawlerProcess({"ROBOTSTXT_OBEY": True, "HTTPERROR_ALLOW_ALL": True, "LOG_LEVEL": "INFO", **settings})
process.crawl(Probe)
process.start()
print(json.dumps(Probe.seen))
"""


def crawl(seed: str, **settings: object) -> dict[str, list]:
    done = subprocess.run(
        [sys.executable, "-c", CRAWL, seed, json.dumps(settings)],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_a_recorded_crawl_replays_without_its_server(tmp_path):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    seed = f"http://127.0.0.1:{server.server_port}/"
    recording = {"FOCUSED_WARC": "all", "EXTENSIONS": {"focused.extensions.warc_recorder.WarcRecorder": 500}}
    live = crawl(seed, FOCUSED_RUN_DIR=str(tmp_path / "live"), **recording)
    server.shutdown()
    server.server_close()
    assert sorted(live) == [seed, f"{seed}chunked", f"{seed}new", f"{seed}none", f"{seed}zip"]
    path = tmp_path / "live" / "pages.warc.gz"
    stored = {about["WARC-Target-URI"]: (status, body) for about, status, _, body in records(path)}
    assert stored[f"{seed}old"] == ("301 Moved Permanently", b"")
    assert stored[f"{seed}robots.txt"][1].startswith(b"User-agent")
    assert gzip.decompress(stored[f"{seed}zip"][1]) == b"<a href='/new'>x</a>"
    assert stored[f"{seed}chunked"][1] == b"<p>some words"
    assert f"{seed}private" not in stored

    handler = "focused.webs.handler.WebDownloadHandler"
    replaying = {"FOCUSED_WEB": str(path), "DOWNLOAD_HANDLERS": {"http": handler, "https": handler}}
    again = crawl(seed, FOCUSED_RUN_DIR=str(tmp_path / "again"), **recording, **replaying)
    assert again == live
    assert {about["WARC-Target-URI"] for about, *_ in records(tmp_path / "again" / "pages.warc.gz")} == set(stored)


def test_the_signal_is_the_one_before_all_middlewares(tmp_path):
    crawler = get_crawler(
        settings_dict={"TWISTED_REACTOR_ENABLED": False, "FOCUSED_WARC": "all", "FOCUSED_RUN_DIR": str(tmp_path)}
    )
    recorder = WarcRecorder.from_crawler(crawler)
    crawler.signals.send_catch_log(
        signals.response_downloaded,
        response=HtmlResponse(URL, body=b"<p>"),
        request=Request(URL),
        spider=Spider("test"),
    )
    crawler.signals.send_catch_log(signals.spider_closed, spider=Spider("test"), reason="finished")
    assert len(records(recorder.path)) == 1
