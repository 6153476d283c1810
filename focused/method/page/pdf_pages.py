"""Reads a PDF file with PDFium: the lines and links of each page, and what the file says of itself.

Only the process that reads PDFs imports this: PDFium is native code, and a damaged file may end the process.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pypdfium2
import pypdfium2.raw as pdfium
from pypdfium2 import PdfiumError

from focused.method.page.pdf_layout import Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["PdfPage", "PdfiumError", "language_of", "needs_password", "open_document", "read_page"]

_MOST_LINKS = 1_000
"""Of a page."""
DIVIDED = "\ufffe"
"""What PDFium has in place of the hyphen at which a word is divided at the end of a line."""
_LINE_END = re.compile(r"[\r\n]+")
_LETTER = re.compile(r"[^\W_]")
_NEAR_POINTS = 2.0
_HOST = re.compile(r"www\.|[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}/", re.IGNORECASE).match
_PROBES = 10
"""Places at which the text of a link is looked for, from each end: its box may be wider than its text."""
_MOST_URL_BYTES = 2_083
"""As of a page's links: FOCUSED_PAGE_MAX_URL_CHARS."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link: its target as written, and which characters of the page's text stand for it; none where both are 0."""

    target: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class PdfPage:
    """The text of one page, its lines in the file's order, and its links in the order of their text."""

    text: str
    lines: list[Line]
    links: list[Link]

    def shortened(self, n_chars: int, n_links: int) -> PdfPage:
        """Return the page with so many characters and links at most."""
        lines = [
            replace(line, end=min(line.end, n_chars), text=line.text[: max(n_chars - line.start, 0)])
            for line in self.lines
            if line.start < n_chars
        ]
        links = [each for each in self.links if each.start < n_chars]
        return PdfPage(self.text[:n_chars], lines, links[:n_links])


def open_document(body: bytes) -> pypdfium2.PdfDocument:
    """Open a PDF file; a `pypdfium2.PdfiumError` says that it cannot be read, or needs a password."""
    return pypdfium2.PdfDocument(body)


def needs_password(error: PdfiumError) -> bool:
    """Tell whether a file could not be opened because it is encrypted."""
    return getattr(error, "err_code", None) in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)


def language_of(document: pypdfium2.PdfDocument) -> str:
    """Return the language that a file declares, such as ``en-GB``; empty if it declares none."""
    n_bytes = pdfium.FPDFCatalog_GetLanguage(document.raw, None, 0)
    if not 2 < n_bytes <= 64:
        return ""
    buffer = ctypes.create_string_buffer(n_bytes)
    pdfium.FPDFCatalog_GetLanguage(document.raw, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), n_bytes)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0")


def read_page(document: pypdfium2.PdfDocument, number: int) -> PdfPage:
    """Read a page; a `pypdfium2.PdfiumError` says that it cannot be read. ``number``: from 0."""
    page = document[number]
    try:
        text_page = page.get_textpage()
        try:
            text = _text(text_page.raw)
            links = [*_annotated(document.raw, page.raw, text_page.raw), *_written(text_page.raw, len(text))]
            return PdfPage(text, list(_lines(text_page.raw, text)), _apart(links))
        finally:
            text_page.close()
    finally:
        page.close()


def _text(text_page: Any) -> str:
    n_chars = pdfium.FPDFText_CountChars(text_page)
    if n_chars <= 0:
        return ""
    # A character may take two units.
    buffer = (ctypes.c_ushort * (2 * n_chars + 1))()
    n_units = pdfium.FPDFText_GetText(text_page, 0, n_chars, buffer)
    return bytes(buffer)[: 2 * max(n_units - 1, 0)].decode("utf-16-le", "replace")


def _lines(text_page: Any, text: str) -> Iterator[Line]:
    """Yield the lines of a page that hold more than white space."""
    start = 0
    ends = [(found.start(), found.end()) for found in _LINE_END.finditer(text)]
    for end, following in (*ends, (len(text), len(text))):
        words = text[start:end]
        if words and not words.isspace():
            left = _box(text_page, start + len(words) - len(words.lstrip()))[0]
            # A bullet stands in another font than its line.
            letter = _LETTER.search(words)
            _, bottom, top = _box(text_page, start + (letter.start() if letter else 0))
            # PDFium joins lines where a word is divided.
            is_joined = DIVIDED in words
            end_bottom = _box(text_page, start + len(words.rstrip()) - 1)[1] if is_joined else bottom
            yield Line(start, end, words, left, bottom, end_bottom, abs(top - bottom))
        start = following


