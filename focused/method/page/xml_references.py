"""Reads references such as ``&amp;`` in documents that are meant to be XML: libxml2 reads none behind an error.

Before a document is parsed, each ``&`` is replaced by a sign that no document needs, and characters that XML forbids are
left out. A ``<`` that can begin nothing becomes a reference. So a stray ``&`` or ``<`` is no error, and whatever else is wrong
leaves the references as they are. Their texts are read afterwards.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGN = "\x7f"
# Of a byte each, in every encoding that goes on with ASCII: also where two bytes are one character.
_FORBIDDEN = bytes({*range(32), 127} - {9, 10, 13})
_stray = re.compile(rb"<(?![A-Za-z_:/!?\x80-\xff])")
_AS_REFERENCE = f"{_SIGN}lt;".encode()
_TO_SIGN = bytes.maketrans(b"&", _SIGN.encode())
_CDATA, _END = b"<![CDATA[", b"]]>"
_is_shifted = re.compile(rb"""<\?xml[^>]{1,200}encoding\s*=\s*["'](?:iso-2022|hz-|utf-7)""", re.IGNORECASE).match
"""Encodings in which the bytes of ASCII may stand for something else."""

_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_reference = re.compile(_SIGN + r"(?:(amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)?")


def without_references(body: bytes, piece_bytes: int) -> Iterator[bytes]:
    r"""Yield a document in pieces of about so many bytes, in which nothing is a reference: see `with_references`.

    >>> b"".join(without_references(b"<a>1 &amp; 2 & 3<![CDATA[&]]></a>", 9))
    b'<a>1 \x7famp; 2 \x7f 3<![CDATA[&]]></a>'
    """
    is_shifted = _is_shifted(body) is not None
    is_cdata = False
    place = 0
    while place < len(body):
        end = place + max(piece_bytes, 2 * len(_CDATA))
        end -= _n_begun(body[end - len(_CDATA) : end])
        piece = body[place:end]
        place = end
        if is_shifted:
            yield piece
            continue
        piece, is_cdata = _translated(piece, is_cdata)
        yield piece


def _n_begun(tail: bytes) -> int:
    """Return how many bytes at the end of a piece may begin what begins or ends a section: it is not to be cut in two."""
    begun = (n for sign in (_CDATA, _END) for n in range(1, len(sign)) if tail.endswith(sign[:n]))
    return max(begun, default=0)


def _translated(piece: bytes, is_cdata: bool) -> tuple[bytes, bool]:
    """Return a piece without references, and whether it ends within a section of plain text (CDATA), as it may begin."""
    found, place = [], 0
    while place < len(piece):
        at = piece.find(_END if is_cdata else _CDATA, place)
        end = len(piece) if at < 0 else at + len(_END if is_cdata else _CDATA)
        part = piece[place:end]
        if is_cdata:
            found.append(part.translate(None, _FORBIDDEN))
        else:
            found.append(_stray.sub(_AS_REFERENCE, part.translate(_TO_SIGN, _FORBIDDEN)))
        is_cdata ^= at >= 0
        place = end
    return b"".join(found), is_cdata


def with_references(text: str) -> str:
    r"""Return a text of such a document as it was meant: what is no reference of XML is an ``&``.

    >>> with_references("a\x7famp;b \x7f#38; \x7fcopy=1 \x7f#0;")
    'a&b & &copy=1 '
    """
    return _reference.sub(_meant, text) if _SIGN in text else text


def _meant(found: re.Match[str]) -> str:
    name = found[1]
    if name is None:
        return "&"
    if not name.startswith("#"):
        return _NAMED[name]
    number = int(name[2:], 16) if name[1] == "x" else int(name[1:])
    is_text = number in (9, 10, 13) or 32 <= number < 0xD800 or 0xE000 <= number < 0x110000
    return chr(number) if is_text else ""
