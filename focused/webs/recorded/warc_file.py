"""Read all intact records of a WARC file, even if the file is damaged.

warcio writes our WARC files but does not read them: it stops at the first damaged record, reads lines of any length into
memory, and reports problems on stderr instead of to its caller.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from focused.webs.recorded.answer import WebError
from focused.webs.recorded.byte_source import GZIP_MAGIC, BytePosition, ByteSource, DamagedError, GzipSource
from focused.webs.recorded.warc_record import Record, read_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

# A record inside a gzip member is only reached by decompressing everything before it in the member.
MAX_SKIP_BYTES = 8 * 1024 * 1024
SEARCH_BYTES = 1024 * 1024
RECORD_START = re.compile(rb"\nWARC/\d\.\d+[ \t]*\r?\n")
MAX_START_BYTES = 32  # longest text searched for; blocks overlap by it


class WarcScanner:
    """Iterates over all intact records of a WARC file, from the first to the last.

    A record is intact if it is complete and a valid end follows it. ``n_records``: intact records so far. ``n_damaged``:
    damaged places skipped so far; each may have held several records. ``file`` is seekable; ``name`` is for messages. While
    iterating, WebError is raised if the file is no WARC, or its records cannot be read singly.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self.n_records = 0
        self.n_damaged = 0

    @property
    def position(self) -> int:
        """Number of bytes read so far."""
        return self._file.tell()

    def __iter__(self) -> Iterator[Record]:
        try:
            yield from self._records()
        except OSError as error:
            raise WebError(f"{self._name} cannot be read: {error}. Check the disk, or copy the file.") from error

    def _records(self) -> Iterator[Record]:
        source: ByteSource | None = self._first()
        while source is not None:
            place = source.place
            try:
                if not _to_record(source):
                    return
                place = source.place
                if place.skip > MAX_SKIP_BYTES:
                    raise WebError(
                        f"{self._name} is compressed in one piece, so that its pages cannot be read singly. "
                        f"Compress it record by record: warcio recompress {self._name} NEW.warc.gz"
                    )
                record = read_record(source)
                source.skip(record.length - len(record.head))
                _check_end(source)
            except DamagedError:
                self.n_damaged += 1
                source = self._search(type(source), place.offset + 1)
            else:
                self.n_records += 1
                yield record

    def _first(self) -> ByteSource:
        """Find the first intact record: a later one if the beginning of the file is damaged."""
        self._file.seek(0)
        beginning = self._file.read(SEARCH_BYTES)
        if beginning.startswith(GZIP_MAGIC) and self._begins_record(0):
            return GzipSource(self._file, BytePosition(0, 0))
        if beginning.lstrip(b"\r\n").startswith(b"WARC/"):
            return ByteSource(self._file, BytePosition(0, 0))
        self.n_damaged += 1
        for kind in (GzipSource, ByteSource):
            if source := self._search(kind, 0, SEARCH_BYTES):
                return source
        raise WebError(
            f"{self._name} is not a WARC file (it begins with {beginning[:12]!r}). Give a WARC 1.0 or 1.1 "
            f"file, plain or gzipped record by record; warcio recompress OLD NEW.warc.gz makes one from ARC."
        )

    def _search(self, kind: type[ByteSource], start: int, end: int | None = None) -> ByteSource | None:
        """Find the next position from ``start`` on at which a record begins."""
        for offset in self._offsets(GZIP_MAGIC if kind is GzipSource else RECORD_START, start, end):
            if kind is ByteSource:
                return ByteSource(self._file, BytePosition(offset + 1, 0))
            if self._begins_record(offset):
                return GzipSource(self._file, BytePosition(offset, 0))
        return None

    def _offsets(self, sought: bytes | re.Pattern[bytes], start: int, end: int | None) -> Iterator[int]:
        pattern = re.compile(re.escape(sought)) if isinstance(sought, bytes) else sought
        while end is None or start < end:
            self._file.seek(start)
            block = self._file.read(SEARCH_BYTES)
            for match in pattern.finditer(block):
                # A match that begins in the overlap is found again in the next block.
                if len(block) < SEARCH_BYTES or match.start() < SEARCH_BYTES - MAX_START_BYTES:
                    yield start + match.start()
            if len(block) < SEARCH_BYTES:
                return
            start += SEARCH_BYTES - MAX_START_BYTES

    def _begins_record(self, offset: int) -> bool:
        """Tell whether a gzip member begins here, and a record in it."""
        try:
            return GzipSource(self._file, BytePosition(offset, 0)).peek(64).lstrip(b"\r\n").startswith(b"WARC/")
        except DamagedError:
            return False


def _to_record(source: ByteSource) -> bool:
    """Skip blank lines and empty members; return False at the end of the file."""
    while True:
        byte = source.peek(1)
        if byte in (b"\r", b"\n"):
            source.skip(1)
        elif byte:
            return True
        elif not source.next_member():
            return False


def _check_end(source: ByteSource) -> None:
    """Check that blank lines, the next record or the end follow a record; otherwise its length was wrong."""
    n_lines = 0
    while n_lines < 2 and (byte := source.peek(1)) in (b"\r", b"\n"):
        source.skip(1)
        n_lines += byte == b"\n"
    # This look ahead also makes gzip check the checksum, if the member ends here.
    if source.peek(1) and n_lines < 2 and source.peek(5) != b"WARC/":
        raise DamagedError("a record of another length than it says")
