"""Decodes bytes as a browser would: byte order mark, HTTP header, declaration in the page, UTF-8, Windows-1252."""

from __future__ import annotations

import contextlib
from functools import lru_cache

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom

# w3lib resolves a name to any codec that Python knows, and some of these do not decode text ("hex", "rot13", "idna"). Only
# these families are charsets of web pages.
_CHARSET_FAMILIES = (
    "utf", "ascii", "cp", "iso8859", "latin", "koi8", "mac", "gb", "big5", "euc", "shift_jis", "iso2022", "hz", "johab",
    "tis_620", "ptcp154", "kz1048", "hp_roman8", "windows",
)  # fmt: skip
# Browsers read these labels as Windows-1252: such pages often hold its extra characters (curly quotes).
_READ_AS_CP1252 = frozenset({"ascii", "iso8859-1", "latin_1", "cp1252"})
_CUT_OFF = "unexpected end of data"


def to_utf8(body: bytes, content_type: str | None = None) -> tuple[bytes, str]:
    r"""Return the body of a page as valid UTF-8, and the name of the encoding it was read in.

    If no charset is declared, or an unknown one, the text is read as UTF-8 if it is valid, else as Windows-1252. Statistics
    are not used: a wrongly guessed East Asian charset can swallow every link. ``content_type``: the HTTP header; its charset
    wins over what the page says. But some servers call every page Latin-1: a page that says it is in UTF-8, and is, is
    believed. Latin-1 is hardly ever valid UTF-8.
    """
    name, bom = read_bom(body)
    if name is not None and bom is not None:
        return _recode(body[len(bom) :], name), name
    if name := _wide_by_its_start(body):
        return _recode(body, name), name
    by_header, by_page = http_content_type_encoding(content_type), html_body_declared_encoding(body)
    if by_page == "utf-8" and by_header in _READ_AS_CP1252 and _is_utf8(body):
        return body, by_page
    for name in (by_header, by_page):
        if name and name.replace("-", "_").startswith(_CHARSET_FAMILIES):
            name = "cp1252" if name in _READ_AS_CP1252 else name
            # A page that declares UTF-16 in ASCII letters is not in UTF-16: browsers read it as UTF-8.
            name = "utf-8" if name.startswith("utf") and not _has_wide_tags(body[:1024]) else name
            with contextlib.suppress(LookupError, UnicodeError):
                if name.startswith("utf") or _reads_tags(name):
                    return _recode(body, name), name
    if body.isascii():
        return body, "utf-8"
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        # A page that was cut off may end within a character.
        is_cut = error.reason == _CUT_OFF and error.end == len(body) and not body[: error.start].isascii()
        name = "utf-8" if is_cut else "cp1252"
        return _recode(body, name), name
    return body, "utf-8"


def _wide_by_its_start(body: bytes) -> str:
    r"""Return the encoding of a page in UTF-16 without a byte order mark, whose tags show it; of others an empty string.

    >>> _wide_by_its_start("<html>".encode("utf-16-be")), _wide_by_its_start(b"<html>")
    ('utf-16-be', '')
    """
    start = body[:12]
    for name, letters, zeros in (("utf-16-le", start[::2], start[1::2]), ("utf-16-be", start[1::2], start[::2])):
        if len(start) == 12 and letters.startswith(b"<") and not zeros.strip(b"\0") and b"\0" not in letters:
            return name
    return ""


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _has_wide_tags(start: bytes) -> bool:
    return b"\0<" in start or b"<\0" in start or b"<" not in start


@lru_cache(maxsize=256)
def _reads_tags(name: str) -> bool:
    """Tell whether a charset contains ASCII. With the others (of mainframes) a page would lose its tags."""
    return b"<a href='/1?b=2'>".decode(name) == "<a href='/1?b=2'>"


def _recode(body: bytes, encoding: str) -> bytes:
    """Return a body in valid UTF-8. Most pages are already, and are returned unchanged."""
    if encoding == "utf-8":
        if body.isascii():
            return body
        try:
            body.decode(encoding)
        except UnicodeDecodeError:
            return body.decode(encoding, "replace").encode(encoding)
        return body
    return body.decode(encoding, "replace").encode("utf-8", "replace")


# The first bytes of files that are no pages, whatever their Content-Type says. PostScript is text, but no page.
_MAGIC = (
    b"%PDF-", b"%!PS", b"\x04%!", b"PK\x03\x04", b"GIF8", b"\x89PNG", b"\xff\xd8\xff", b"\x1f\x8b", b"BZh", b"RIFF",
    b"{\\rtf", b"\x7fELF", b"MZ\x90", b"OggS", b"ID3", b"\xd0\xcf\x11\xe0", b"\xfd7zXZ", b"7z\xbc\xaf", b"wOF",
)  # fmt: skip

_NOT_IN_TEXT = bytes(code for code in range(32) if code not in b"\t\n\f\r\x1b")


def is_binary(body: bytes) -> bool:
    r"""Tell whether a body is no text at all.

    >>> is_binary(b"%PDF-1.4"), is_binary(b"<html>"), is_binary(b"a\0\0\0\0"), is_binary("<p>".encode("utf-16"))
    (True, False, True, False)
    """
    if body.startswith(_MAGIC):
        return True
    start = body[:1024]
    n_controls = len(start) - len(start.translate(None, _NOT_IN_TEXT))
    # One stray control character is a broken page; of random bytes one in ten is such. UTF-16 and UTF-32 without a byte order
    # mark have many NULs, and one beside "<".
    if 20 * n_controls <= len(start) or read_bom(body)[0] is not None:
        return False
    return b"<\0" not in start and b"\0<" not in start


def may_be_text(body: bytes) -> bool:
    r"""Tell whether a body may be a page: it is neither empty nor binary.

    >>> may_be_text(b"<p>"), may_be_text(b""), may_be_text(b" \n"), may_be_text(b"%PDF-1.4")
    (True, False, False, False)
    """
    return bool(body) and not body.isspace() and not is_binary(body)


# Control characters of a page: XML has no way to write them, so one would spoil a whole feed.
_CONTROLS = [*range(9), 11, *range(14, 32), 127, 0xFFFE, 0xFFFF]
_NO_CONTROLS = dict.fromkeys(_CONTROLS)
_EACH_CONTROL = list(map(chr, _CONTROLS))


def printable(text: str) -> str:
    """Return a text without control characters."""
    if text.isprintable():  # most of one line are, and this is the quickest look
        return text
    # To look for each of them takes a tenth of the time, and hardly a page has any.
    return text.translate(_NO_CONTROLS) if any(map(text.__contains__, _EACH_CONTROL)) else text
