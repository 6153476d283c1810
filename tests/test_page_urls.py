from __future__ import annotations

import random

import pytest
from pages import page_of, paths_of, urls_of
from scrapy import Request
from w3lib.url import canonicalize_url

from focused.method.page import urls
from focused.method.page.reader import PageReader
from focused.method.page.urls import (
    INVALID,
    NOT_A_PAGE_NOR_PDF,
    NOT_HTTP,
    NOT_PAGE,
    PDF,
    REFUSALS,
    TOO_LONG,
    UrlMemo,
    UrlResolver,
    is_page_url,
)
from focused.method.text.analyzer import Analyzer, TermTable

BASE = "http://h.example/a/b.html"
BASES = [
    BASE, "http://h.example", "http://h.example/", "http://h.example/a/b/c/", "https://h.example/a/b/c?x=/y/z",
    "http://h.example/a//b/c", "http://h.example/a/./b/c", "http://h.example/a/../b", "http://h.example:8080/a/b",
    "http://127.0.0.1:65535/a/b/c", "http://h.example:65536/a/b", "http://h.example:080/a/b", "http://h.example:/a/b",
    "http://u@h.example/a/b", "http://h.example/a/b;p=1/c", "http://h.example/~x/%7Ey/", "http://h.example?q",
    "http://h.example/a/b#f", "http://H.example/A/b", "http://b\u00fccher.example/a/",
]  # fmt: skip
PORTS = ("", ":", ":0", ":1", ":80", ":080", ":443", ":9999", ":59999", ":65535", ":65536", ":70000", ":x")
WITH_PORT = [
    f"{scheme}://x.example{port}{path}" for scheme in ("http", "https") for port in PORTS for path in ("", "/", "/a")
]
PIECES = (
    "a b.html .. . / // ? = & ; ;p= ~x %20 % + @ : a:b http:// https:// x.com h.example ' ( ) * , ! $ - _ ../ ./ 1 x.y "
    '?q=/../ C X.PDF HTTP: \\ | \u00e9 [ ] { " \u4e2d \u2100 \udc80'
).split(" ")


def drawn_targets(n_targets: int) -> list[str]:
    draw = random.Random(0)
    return ["".join(draw.choices(PIECES, k=draw.randint(1, 6))) for _ in range(n_targets)]


@pytest.mark.parametrize("base", BASES)
def test_the_shortcut_gives_what_the_long_way_gives(base, monkeypatch):
    targets = drawn_targets(1500) + WITH_PORT
    got = [UrlResolver(base).resolve(target) for target in targets]
    n_short = sum(bool(urls._PLAIN(target)) for target in targets)
    monkeypatch.setattr(UrlResolver, "_join_plain", lambda self, target: "")
    assert got == [UrlResolver(base).resolve(target) for target in targets]
    assert n_short > 300


@pytest.mark.parametrize("base", BASES)
def test_scrapy_takes_every_url_that_is_not_refused(base):
    for target in drawn_targets(1500):
        url = UrlResolver(base).resolve(target)
        if url not in REFUSALS:
            Request(url)
            canonicalize_url(url)
            assert "#" not in url
            assert UrlResolver(url).resolve(url) in (url, NOT_PAGE)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("", BASE),
        ("#part", BASE),
        ("?page=2", BASE + "?page=2"),
        ("c//d", "http://h.example/a/c/d"),
        ("//other.example/x", "http://other.example/x"),
        ("http://other.example", "http://other.example/"),
        (" \n c\t.html ", "http://h.example/a/c.html"),
        ("..\\c?x=\\y", "http://h.example/c?x=%5Cy"),
        ("a b/\u00e9?q=\u00e9 x", "http://h.example/a/a%20b/%C3%A9?q=%C3%A9%20x"),
        ("http://b\u00fccher.example/", "http://xn--bcher-kva.example/"),
        ("http://\uff45xample.com/", "http://example.com/"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("javascript:void(0)", NOT_HTTP),
        ("JaVa\nScript:x", NOT_HTTP),
        ("mailto:a@b.example", NOT_HTTP),
        ("data:text/html,x", NOT_HTTP),
        ("file:///etc/passwd", NOT_HTTP),
        ("tel:1", NOT_HTTP),
        ("x.PDF", PDF),
        ("x.tar.gz?page=1", NOT_PAGE),
        ("http://[::1", INVALID),
        ("http://[foo]/", INVALID),
        ("//[", INVALID),
        ("http://a]b/", INVALID),
        ("http://\u2100.example/", INVALID),
        ("http://x:port/", INVALID),
        ("http://x:99999/", INVALID),
        ("http://x:0/", INVALID),
        ("http://a..b/", INVALID),
        ("http://%31%32%37.0.0.1/", INVALID),
        ("http://127.0.0.1%00.example.org/", INVALID),
        ("http://me:secret@h.org/", INVALID),
        ("//me@h.org/x", INVALID),
        (f"http://{'a' * 64}.example/", INVALID),
        ("http://" + "\u00e9" * 500 + ".example/", INVALID),
        ("x" * 3000, TOO_LONG),
        ("\u00e9" * 1000, TOO_LONG),
    ],
)
def test_a_target_resolves_as_in_a_browser_or_is_refused_with_its_reason(target, expected):
    assert UrlResolver(BASE).resolve(target) == expected


