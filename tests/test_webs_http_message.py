from __future__ import annotations

import gzip
import zlib

import brotli
import pytest

from focused.utils.content_coding import DECODERS
from focused.webs.recorded.http_message import Head, dechunk, decode_body, parse_head

TEXT = "".join(f"<p>paragraph {number} of a page with words</p>" for number in range(500)).encode()
LIMIT = 1 << 20


def head(*headers: tuple[str, str]) -> Head:
    return Head(200, headers)


def test_head_is_parsed():
    parsed = parse_head(b"HTTP/1.1 301 Moved\r\nLocation: /a:b\r\nSet-Cookie: a=1\r\nset-cookie: b\r\n\r\n")
    assert parsed == Head(301, (("Location", "/a:b"), ("Set-Cookie", "a=1"), ("set-cookie", "b")))
    assert parsed.values("set-cookie") == ["a=1", "b"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"HTTP/1.0 200 OK\nA: b\n\n", Head(200, (("A", "b"),))),  # bare line feeds
        (b"HTTP/1.1 404\r\n\r\n", Head(404, ())),  # no reason
        (b"HTTP/2 200\r\n:status: 200\r\na: b\r\n\r\n", Head(200, (("a", "b"),))),  # pseudo headers
        (b"ICY 200 OK\r\nrubbish\r\nA: b\r\n\r\n", Head(200, (("A", "b"),))),  # a line that is no header
        (b"HTTP/1.1 200 OK\r\nA: b\r\n  c\r\n\r\n", Head(200, (("A", "b c"),))),  # continued
        (b"HTTP/1.1 200 OK\r\nLocation: /caf\xe9\r\n", Head(200, (("Location", "/caf\xe9"),))),  # no end
        (b"<html>no head at all", None),
        (b"HTTP/1.1 OK\r\n\r\n", None),
        (b"", None),
    ],
)
def test_head_is_parsed_leniently(data, expected):
    assert parse_head(data) == expected


ENCODED = {
    "gzip": gzip.compress(TEXT),
    "x-gzip": gzip.compress(TEXT),
    "GZip ": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    "br": brotli.compress(TEXT),
    "gzip, br": brotli.compress(gzip.compress(TEXT)),
    "identity": TEXT,
    "utf-8": TEXT,  # a mistake of the server
}


@pytest.mark.parametrize("coding", ENCODED)
def test_compression_is_undone(coding):
    assert decode_body(ENCODED[coding], head(("Content-Encoding", coding)), LIMIT) == (TEXT, [])


def test_deflate_without_its_header_is_undone():
    assert decode_body(zlib.compress(TEXT)[2:-4], head(("Content-Encoding", "deflate")), LIMIT) == (TEXT, [])


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_was_decoded_before_it_was_recorded_stays(coding):
    assert decode_body(TEXT, head(("Content-Encoding", coding)), LIMIT) == (TEXT, [])


def test_zstd_is_undone():
    zstd = pytest.importorskip("backports.zstd", reason="Python 3.14 has it built in")
    assert decode_body(zstd.compress(TEXT), head(("Content-Encoding", "zstd")), LIMIT) == (TEXT, [])


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_of_a_truncated_body_the_beginning_stays(coding):
    data = ENCODED[coding]
    body, _ = decode_body(data[: len(data) * 2 // 3], head(("Content-Encoding", coding)), LIMIT)
    assert len(body) > len(TEXT) // 3
    assert TEXT.startswith(body)


@pytest.mark.parametrize("coding", sorted(DECODERS))
def test_decompression_stops_at_the_limit(coding):
    bomb = {"br": brotli.compress, "deflate": zlib.compress}.get(coding, gzip.compress)
    if coding == "zstd":
        bomb = pytest.importorskip("backports.zstd", reason="Python 3.14 has it built in").compress
    body, _ = decode_body(bomb(bytes(5_000_000)), head(("Content-Encoding", coding)), 1000)
    assert body == bytes(1000)


def test_what_cannot_be_undone_is_said():
    assert decode_body(b"\x1f\x9d", head(("Content-Encoding", "compress, gzip")), LIMIT) == (b"\x1f\x9d", ["compress"])


def test_chunks_are_joined_before_decompression():
    data = ENCODED["gzip"]
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (data[:100], data[100:])) + b"0\r\n\r\n"
    headers = head(("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip"))
    assert decode_body(chunked, headers, LIMIT) == (TEXT, [])


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"5\nhello\n0\n\n", b"hello"),  # bare line feeds
        (b"5;name=value\r\nhello\r\n0\r\nTrailer: x\r\n\r\n", b"hello"),
        (b"5\r\nhello\r\n5\r\nwor", b"hellowor"),  # cut
        (b"5\r\nhello\r\nrubbish", b"hello"),
        (b"0\r\n\r\n", b""),
        (b"<html>not chunked", b"<html>not chunked"),
        (b"10\r\nbottles of beer on the wall, ten bottles", b"10\r\nbottles of beer on the wall, ten bottles"),
        (b"", b""),
    ],
)
def test_chunks_are_joined_leniently(raw, expected):
    assert dechunk(raw) == expected
