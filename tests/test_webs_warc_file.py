from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib
from io import BytesIO

import pytest
from warcs import Warc

from focused.webs.recorded import warc_file
from focused.webs.recorded.answer import WebError
from focused.webs.recorded.byte_source import source_at
from focused.webs.recorded.warc_file import WarcScanner
from focused.webs.recorded.warc_record import read_record

BOTH = pytest.mark.parametrize("is_gzip", [True, False], ids=["gzip", "plain"])
N_PAGES = 6


def make(tmp_path, *, is_gzip: bool = True, version: str = "1.1") -> Warc:
    warc = Warc(tmp_path / "w.warc", gzip=is_gzip, version=version)
    for number in range(N_PAGES):
        words = random.Random(number).choices("abcdefghij \n", k=2000)
        warc.page(f"http://h.org/{number}", f"<p>{number} {''.join(words)}".encode())
    return warc


def scan(data: bytes) -> tuple[list[str], int]:
    """The last letters of the URLs of all records, and the number of damaged places."""
    scanner = WarcScanner(BytesIO(data), "w.warc")
    urls = "".join(record.url[-1:] for record in scanner)
    return urls, scanner.n_damaged


@BOTH
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_every_record_is_found_and_can_be_read_at_its_place(tmp_path, is_gzip, version):
    data = make(tmp_path, is_gzip=is_gzip, version=version).bytes()
    file = BytesIO(data)
    records = list(WarcScanner(file, "w.warc"))
    assert [record.url for record in records] == [f"http://h.org/{number}" for number in range(N_PAGES)]
    for number, record in enumerate(records):
        source = source_at(file, record.place)
        assert read_record(source) == record
        assert source.read(record.length - len(record.head)).startswith(b"<p>%d " % number)


@BOTH
def test_a_file_cut_anywhere_keeps_all_records_before_the_cut(tmp_path, is_gzip):
    warc = make(tmp_path, is_gzip=is_gzip)
    data, ends = warc.bytes(), warc.ends
    for size in [*random.Random(0).sample(range(ends[0], len(data)), 60), *ends, ends[2] - 1, ends[2] + 1]:
        urls, n_damaged = scan(data[:size])
        n_whole = sum(end <= size for end in ends)
        if is_gzip or size in ends:
            assert (urls, n_damaged) == ("012345"[:n_whole], size not in ends)
        else:  # a plain record is whole without the blank lines that follow it
            assert urls in ("012345"[:n_whole], "012345"[: n_whole + 1])


@BOTH
def test_damage_costs_only_the_damaged_record(tmp_path, is_gzip):
    warc = make(tmp_path, is_gzip=is_gzip)
    data = bytearray(warc.bytes())
    start = warc.ends[1]
    data[start : start + 60] = bytes(60)
    assert scan(bytes(data)) == ("01345", 1)


def test_a_flipped_byte_in_a_gzipped_record_is_noticed(tmp_path):
    warc = make(tmp_path)
    data = warc.bytes()
    for position in random.Random(2).sample(range(warc.ends[1] + 20, warc.ends[2]), 40):
        damaged = bytearray(data)
        damaged[position] ^= 0x55
        assert scan(bytes(damaged)) == ("01345", 1)


@BOTH
def test_a_damaged_beginning_is_passed_over(tmp_path, is_gzip):
    data = make(tmp_path, is_gzip=is_gzip).bytes()
    assert scan(b"\0" * 50 + data[50:]) == ("12345", 1)


@BOTH
@pytest.mark.parametrize("claimed", ["999999", "100"])
def test_a_record_of_another_length_than_it_says_does_not_swallow_others(tmp_path, is_gzip, claimed):
    warc = Warc(tmp_path / "w.warc", gzip=is_gzip)
    good = [
        Warc(tmp_path / "x", gzip=is_gzip).page(f"http://h.org/{number}", b"<p>" * 200).bytes() for number in range(3)
    ]
    plain = Warc(tmp_path / "x", gzip=False).page("http://h.org/x", b"<p>" * 200).bytes()
    begin, _, rest = plain.partition(b"Content-Length: ")
    wrong = begin + b"Content-Length: " + claimed.encode() + rest[rest.index(b"\r\n") :]
    warc.raw(good[0]).raw(gzip.compress(wrong) if is_gzip else wrong).raw(good[1]).raw(good[2])
    assert scan(warc.bytes()) == ("012", 1)