def test_queries_are_in_the_encoding_of_the_page_and_paths_in_utf_8():
    page = page_of('<a href="\u00e9?q=\u00e9">x</a><a href="?q=\u4e2d">y</a>'.encode("cp1252", "xmlcharrefreplace"))
    assert paths_of(page) == ["/folder/%C3%A9?q=%E9", "/folder/page.html?q=%E4%B8%AD"]


@pytest.mark.parametrize(
    "base",
    ["javascript:alert(1)", "http://x:port/", "http://x:99999/", "file:///etc/", "http://[::1", "data:,", "mailto:a@b", "//"],
)  # fmt: skip
def test_a_base_that_is_no_http_url_is_ignored(base):
    assert paths_of(page_of(f'<base href="{base}"><a href="x.html">x</a>')) == ["/folder/x.html"]


def test_the_first_base_counts_even_if_it_is_relative():
    page = page_of('<base target="_top"><base href="/other/"><base href="/third/"><a href="x.html">x</a>')
    assert paths_of(page) == ["/other/x.html"]


def test_links_into_the_page_itself_are_none():
    page = page_of('<a href="#x">a</a><a href="page.html#y">b</a><a href="">c</a><a href="page.html?z">d</a>')
    assert paths_of(page) == ["/folder/page.html?z"]
    assert not page.cuts


def test_targets_that_differ_in_their_fragment_only_are_one_link():
    page = page_of('<a href="x#1">a</a><a href="./x#2">b</a><a href="http://site.example/folder/x">c</a>')
    assert urls_of(page) == ["http://site.example/folder/x"]
    assert page.links[0].anchors == [0, 1, 2]


@pytest.mark.parametrize("name", ["a.jpeg", "a.MP3", "a.docx", "a.zip", "a.css", "a.tar.gz", "a.iso"])
def test_files_that_are_no_pages_are_told_by_their_extension(name):
    assert not is_page_url(f"http://x.example/{name}")
    assert is_page_url(f"http://x.example/get?file={name}")
    assert is_page_url(f"http://x.example/{name}/")


@pytest.mark.parametrize("name", ["", "a", "a.html", "a.php", "a.asp", "a.v2", "a.", ".html", "a.pdf.html"])
def test_everything_else_may_be_a_page(name):
    assert is_page_url(f"http://x.example/{name}")


def test_what_is_remembered_of_one_page_is_right_for_the_next():
    reader = PageReader(Analyzer("en", TermTable()))
    html = b"<a href=a.html>1</a><a href='?q=1'>2</a><a href='../b'>3</a><a href='#x'>4</a><a href='c.pdf'>5</a><a href=/d#y>6</a>"
    seen = {}
    for _ in range(2):
        for url in (
            "http://h.example/x/one.html",
            "http://h.example/x/two.html",
            "http://h.example/y/",
            "https://h.example/x/",
        ):
            page = reader.read(html, url)
            alone = PageReader(Analyzer("en", TermTable())).read(html, url)
            assert list(page.link_numbers) == list(alone.link_numbers) == seen.setdefault(url, list(page.link_numbers))
            assert page.cuts == alone.cuts == {"links_pdf": 1}
    assert seen["http://h.example/x/two.html"] == [
        "http://h.example/x/a.html",
        "http://h.example/x/two.html?q=1",
        "http://h.example/b",
        "http://h.example/d",
    ]


def test_the_memory_of_urls_is_bounded():
    memo = UrlMemo(max_targets=10)
    for number in range(100):
        found = memo.of_folder(f"http://h.example/{number}/", 3)
        found |= {str(number): "", "b": "", "c": ""}
        assert sum(map(len, memo._folders.values())) <= 10


def test_where_pdf_files_are_read_links_to_them_are_links_to_pages():
    targets = ["c.pdf", "/x/C.PDF?y=1", "http://h.example/a%20b.pdf#page=3", "d.zip"]
    resolver = UrlResolver("http://h.example/x/", not_a_page=NOT_A_PAGE_NOR_PDF)
    found = [resolver.resolve(target) for target in targets]
    assert found == ["http://h.example/x/c.pdf", "http://h.example/x/C.PDF?y=1", "http://h.example/a%20b.pdf", NOT_PAGE]
    assert [UrlResolver("http://h.example/x/").resolve(target) for target in targets] == [PDF, PDF, PDF, NOT_PAGE]
