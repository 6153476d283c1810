"""Records that we write ourselves say to warcio what was put in, digests included."""

from __future__ import annotations

import io

from warcio.archiveiterator import ArchiveIterator

from focused.utils.compression import gzip_member
from focused.utils.warc_records import info_record, response_record

BODY = b"<p>\r\n\r\nWARC/1.1\r\n\xe9\x00"
HEAD = b"HTTP/1.1 200 OK\r\nX-Odd: caf\xe9\r\nContent-Length: 18\r\n"


def test_warcio_reads_fields_head_and_body_and_finds_the_digest_right():
    about = {"WARC-Truncated": "length"}
    pieces = [
        info_record("pages.warc.gz", {"software": "x/1"}),
        response_record("http://a.example/?q=1", HEAD, BODY, about),
    ]
    data = b"".join(gzip_member(*each) for each in pieces)
    records = ArchiveIterator(io.BytesIO(data), check_digests="raise")
    info = next(records)
    assert (info.rec_type, info.raw_stream.read()) == ("warcinfo", b"software: x/1\r\n")
    answer = next(records)
    assert answer.content_stream().read() == BODY
    assert answer.digest_checker.passed
    assert answer.http_headers.get_statuscode() == "200"
    assert answer.http_headers.get_header("X-Odd").encode("latin-1") == b"caf\xe9"
    fields = answer.rec_headers
    assert fields.get_header("WARC-Target-URI") == "http://a.example/?q=1"
    assert fields.get_header("WARC-Truncated") == "length"
    assert fields.get_header("WARC-Date").endswith("Z")
    assert fields.get_header("WARC-Record-ID") != info.rec_headers.get_header("WARC-Record-ID")
    assert not list(records)
