"""Read the bytes of a WARC file, plain or gzipped, from any position on, in bounded memory."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

GZIP_MAGIC = b"\x1f\x8b\x08"
READ_BYTES = 16 * 1024  # small: for each gzip member, the rest of the last block is copied once
INFLATE_BYTES = 64 * 1024


class DamagedError(Exception):
    """The data here are no WARC record; later ones may be."""


class BytePosition(NamedTuple):
    """Where a record begins: read from ``offset`` in the file and skip ``skip`` decompressed bytes."""

    offset: int
    skip: int


class ByteSource:
    """Reads an uncompressed file. The subclass for gzip overrides how bytes are read.

    A *member* is what gzip calls one compressed piece; a plain file is a single member.
    """

    def __init__(self, file: BinaryIO, place: BytePosition) -> None:
        self._file = file
        self._buffer = b""
        self._at = 0  # of the next byte in the buffer
        self._member_start = place.offset
        self._passed = 0  # bytes of the member before the buffer
        self._open_member(place.offset)
        self.skip(place.skip)

    def _open_member(self, offset: int) -> None:
        self._file.seek(offset)

    def _more_of_member(self) -> bytes:
        return self._file.read(INFLATE_BYTES)

    def next_member(self) -> bool:
        """Advance to the next member, if the current one is used up and there is another."""
        return False

    @property
    def place(self) -> BytePosition:
        """The position of the next byte."""
        return BytePosition(self._member_start + self._passed + self._at, 0)

    def peek(self, n_bytes: int) -> bytes:
        """Return the next bytes without consuming them; fewer at the end of the member."""
        while len(self._buffer) - self._at < n_bytes:
            piece = self._more_of_member()
            if not piece:
                break
            self._passed += self._at
            self._buffer = self._buffer[self._at :] + piece
            self._at = 0
        return self._buffer[self._at : self._at + n_bytes]

    def _fill(self) -> None:
        """Get at least one byte into the buffer, if need be from the next member."""
        while not self.peek(1):
            # A record may continue in the next member (bgzip). If the next member begins a record, this one was cut.
            if not self.next_member() or self.peek(5) == b"WARC/":
                raise DamagedError("a record ends early")

    def pieces(self, n_bytes: int) -> Iterator[bytes]:
        """Read exactly ``n_bytes``, piece by piece; `DamagedError` if there are fewer."""
        while n_bytes:
            self._fill()
            piece = self._buffer[self._at : self._at + n_bytes]
            self._at += len(piece)
            n_bytes -= len(piece)
            yield piece

    def read(self, n_bytes: int) -> bytes:
        """Read exactly ``n_bytes``; `DamagedError` if there are fewer."""
        return b"".join(self.pieces(n_bytes))

    def readline(self, max_bytes: int) -> bytes:
        """Read a line with its end, or its first ``max_bytes``; `DamagedError` if the data end before."""
        pieces = []
        while max_bytes > 0:
            self._fill()
            end = self._buffer.find(b"\n", self._at, self._at + max_bytes) + 1
            piece = self._buffer[self._at : end or self._at + max_bytes]
            self._at += len(piece)
            max_bytes -= len(piece)
            pieces.append(piece)
            if end:
                break
        return b"".join(pieces)

    def skip(self, n_bytes: int) -> None:
        """Skip exactly ``n_bytes``; `DamagedError` if there are fewer."""
        in_buffer = min(n_bytes, len(self._buffer) - self._at)
        self._at += in_buffer
        if n_bytes > in_buffer:
            self._skip_unread(n_bytes - in_buffer)

    def _skip_unread(self, n_bytes: int) -> None:
        # Skip all but the last byte and read that: seeking past the end would not fail.
        self._passed += self._at + n_bytes - 1
        self._file.seek(self._member_start + self._passed)
        self._buffer, self._at = b"", 0
        self._fill()
        self._at = 1


class GzipSource(ByteSource):
    """Reads a file of gzip members, such as a WARC with one member a record."""

    def _open_member(self, offset: int) -> None:
        self._file.seek(offset)
        self._raw = b""  # read from the file, not yet decompressed
        self._raw_end = offset
        self._inflate = zlib.decompressobj(31)

    def _read_raw(self) -> bool:
        if not self._raw:
            self._raw = self._file.read(READ_BYTES)
            self._raw_end += len(self._raw)
        return bool(self._raw)

    def _more_of_member(self) -> bytes:
        inflate = self._inflate
        try:
            while not inflate.eof:
                any_input = self._read_raw()
                data = inflate.decompress(self._raw, INFLATE_BYTES)
                self._raw = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
                if data:
                    return data
                if not any_input and not inflate.eof:
                    raise DamagedError("the file ends within a record")
        except zlib.error as error:
            raise DamagedError(str(error)) from error
        return b""

    def next_member(self) -> bool:
        """Advance to the next member, if the current one is used up and there is another."""
        if self.peek(1) or not self._read_raw():
            return False
        self._member_start = self._raw_end - len(self._raw)
        self._passed = self._at = 0
        self._buffer = b""
        self._inflate = zlib.decompressobj(31)
        return True

    @property
    def place(self) -> BytePosition:
        """The place of the next byte: its member, and its place in there."""
        return BytePosition(self._member_start, self._passed + self._at)

    def _skip_unread(self, n_bytes: int) -> None:
        self._at = len(self._buffer)
        for _ in self.pieces(n_bytes):
            pass


def source_at(file: BinaryIO, place: BytePosition) -> ByteSource:
    """Read from a position on; decompress if a gzip member begins there."""
    file.seek(place.offset)
    is_gzip = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    return GzipSource(file, place) if is_gzip else ByteSource(file, place)
