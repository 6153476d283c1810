"""Read one record of a WARC file up to the beginning of its body."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.webs.recorded.byte_source import DamagedError

if TYPE_CHECKING:
    from focused.webs.recorded.byte_source import BytePosition, ByteSource

MAX_LINE_BYTES = 64 * 1024
MAX_HEAD_BYTES = 256 * 1024
MAX_VERSION_BYTES = 32
VERSION = re.compile(rb"WARC/\d\.\d+[ \t]*\r?\n")
HTTP_RECORDS = frozenset({"response", "revisit"})


@dataclass(frozen=True, slots=True)
class Record:
    """A record without its body.

    ``place``: where it begins. ``headers``: WARC headers by lower-case name; the first of repeated ones. ``head``: the HTTP
    status line and headers with their blank line, for HTTP responses and revisits; else empty. ``length``: bytes of the
    block: HTTP head and body.
    """

    place: BytePosition
    headers: dict[str, str]
    head: bytes
    length: int

    @property
    def kind(self) -> str:
        """The WARC-Type: response, request, revisit, ..."""
        return self.headers.get("warc-type", "").lower()

    @property
    def url(self) -> str:
        """The WARC-Target-URI without fragment, or nothing."""
        return clean_url(self.headers.get("warc-target-uri", ""))


def clean_url(url: str) -> str:
    """Remove a URL's fragment, and the angle brackets that Wget 1.19 puts around it."""
    return url.removeprefix("<").removesuffix(">").partition("#")[0]


def read_record(source: ByteSource) -> Record:
    """Read a record up to its body; `DamagedError` if no record begins here."""
    place = source.place
    if not VERSION.fullmatch(source.readline(MAX_VERSION_BYTES)):
        raise DamagedError("not the beginning of a record")
    headers = _read_headers(source)
    length = headers.get("content-length", "")
    if not re.fullmatch(r"[0-9]{1,15}", length):
        raise DamagedError("no length")
    is_http = headers.get("warc-type", "").lower() in HTTP_RECORDS
    if is_http and headers.get("content-type", "application/http").lower().startswith("application/http"):
        head = _read_http_head(source, int(length))
    else:
        head = b""
    return Record(place, headers, head, int(length))


def _read_headers(source: ByteSource) -> dict[str, str]:
    lines: list[str] = []
    room = MAX_HEAD_BYTES
    while True:
        line = source.readline(MAX_LINE_BYTES)
        room -= len(line)
        if room < 0 or not line.endswith(b"\n"):
            raise DamagedError("WARC headers without end")
        if line in (b"\n", b"\r\n"):
            break
        if line[:1] in b" \t" and lines:  # this line continues the one before
            lines[-1] += " " + _text(line.strip())
        else:
            lines.append(_text(line))
    headers: dict[str, str] = {}
    for text in lines:
        name, _, value = text.partition(":")
        headers.setdefault(name.strip().lower(), value.strip())
    return headers


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _read_http_head(source: ByteSource, length: int) -> bytes:
    """Read up to the blank line, or to the end of the block if there is none."""
    head = bytearray()
    while len(head) < length:
        line = source.readline(min(MAX_LINE_BYTES, length - len(head)))
        head += line
        if line in (b"\n", b"\r\n"):
            break
        if len(head) > MAX_HEAD_BYTES:
            raise DamagedError("HTTP headers without end")
    return bytes(head)
