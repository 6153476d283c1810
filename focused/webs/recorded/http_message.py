"""Parse a recorded HTTP response: its head, and its body without chunks and compression."""

from __future__ import annotations

import re
from dataclasses import dataclass

from focused.utils.content_coding import DECODERS

STATUS_LINE = re.compile(rb"[A-Za-z]+(?:/[\d.]+)?[ \t]+([1-9]\d\d)\b")
CHUNK_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
# Codings that are not undone here, some because no library is installed; any other unknown name is a server's mistake.
OPAQUE_CODINGS = frozenset({"compress", "x-compress", "br", "zstd", "dcb", "dcz", "aes128gcm", "exi", "pack200-gzip"})


@dataclass(frozen=True, slots=True)
class Head:
    """Status line and headers. ``status``: 100 to 999. ``headers``: as sent; the characters are the bytes (Latin-1)."""

    status: int
    headers: tuple[tuple[str, str], ...]

    def values(self, name: str) -> list[str]:
        """All values of a header, by its lower-case name."""
        return [value for key, value in self.headers if key.lower() == name]


def parse_head(data: bytes) -> Head | None:
    """Parse an HTTP status line and headers as leniently as browsers do; None if there is no status line.

    Lines without a colon are skipped, and so are the pseudo headers of HTTP/2 that some recorders write.
    """
    match = STATUS_LINE.match(data)
    if match is None:
        return None
    lines: list[str] = []
    for line in data.split(b"\n")[1:]:
        text = line.rstrip(b"\r").decode("latin-1")
        if text[:1] in (" ", "\t") and lines:
            lines[-1] += " " + text.strip()
        elif ":" in text[1:]:
            lines.append(text)
    pairs = (text.split(":", 1) for text in lines if not text.startswith(":"))
    return Head(int(match[1]), tuple((name.strip(), value.strip()) for name, value in pairs))


def decode_body(raw: bytes, head: Head, max_bytes: int) -> tuple[bytes, list[str]]:
    """Undo Transfer-Encoding and Content-Encoding.

    Recorders often store the decoded body under the headers of the encoded one, so a body that does not look encoded is
    returned as it is. If a body is damaged, the part before the damage is kept.

    Returned: at most the first ``max_bytes`` of a compressed body, so that a small one cannot fill the memory, and the codings
    that could not be undone, in the order of Content-Encoding; mostly none.
    """
    if any("chunked" in value.lower() for value in head.values("transfer-encoding")):
        raw = dechunk(raw)
    codings = [name.strip().lower() for value in head.values("content-encoding") for name in value.split(",")]
    while codings and raw:
        decoder = DECODERS.get(codings[-1])
        if decoder is not None:
            decoded = decoder(raw, max_bytes)
            raw = raw if decoded is None else decoded
        elif codings[-1] in OPAQUE_CODINGS:
            return raw, codings
        codings.pop()
    return raw, []


def dechunk(raw: bytes) -> bytes:
    r"""Join the chunks of a body; a body that is not chunked comes back as it is.

    >>> dechunk(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n")
    b'abcde'
    """
    pieces: list[bytes] = []
    at = 0
    while match := CHUNK_SIZE.match(raw, at):
        start, size = match.end(), int(match[1], 16)
        at = start + size
        if not pieces and at < len(raw) and raw[at : at + 1] not in b"\r\n":
            return raw  # a text that happens to begin with a number
        pieces.append(raw[start:at])
        if size == 0:
            break
        at += 2 if raw[at : at + 2] == b"\r\n" else raw[at : at + 1] == b"\n"
    return b"".join(pieces) if pieces else raw