@BOTH
@pytest.mark.parametrize(
    "record",
    [
        b"WARC/1.0\r\n\r\n",  # no length
        b"WARC/1.0\r\nContent-Length: -5\r\n\r\n\r\n\r\n",
        b"WARC/1.0\r\nContent-Length: 1e3\r\n\r\n\r\n\r\n",
        b"WARC/1.0\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n\r\n\r\n",
        b"WARC/1.0\r\nX: " + b"x" * 100_000 + b"\r\nContent-Length: 0\r\n\r\n\r\n\r\n",  # a line too long
        b"WARC/1.0\r\n" + b"X: y\r\n" * 60_000 + b"Content-Length: 0\r\n\r\n\r\n\r\n",  # too many lines
        b"rubbish\r\n\r\n",
    ],
)
def test_a_record_that_cannot_be_parsed_is_passed_over(tmp_path, is_gzip, record):
    good = [Warc(tmp_path / "x", gzip=is_gzip).page(f"http://h.org/{number}", b"<p>").bytes() for number in range(2)]
    bad = gzip.compress(record) if is_gzip else record
    assert scan(good[0] + bad + good[1]) == ("01", 1)


def test_a_page_that_quotes_a_record_is_not_taken_for_one(tmp_path):
    inner = Warc(tmp_path / "x", gzip=False).page("http://h.org/x", b"inner").bytes()
    data = Warc(tmp_path / "w", gzip=False).page("http://h.org/0", b"<pre>\n" + inner).page("http://h.org/1").bytes()
    assert scan(data) == ("01", 0)


@BOTH
def test_blank_lines_padding_and_bare_line_feeds_are_harmless(tmp_path, is_gzip):
    data = b"\n\n".join(
        b"WARC/1.0\nWARC-Type: response\nWARC-Target-URI: <http://h.org/%d>\nContent-Type: application/http\n"
        b"Content-Length: 21\n\nHTTP/1.0 200 OK\n\nbody" % number
        for number in range(3)
    )
    parts = [b"\r\n\r\n" + data, b"\n\n\n"]
    data = b"".join(gzip.compress(part) for part in parts) if is_gzip else b"".join(parts)
    assert scan(data) == ("012", 0)


def test_members_of_several_records_and_records_over_several_members_are_read(tmp_path):
    plain = make(tmp_path, is_gzip=False).bytes()
    for size in (700, 5000, 1 << 20):
        data = b"".join(gzip.compress(plain[at : at + size]) for at in range(0, len(plain), size))
        file = BytesIO(data)
        records = list(WarcScanner(file, "w.warc"))
        assert [record.url[-1] for record in records] == list("012345")
        for record in records:
            assert read_record(source_at(file, record.place)) == record


def test_a_file_compressed_in_one_piece_is_refused_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(warc_file, "MAX_SKIP_BYTES", 5000)
    data = gzip.compress(make(tmp_path, is_gzip=False).bytes())
    with pytest.raises(WebError, match=r"^w.warc is compressed in one piece.*warcio recompress w.warc NEW.warc.gz$"):
        scan(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>a page</html>",
        b"filedesc://x.arc 0.0.0.0 20000101000000 text/plain 76\n",
        gzip.compress(b"text, not WARC", mtime=0),  # the time would be in the name of the test
        b"\x1f\x8b\x08 not even gzip",
        b"PK\x03\x04" + bytes(3_000_000),
        b"WARC",
        b"\x28\xb5\x2f\xfd zstd",
    ],
)
def test_what_is_no_warc_is_refused_in_one_line(data):
    with pytest.raises(WebError, match=r"^w.warc is not a WARC file .*Give a WARC 1.0 or 1.1.*\.$"):
        scan(data)


@BOTH
def test_no_mutation_of_a_file_raises_anything_else(tmp_path, is_gzip):
    data = make(tmp_path, is_gzip=is_gzip).bytes()
    rng = random.Random(3)
    for _ in range(150):
        mutated = bytearray(data)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(mutated))
            kind = rng.randrange(3)
            if kind == 0:
                mutated[at] = rng.randrange(256)
            elif kind == 1:
                del mutated[at : at + rng.randrange(1, 500)]
            else:
                mutated[at:at] = rng.randbytes(rng.randrange(1, 500))
        try:
            urls, n_damaged = scan(bytes(mutated))
        except WebError:
            continue
        assert n_damaged or not is_gzip or urls == "012345"


def test_a_decompression_bomb_does_not_fill_the_memory(tmp_path):
    bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h.org/x\r\nContent-Type: application/http\r\n"
    packed = bomb.compress(head + b"Content-Length: 100000019\r\n\r\nHTTP/1.0 200 OK\r\n\r\n")
    packed += b"".join(bomb.compress(bytes(1_000_000)) for _ in range(100)) + bomb.flush()
    tracemalloc.start()
    try:
        assert scan(packed) == ("x", 0)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()
