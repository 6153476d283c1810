"""Damaged and hostile PDF files, made from good ones or written by hand; see pdf.py."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

MEGABYTE = 1_000_000
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
_LINE = b"BT /F1 10 Tf 72 700 Td (A line of text.) Tj ET\n"


def _flipped(body: bytes, n_bytes: int, rng: random.Random) -> bytes:
    changed = bytearray(body)
    for place in rng.sample(range(16, len(body)), min(n_bytes, len(body) - 16)):
        changed[place] ^= rng.randrange(1, 256)
    return bytes(changed)


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "cut in half": lambda body, rng: body[: len(body) // 2],
    "last 200 bytes missing": lambda body, rng: body[:-200],
    "20 bytes changed": lambda body, rng: _flipped(body, 20, rng),
    "one byte in a hundred changed": lambda body, rng: _flipped(body, len(body) // 100, rng),
    "a tenth in the middle is zeros": lambda body, rng: (
        body[: len(body) // 2] + bytes(len(body) // 10) + body[len(body) // 2 + len(body) // 10 :]
    ),
    "random bytes behind the first line": lambda body, rng: b"%PDF-1.7\n" + rng.randbytes(len(body)),
}
"""What is done to files of packages."""


def hostile() -> Iterator[tuple[str, bytes]]:
    """Yield files that were made to do harm, with what they are."""
    page = _LINE * 5
    yield "with a password", _file([page], trailer=b"/Encrypt 9 0 R /ID [<00> <00>]", more={9: _locked()})
    yield "claims a billion pages", _file([page], n_claimed=10**9)
    yield "page tree that holds itself", _file([page], kids=b"2 0 R 2 0 R 2 0 R")
    yield "a page 100,000 times", _file([page], kids=b"5 0 R " * 100_000, n_claimed=100_000)
    yield "300 MB of text operators, packed to 1 MB", _file([_LINE * (300 * MEGABYTE // len(_LINE))])
    yield "packed ten times over", _file([_packed(bytes(100 * MEGABYTE), 9)], n_filters=10)
    yield (
        "a line of 5 million letters",
        _file([b"BT /F1 1 Tf 72 700 Td (%s) Tj ET" % (b"abcde " * (5 * MEGABYTE // 6))]),
    )
    yield "a million links on a page", _file([page], annotations=_link() * MEGABYTE)
    yield "arrays in arrays, 500,000 deep", _file([page], annotations=b"[" * 500_000 + b"]" * 500_000)
    form = (
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X 9 0 R >> >> /Length 11 >>"
    )
    again = form + b"\nstream\n/X Do /X Do\nendstream"
    yield (
        "form that draws itself twice",
        _file([page + b"/X Do\n"], resources=b"/XObject << /X 9 0 R >>", more={9: again}),
    )
    yield "50 MB, most of it after the end", _file([page]) + bytes(50 * MEGABYTE)
    yield "pages without text", _file([b"0 0 m 100 100 l S\n"] * 5)
    yield "the first line alone", b"%PDF-1.7\n"


def _packed(content: bytes, times: int) -> bytes:
    for _ in range(times):
        content = zlib.compress(content, 9)
    return content


def _locked() -> bytes:
    secret = b"<" + b"5a" * 32 + b">"
    return b"<< /Filter /Standard /V 1 /R 2 /O %s /U %s /P -4 >>" % (secret, secret)


def _link() -> bytes:
    return b"<</Subtype/Link/Rect[1 1 9 9]/A<</S/URI/URI(http://a.org)>>>>"


def _file(
    contents: list[bytes],
    *,
    kids: bytes = b"",
    n_claimed: int = 0,
    n_filters: int = 1,
    annotations: bytes = b"",
    resources: bytes = b"",
    trailer: bytes = b"",
    more: dict[int, bytes] | None = None,
) -> bytes:
    """Return a file; its pages are the objects 5, 7 (one is not used: 9) and so on, from 11 on where there are many."""
    numbers = [5, 7, *range(11, 11 + 2 * len(contents), 2)][: len(contents)]
    kids = kids or b" ".join(b"%d 0 R" % number for number in numbers)
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, n_claimed or len(contents)),
        3: _FONT,
        **(more or {}),
    }
    filters = b"/FlateDecode " * n_filters
    for number, content in zip(numbers, contents, strict=True):
        packed = zlib.compress(content, 9)
        about = b"/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R" % (number - 1)
        within = b"/Resources << /Font << /F1 3 0 R >> %s >> /Annots [%s]" % (resources, annotations)
        objects[number - 1] = b"<< /Filter [%s] /Length %d >>\nstream\n%s\nendstream" % (filters, len(packed), packed)
        objects[number] = b"<< %s %s >>" % (about, within)
    body, places = b"%PDF-1.7\n", {}
    for number, value in sorted(objects.items()):
        places[number] = len(body)
        body += b"%d 0 obj\n%s\nendobj\n" % (number, value)
    size = max(objects) + 1
    rows = (b"%010d 00000 n \n" % places[n] if n in places else b"0000000000 65535 f \n" for n in range(size))
    end = b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, len(body))
    return body + b"xref\n0 %d\n%s" % (size, b"".join(rows)) + end
