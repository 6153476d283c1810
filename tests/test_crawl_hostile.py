"""Hostile servers and pages over real sockets: each is counted and survived, and what follows is still found."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING

import hand_made
import pytest
from commands import Finished, crawl
from sites import HTML, Reply, Site, redirect

from focused.frontier.store.view import FrontierView

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

SETTINGS = {
    "FOCUSED_PRIVATE_ADDRESSES": "allow",  # nobody is there, at other ports of this machine
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "RETRY_TIMES": 0,
    "FOCUSED_HOST_REST_SECS": 0.2,
}
MB = 1_000_000


def leads_to(name: str, text: str = "", head: str = "") -> bytes:
    """A page with one good link, to a page that has to be found."""
    return f"<html><head>{head}</head><body><p>{text}</p><p><a href='/after/{name}'>star</a></p></body></html>".encode()


def typed(content_type: str | bytes, body: bytes, **headers: str) -> Reply:
    return Reply(body, headers={"Content-Type": content_type, **headers})


BAD_HREFS = [
    b"http://[::1", b"http://[foo]/", b"//[", b"http://a]b/", b"http://x:99999/", b"http://", b"?" * 9000, b"\xff\xfe",
    "http://\uff41.example:port/".encode(), b"javascript:x", b"mailto:a@b", b"data:text/html,x", b"ftp://a.example/",
]  # fmt: skip

#: Pages whose link must be found all the same.
READABLE = {
    "charset-hex": typed("text/html; charset=hex", leads_to("charset-hex")),
    "charset-idna": typed("text/html; charset=idna", leads_to("charset-idna")),
    "charset-undefined": typed("text/html; charset=undefined", leads_to("charset-undefined")),
    "charset-punycode": typed("text/html; charset=punycode", leads_to("charset-punycode")),
    "charset-nul": typed("text/html; charset=\x01\x02", leads_to("charset-nul")),
    "charset-wrong": typed("text/html; charset=utf-16", leads_to("charset-wrong")),
    "meta-charset-zlib": leads_to("meta-charset-zlib", head="<meta charset=zlib>"),
    "base-javascript": leads_to("base-javascript", head='<base href="javascript:alert(1)">'),
    "base-port": leads_to("base-port", head='<base href="http://x:port/">'),
    "base-bracket": leads_to("base-bracket", head='<base href="http://[::1">'),
    "base-file": leads_to("base-file", head='<base href="file:///etc/">'),
    "refresh": leads_to("refresh", head='<meta http-equiv="refresh" content="0; url=http://[::1">'),
    "refresh-itself": leads_to("refresh-itself", head='<meta http-equiv="refresh" content="0">'),
    "nul": leads_to("nul", "star\0s").replace(b"<p>", b"<\0p>\0"),
    "latin-1": leads_to("latin-1", "caf\xe9").decode().encode("latin-1"),
    "deep": b"<div>" * 10_000 + b"<p><a href='/after/deep'>star</a>",
    "unclosed": b"<b><font>" * 2_000 + leads_to("unclosed"),
    "attributes": b"<p " + b" ".join(b"a%d=1" % n for n in range(80_000)) + b">" + leads_to("attributes"),
    "long-text": leads_to("long-text") + b"star " * 300_000,
    "bad-hrefs": b"".join(
        b"<a href='%s'>star</a>" % href
        for href in BAD_HREFS
    ) + leads_to("bad-hrefs"),
    "no-type": Reply(leads_to("no-type"), headers={}),
    "odd-type": typed(b"text/html; charset=\xff\xfe;;;=", leads_to("odd-type")),
    "gzip": typed(HTML, gzip.compress(leads_to("gzip")), **{"Content-Encoding": "gzip"}),
    "deflate": typed(HTML, zlib.compress(leads_to("deflate")), **{"Content-Encoding": "deflate"}),
    "content-location": typed(HTML, leads_to("content-location"), **{"Content-Location": "http://other.example/x"}),
    "content-location-bad": typed(HTML, leads_to("content-location-bad"), **{"Content-Location": "http://[::1"}),
    "large": leads_to("large") + b"<!-- " + b"x" * int(4.9 * MB),
}  # fmt: skip

#: Answers that hold no page, or none that can be read.
UNREADABLE = {
    "redirect-to-itself": redirect("/redirect-to-itself"),
    "redirect-to-bracket": redirect("http://[::1"),
    "redirect-to-port": redirect("http://x:port/"),
    "redirect-to-script": redirect("javascript:alert(1)"),
    "redirect-to-file": redirect("file:///etc/passwd"),
    "redirect-to-bytes": redirect(b"/\xff\xfe"),
    "redirect-to-nothing": Reply(status=302, headers={}),
    "redirect-to-nobody": redirect("http://127.0.0.1:1/"),
    "empty": b"",
    "blank": b"   \n ",
    "comment": b"<!-- -->",
    "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 100,
    "zeros": b"\0" * 10_000,
    "too-large": b"<p>" + b"x" * int(5.1 * MB),
    "bomb": typed(HTML, gzip.compress(b"star " * 2 * MB), **{"Content-Encoding": "gzip"}),
    "gzip-broken": typed(HTML, gzip.compress(b"star" * 999)[:20], **{"Content-Encoding": "gzip"}),
    "gzip-none": typed(HTML, b"<p>Not gzip.", **{"Content-Encoding": "gzip"}),
    "cut": Reply(b"<p>star" * 100, hangs_up_after=10),
    "status-999": Reply(b"<p>star", status=999),
    "status-204": Reply(b"", status=204),
}


def site(path: str) -> bytes | Reply | None:
    name = path.removeprefix("/")
    if path == "/":
        links = [(f"/{name}", "a nebula") for name in (*READABLE, *UNREADABLE, "redirect/0")]
        return hand_made.html("Welcome.", *links)
    if name.startswith("redirect/"):
        return redirect(f"/redirect/{int(name.removeprefix('redirect/')) + 1}")
    if name.startswith("after/"):
        return hand_made.html(f"{hand_made.STARS} Found by {name}.")
    return READABLE.get(name) or UNREADABLE.get(name)


@pytest.fixture(scope="module")
def hostile(models, tmp_path_factory) -> Iterator[tuple[Finished, Site]]:
    folder = tmp_path_factory.mktemp("hostile")
    with Site(site) as server:
        result = crawl(models, folder, seeds=f"{server.url}/", settings=SETTINGS)
        yield result, server


def test_the_crawl_comes_to_its_end(hostile):
    result, _ = hostile
    assert result.exit_code == 0
    assert result.run["finish_reason"] == "finished"
    assert "Finished (finished)" in result.err


def test_nothing_raises(hostile):
    result, _ = hostile
    assert "spider_exceptions/count" not in result.stats
    assert "Traceback" not in result.err
    assert "ERROR" not in result.err
    assert "Unhandled" not in result.err


@pytest.mark.parametrize("name", READABLE)
def test_the_link_of_a_broken_page_is_found(hostile, name):
    _, server = hostile
    assert server.asked.count(f"/{name}") == 1
    assert server.asked.count(f"/after/{name}") == 1


def test_redirects_end(hostile):
    _, server = hostile
    assert sum(path.startswith("/redirect/") for path in server.asked) == 6  # REDIRECT_MAX_TIMES, and the first
    assert server.asked.count("/redirect-to-itself") == 1


def test_what_is_lost_is_counted(hostile):
    result, _ = hostile
    stats = result.stats
    assert stats["focused/pages/not_text_count"] >= 5  # png, zeros, empty, blank, 204
    # endless redirects, bad targets of redirects, too large, bombs, cut off
    assert stats["focused/pages/failed_count"] == 10
    assert stats["focused/hosts/unreachable_links_count"] == 1  # nobody there
    assert stats["dupefilter/filtered"] == 1  # the redirect to itself
    assert stats["focused/page/cut_bytes_count"] > 2 * MB
    assert stats["focused/links/refused_not_http_count"] >= 4
    assert stats["focused/links/refused_invalid_count"] >= 4
    assert stats["focused/links/refused_too_long_count"] == 1
    assert stats["httperror/response_ignored_count"] >= 1
    assert "pages that could not be fetched" in result.err
    assert "bytes cut off pages longer than FOCUSED_PAGE_MAX_BYTES" in result.err


def test_a_hundred_thousand_links_are_cut_and_survived(models, tmp_path):
    many = "".join(f"<a href=/n/{n}>a nebula</a>" for n in range(100_000)).encode()
    with Site({"/": b"<p>Welcome.<a href=/many>star</a>", "/many": many}) as server:
        result = crawl(models, tmp_path, seeds=f"{server.url}/", settings={**SETTINGS, "DEPTH_LIMIT": 1})
    assert result.run["finish_reason"] == "finished"
    # The limit on bytes comes first, or the limit on links.
    cut = result.stats.get("focused/page/cut_bytes_count", 0)
    over = result.stats.get("focused/links/refused_over_limit_count", 0)
    assert cut or over
    assert result.stats["focused/links/scored_count"] == 10_000 + 1
    assert result.stats["focused/pages/fetched_count"] == 2
    assert "spider_exceptions/count" not in result.stats


@pytest.mark.parametrize(
    "scheduler", ["focused.frontier.scheduler.FrontierScheduler", "focused.frontier.budget_scheduler.BudgetScheduler"]
)
def test_empty_answers_are_no_pages_and_take_nothing_from_the_budget(models, tmp_path, scheduler):
    empty = {
        "/nothing": b"",
        "/blank": b" \r\n\t\n",
        "/204": Reply(b"", status=204),
        "/204-untyped": Reply(b"", 204, {}),
    }
    words = {"/wordless": b"<!-- -->", "/stars": hand_made.html(hand_made.STARS)}
    # Of several, those that are found first are asked for first.
    home = hand_made.html("Welcome.", *((path, "a star") for path in (*empty, *words, "/more")))
    settings = {**SETTINGS, "CONCURRENT_REQUESTS": 1, "SCHEDULER": scheduler}
    with Site({"/": home, **empty, **words, "/more": hand_made.html(hand_made.STARS)}) as server:
        seeds = " ".join(f"{server.url}{path}" for path in ("/", *empty))
        result = crawl(models, tmp_path, seeds=seeds, max_pages=4, strategy="breadth_first", settings=settings)
        pages = [
            row.split(",")[1].removeprefix(server.url)
            for row in (result.run_dir / "fetched.csv").read_text().splitlines()[1:]
        ]
        urls = {path: f"{server.url}{path}" for path in empty}
    assert pages == ["/", "/wordless", "/stars", "/more"]
    assert result.run["finish_reason"] == "max_pages"
    assert result.stats["focused/pages/fetched_count"] == 4
    assert result.stats["focused/pages/not_text_count"] == len(empty)
    assert "4 responses without text" in result.err
    if "durable" in scheduler:
        with FrontierView(result.run_dir) as view:
            ends = {path: view.find(url) for path, url in urls.items()}
        assert {path: (end.state, end.note) for path, end in ends.items()} == dict.fromkeys(empty, ("done", "no page"))
