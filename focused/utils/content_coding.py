"""Decompresses HTTP bodies in bounded memory, damaged ones as far as they can be read."""

from __future__ import annotations

import zlib
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FEED_BYTES = 4096  # fed to zlib at once: a call that meets damage loses its output
PIECE_BYTES = 64 * 1024


def _optional(*names: str) -> Any:
    """Import the first of several modules that is installed (Scrapy brings one for each coding)."""
    for name in names:
        try:
            return import_module(name)
        except ImportError:
            continue
    return None


_brotli = _optional("brotli", "brotlicffi")
_zstd = _optional("compression.zstd", "backports.zstd")


def _zlib_pieces(raw: bytes, wbits: int) -> Iterator[bytes]:
    inflate = zlib.decompressobj(wbits)
    for at in range(0, len(raw), FEED_BYTES):
        rest = raw[at : at + FEED_BYTES]
        while rest and not inflate.eof:
            yield inflate.decompress(rest, PIECE_BYTES)
            rest = inflate.unconsumed_tail
        if inflate.eof:
            return


def _brotli_pieces(raw: bytes) -> Iterator[bytes]:
    decompressor = _brotli.Decompressor()
    yield decompressor.process(raw, output_buffer_limit=PIECE_BYTES)
    while not decompressor.is_finished() and (piece := decompressor.process(b"", output_buffer_limit=PIECE_BYTES)):
        yield piece


def _zstd_pieces(raw: bytes) -> Iterator[bytes]:
    decompressor = _zstd.ZstdDecompressor()
    yield decompressor.decompress(raw, PIECE_BYTES)
    while not decompressor.eof and (piece := decompressor.decompress(b"", PIECE_BYTES)):
        yield piece


def _join(pieces: Iterator[bytes], max_bytes: int, error: type[Exception]) -> bytes | None:
    """Join the pieces before an error or the limit; None if the first piece is an error."""
    joined = bytearray()
    try:
        for piece in pieces:
            joined += piece
            if len(joined) >= max_bytes:
                break
    except error:
        if not joined:
            return None
    return bytes(joined[:max_bytes])


def _gzip(raw: bytes, max_bytes: int) -> bytes | None:
    return _join(_zlib_pieces(raw, 31), max_bytes, zlib.error)


def _deflate(raw: bytes, max_bytes: int) -> bytes | None:
    # The standard says zlib; some servers send the bare stream, which has no header to be recognised by.
    body = _join(_zlib_pieces(raw, 15), max_bytes, zlib.error)
    return _join(_zlib_pieces(raw, -15), max_bytes, zlib.error) if body is None else body


# Each returns at most ``max_bytes``, or None if the body has another coding.
DECODERS: dict[str, Callable[[bytes, int], bytes | None]] = {"gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate}
if _brotli is not None:
    DECODERS["br"] = lambda raw, max_bytes: _join(_brotli_pieces(raw), max_bytes, _brotli.error)
if _zstd is not None:
    DECODERS["zstd"] = lambda raw, max_bytes: _join(_zstd_pieces(raw), max_bytes, _zstd.ZstdError)