def _box(text_page: Any, number: int) -> tuple[float, float, float]:
    """Return left, bottom and top of a character of the text, in points; zeros where it has no place."""
    rect = pdfium.FS_RECTF()
    index = pdfium.FPDFText_GetCharIndexFromTextIndex(text_page, number)
    if index < 0 or not pdfium.FPDFText_GetLooseCharBox(text_page, index, rect):
        return 0.0, 0.0, 0.0
    return rect.left, rect.bottom, rect.top


def _annotated(document: Any, page: Any, text_page: Any) -> Iterator[Link]:
    """Yield the links that the file has as such."""
    place, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    for _ in range(_MOST_LINKS):
        if not pdfium.FPDFLink_Enumerate(page, place, link):
            return
        action = pdfium.FPDFLink_GetAction(link)
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            continue
        n_bytes = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
        if not 1 < n_bytes <= _MOST_URL_BYTES:
            continue
        buffer = ctypes.create_string_buffer(n_bytes)
        pdfium.FPDFAction_GetURIPath(document, action, buffer, n_bytes)
        target = _with_scheme(buffer.value.decode("utf-8", "replace").strip())
        places = list(_places(link, text_page))
        yield from (Link(target, *each) for each in places)
        if not places:
            yield Link(target)


def _with_scheme(target: str) -> str:
    """Return a target as viewers take it: one that begins with a host's name leads there.

    >>> _with_scheme("github.com/a"), _with_scheme("www.a.org"), _with_scheme("papers/a.html"), _with_scheme("http://a.org")
    ('http://github.com/a', 'http://www.a.org', 'papers/a.html', 'http://a.org')
    """
    return f"http://{target}" if _HOST(target) else target


def _places(link: Any, text_page: Any) -> Iterator[tuple[int, int]]:
    """Yield which characters stand under a link: one part for each line that it goes over."""
    quads, rect = pdfium.FS_QUADPOINTSF(), pdfium.FS_RECTF()
    boxes = []
    for number in range(min(pdfium.FPDFLink_CountQuadPoints(link), 20)):
        if pdfium.FPDFLink_GetQuadPoints(link, number, quads):
            xs, ys = (quads.x1, quads.x2, quads.x3, quads.x4), (quads.y1, quads.y2, quads.y3, quads.y4)
            boxes.append((min(xs), max(xs), min(ys), max(ys)))
    if not boxes and pdfium.FPDFLink_GetAnnotRect(link, rect):
        boxes.append((rect.left, rect.right, rect.bottom, rect.top))
    for left, right, bottom, top in boxes:
        middle, height, step = (bottom + top) / 2, abs(top - bottom) / 2, (right - left) / _PROBES
        first = _at(text_page, (left + step * number for number in range(_PROBES)), middle, height)
        last = _at(text_page, (right - step * number for number in range(_PROBES)), middle, height)
        if 0 <= first <= last:
            yield first, last + 1


def _at(text_page: Any, xs: Iterable[float], y: float, height: float) -> int:
    """Return which character of the text stands at the first of some places that have one; -1 if none has."""
    for x in xs:
        index = pdfium.FPDFText_GetCharIndexAtPos(text_page, x, y, 2 * _NEAR_POINTS, height)
        if index >= 0:
            return int(pdfium.FPDFText_GetTextIndexFromCharIndex(text_page, index))
    return -1


def _written(text_page: Any, n_chars: int) -> Iterator[Link]:
    """Yield the URLs that stand in the text."""
    found = pdfium.FPDFLink_LoadWebLinks(text_page)
    if not found:
        return
    try:
        start, count = ctypes.c_int(0), ctypes.c_int(0)
        for number in range(min(pdfium.FPDFLink_CountWebLinks(found), _MOST_LINKS)):
            n_units = pdfium.FPDFLink_GetURL(found, number, None, 0)
            if not 1 < n_units <= _MOST_URL_BYTES:
                continue
            buffer = (ctypes.c_ushort * n_units)()
            pdfium.FPDFLink_GetURL(found, number, buffer, n_units)
            target = bytes(buffer)[: 2 * (n_units - 1)].decode("utf-16-le", "replace")
            if pdfium.FPDFLink_GetTextRange(found, number, start, count):
                first = pdfium.FPDFText_GetTextIndexFromCharIndex(text_page, start.value)
                yield Link(target, max(first, 0), min(max(first, 0) + count.value, n_chars))
    finally:
        pdfium.FPDFLink_CloseWebLinks(found)


def _apart(links: list[Link]) -> list[Link]:
    """Return the links in the order of their text, none over another; those that stand for no text at the end."""
    found: list[Link] = []
    end = 0
    for link in sorted((each for each in links if each.end), key=lambda each: each.start):
        if link.start >= end:
            found.append(link)
            end = link.end
    return found + [each for each in links if not each.end]
