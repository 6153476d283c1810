"""Compression: what was packed fast is read by zlib, with and without the fast library."""

from __future__ import annotations

import gzip
import zlib

import pytest

from focused.utils import compression

TEXT = b"A pulsar is a star. " * 500


@pytest.fixture(params=["fast library", "zlib"])
def engine(request, monkeypatch):
    if request.param == "zlib":
        monkeypatch.setattr(compression, "engine", zlib)
        monkeypatch.setattr(compression, "_LEVEL", 1)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("data", [b"", b"a", TEXT], ids=["empty", "one byte", "text"])
def test_zlib_reads_what_was_compressed(data):
    packed = compression.compressed(data)
    assert zlib.decompress(packed) == data
    assert len(packed) < max(len(data) / 20, 60)


@pytest.mark.usefixtures("engine")
def test_gzip_members_follow_each_other_in_one_file():
    assert gzip.decompress(compression.gzip_member(TEXT, b"end") + compression.gzip_member(b"second")) == (
        TEXT + b"end" + b"second"
    )
