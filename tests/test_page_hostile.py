"""Pages written to hurt: none raises, none loses links unseen, none takes long."""

from __future__ import annotations

import random

import pytest

from focused.method.page.encoding import is_binary
from focused.method.page.limits import PageLimits
from focused.method.page.page import Page
from focused.method.page.reader import PageReader
from focused.method.page.text_units import page_units
from focused.method.text.analyzer import Analyzer

LINK = b'<a href="next">star</a>'


@pytest.fixture(scope="module")
def reader() -> PageReader:
    return PageReader(Analyzer("en"))


def read(reader: PageReader, body: bytes, content_type: str | None = "text/html") -> Page:
    page = reader.read(body, "http://host.example/", content_type)
    page_units(page)
    assert isinstance(page.text, str)
    assert page.marks["title"]
    return page


@pytest.mark.parametrize(
    "body", [b"", b" \n ", b"<!-- nothing -->", b"<", b"\0\0", b"<html>", b"</p>", b"&#0;&bogus;", b"<!DOCTYPE"]
)
def test_pages_with_nothing_on_them_are_pages(reader: PageReader, body: bytes) -> None:
    assert read(reader, body).links == []


@pytest.mark.parametrize("depth", [300, 10_000, 50_000])
def test_depth_loses_no_link(reader: PageReader, depth: int) -> None:
    page = read(reader, b"<div>" * depth + LINK + b"</div>" * depth + b'<a href="after">moon</a>')
    assert len(page.links) == 2


@pytest.mark.parametrize("tag", [b"<b>", b"<font>", b"<table>", b"<b><div>"])
def test_unclosed_tags_lose_no_link(reader: PageReader, tag: bytes) -> None:
    assert len(read(reader, tag * 3000 + LINK).links) == 1


@pytest.mark.parametrize("value", [b"", b"=1", b'=">"', b"='<b>'"])
def test_eighty_thousand_attributes_lose_no_link(reader: PageReader, value: bytes) -> None:
    attributes = b" ".join(b"a%d%s" % (number, value) for number in range(80_000))
    assert len(read(reader, b"<div " + attributes + b">" + LINK + b"</div>").links) == 1


def test_links_beyond_the_limit_are_counted(reader: PageReader) -> None:
    body = b"".join(b"<a href=%d>star</a>" % number for number in range(50_000))
    page = read(reader, body)
    assert len(page.links) == PageLimits().max_links
    assert page.cuts["links_over_limit"] == 50_000 - PageLimits().max_links


def test_bytes_beyond_the_limit_are_counted(reader: PageReader) -> None:
    page = read(reader, LINK + b"x" * 5_000_000)
    assert page.cuts["bytes"] == len(LINK) + 5_000_000 - PageLimits().max_bytes
    assert len(page.links) == 1


def test_elements_beyond_the_limit_are_counted() -> None:
    small = PageReader(Analyzer("en"), limits=PageLimits(max_elements=10))
    page = read(small, b"<p>x</p>" * 20 + LINK)
    assert page.cuts["elements"] == 1
    assert page.links == []


def test_contexts_within_contexts_are_bounded_and_counted() -> None:
    small = PageReader(Analyzer("en"))
    body = b"".join(b"<div>moon star <a href=%d>x</a>" % number for number in range(500))
    page = small.read(body, "http://host.example/")
    page_units(page, max_terms=1000)
    assert page.cuts["contexts"] > 0


@pytest.mark.parametrize(
    "charset",
    ["hex", "rot13", "base64", "zlib", "idna", "undefined", "punycode", "utf-16", "x" * 5000, "utf-7", "", "%00"],
)
@pytest.mark.parametrize("where", ["meta", "header"])
def test_charsets_that_are_none_lose_no_link(reader: PageReader, charset: str, where: str) -> None:
    meta = f'<meta charset="{charset}">' if where == "meta" else ""
    header = f"text/html; charset={charset}" if where == "header" else "text/html"
    page = read(reader, f"{meta}<p>na\u00efve</p>".encode() + LINK, header)
    assert len(page.links) == 1
    assert "naïve" in page.text or charset == "utf-7"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-8-sig", "utf-16", "windows-1251", "gb18030", "shift_jis"])
def test_declared_encodings_are_read(reader: PageReader, encoding: str) -> None:
    word = {"windows-1251": "звезда", "gb18030": "天文", "shift_jis": "天文"}.get(encoding, "naïve")
    declared = None if encoding in ("utf-16", "utf-8-sig") else f"text/html; charset={encoding}"
    page = read(reader, f"<p>{word}</p><a href=x>y</a>".encode(encoding), declared)
    assert word in page.text
    assert len(page.links) == 1


def test_undeclared_text_is_utf_8_or_windows_1252(reader: PageReader) -> None:
    assert read(reader, "<p>naïve</p>".encode()).encoding == "utf-8"
    page = read(reader, "<p>“naïve”</p>".encode("cp1252"))
    assert page.encoding == "cp1252"
    assert "“naïve”" in page.text


def test_nul_bytes_neither_hide_nor_break_anything(reader: PageReader) -> None:
    page = read(reader, b"<p>be\0fore</p><a href='x\0y'>star</a>\0<p>after</p>")
    assert len(page.links) == 1
    assert "after" in page.text


def test_xhtml_with_its_declaration_is_read(reader: PageReader) -> None:
    body = (
        b'<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><body>'
        + LINK
        + b"</body></html>"
    )
    assert len(read(reader, body).links) == 1


def test_binary_is_told_from_text() -> None:
    draw = random.Random(0)
    assert is_binary(draw.randbytes(5000))
    assert is_binary(b"%PDF-1.4 ...")
    assert not is_binary("<p>text</p>".encode("utf-16"))
    assert not is_binary(b"<p>one \0 too many</p>" + b" " * 100)


def test_random_bytes_are_read_without_an_exception(reader: PageReader) -> None:
    draw = random.Random(1)
    for _ in range(50):
        read(reader, draw.randbytes(2000))


def test_a_page_is_not_for_other_processes(reader: PageReader) -> None:
    import pickle

    with pytest.raises(TypeError, match="body"):
        pickle.dumps(read(reader, LINK))


def test_limits_must_be_positive_whole_numbers() -> None:
    with pytest.raises(ValueError, match="FOCUSED_PAGE_MAX_LINKS must be a whole number"):
        PageLimits(max_links=0)


@pytest.mark.parametrize("rest", ["", "<body></body>", "<p></p>", "<body><div><br></div>"])
def test_an_empty_page_that_refreshes_has_its_link(reader: PageReader, rest: str) -> None:
    page = read(reader, f'<meta http-equiv="refresh" content="0; url=/next">{rest}'.encode())
    assert [link.url for link in page.links] == ["http://host.example/next"]
