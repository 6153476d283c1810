"""A PDF file as the bytes of an HTML page, which any page reader reads: title, headings, paragraphs, links."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from focused.method.page.pdf_layout import paragraphs, with_headings
from focused.method.page.pdf_pages import PdfiumError, language_of, open_document, read_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pypdfium2 import PdfDocument

    from focused.method.page.pdf_layout import Paragraph
    from focused.method.page.pdf_pages import Link, PdfPage

MOST_CHARS = 1_000_000
"""Of the text of a file."""
_MOST_LINKS = 10_000
_MOST_TITLE_CHARS = 300
# What programs write if a document has no title.
_NO_TITLE = re.compile(
    r"\s*|untitled.*|(microsoft )?(word|powerpoint|excel) - .*|slide 1|"
    r".*\.(docx?|odt|tex|dvi|ps|indd|qxd|pptx?|xlsx?|rtf|pdf|txt)",
    re.IGNORECASE,
).fullmatch
_DATE = re.compile(r"D:(\d{4})(?:(\d\d)(?:(\d\d))?)?").match
_INVALID = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\ufffe\uffff]")
"""Control characters, and the signs for hyphens at which words are divided: they are whole again."""


@dataclass(frozen=True, slots=True)
class PdfHtml:
    """A PDF file as HTML in UTF-8, and how many of its pages that is."""

    html: bytes
    n_pages: int
    n_read: int
    #: Whether there is more text in the file than was read.
    is_cut: bool
    has_text: bool


def pdf_as_html(body: bytes, max_pages: int, secs: float) -> PdfHtml:
    """Read a PDF file.

    ``max_pages``: pages that are read. ``secs``: no further page is begun after so many seconds. A page that cannot be read is
    left out. A `pypdfium2.PdfiumError` says that the file cannot be read at all, or needs a password.
    """
    until = time.monotonic() + secs
    document = open_document(body)
    n_pages, n_chars, n_links, n_read = len(document), 0, 0, 0
    is_cut = False
    pages: list[tuple[PdfPage, list[Paragraph]]] = []
    for number in range(min(n_pages, max_pages)):
        if n_chars >= MOST_CHARS or time.monotonic() > until:
            break
        n_read += 1
        page = _page(document, number)
        if page is None:
            is_cut = True
            continue
        if n_chars + len(page.text) > MOST_CHARS or n_links + len(page.links) > _MOST_LINKS:
            page, is_cut = page.shortened(MOST_CHARS - n_chars, _MOST_LINKS - n_links), True
        n_chars += len(page.text)
        n_links += len(page.links)
        pages.append((page, paragraphs(page.lines)))
    found = with_headings([each for _, each in pages])
    info = document.get_metadata_dict()
    title = _title(info.get("Title", ""), found)
    head = [f"<title>{_clean(title)}</title>"]
    for name, key in (("author", "Author"), ("description", "Subject"), ("keywords", "Keywords")):
        if value := info.get(key, "").strip():
            head.append(f'<meta name="{name}" content="{_clean(value[:1000])}">')
    if date := _iso_date(info.get("CreationDate", "")):
        head.append(f'<meta name="date" content="{date}">')
    language = language_of(document)
    said = f' lang="{_clean(language)}"' if language else ""
    parts = [f'<!DOCTYPE html><html{said}><head><meta charset="utf-8">', *head, "</head><body>"]
    for (page, _), each in zip(pages, found, strict=True):
        parts += ["<div>", *_rendered(page, each), "</div>"]
    html = "\n".join([*parts, "</body></html>"]).encode("utf-8", "replace")
    return PdfHtml(html, n_pages, n_read, is_cut or n_read < n_pages, has_text=any(page.lines for page, _ in pages))


def _page(document: PdfDocument, number: int) -> PdfPage | None:
    """Return a page; None where it cannot be read."""
    try:
        return read_page(document, number)
    except PdfiumError:
        return None


def _title(given: str, pages: Sequence[Sequence[Paragraph]]) -> str:
    """Return the title that a file gives; else its first page's highest heading, else its first line."""
    if not _NO_TITLE(given):
        return given[:_MOST_TITLE_CHARS]
    first = next((page for page in pages if page), ())
    headings = [each for each in first if each.level]
    best = min(headings, key=lambda each: each.level) if headings else next(iter(first), None)
    if best is None:
        return ""
    lines = best.lines if headings else best.lines[:1]
    return _INVALID.sub("", " ".join(line.text.strip() for line in lines))[:_MOST_TITLE_CHARS]


def _rendered(page: PdfPage, found: Sequence[Paragraph]) -> Iterator[str]:
    """Yield the elements of a page: headings, paragraphs, and links that no text stands for."""
    links = page.links
    for each in found:
        tag = f"h{each.level}" if each.level else "p"
        lines = ("".join(_with_links(page.text, line.start, line.end, links)) for line in each.lines)
        yield f"<{tag}>{chr(10).join(lines)}</{tag}>"
    for link in links:
        if not link.end:
            yield f'<p><a href="{_clean(link.target)}"></a></p>'


def _with_links(text: str, start: int, end: int, links: Sequence[Link]) -> Iterator[str]:
    """Yield a part of a page's text as HTML, with the links that stand in it."""
    for link in links:
        if link.end <= start or link.start >= end:
            continue
        first, last = max(link.start, start), min(link.end, end)
        yield _clean(text[start:first])
        yield f'<a href="{_clean(link.target)}">{_clean(text[first:last])}</a>'
        start = last
    yield _clean(text[start:end])


def _clean(text: str) -> str:
    """Return a text for HTML: escaped, without the control characters that HTML cannot have."""
    return escape(_INVALID.sub("", text))


def _iso_date(text: str) -> str:
    """Return the day of a PDF date; empty if it is none.

    >>> _iso_date("D:20221020000942Z"), _iso_date("D:2022"), _iso_date("yesterday")
    ('2022-10-20', '2022', '')
    """
    found = _DATE(text)
    if found is None or not "1980" <= found[1] <= "2100":
        return ""
    year, month, day = found.groups()
    if month is None or not "01" <= month <= "12":
        return str(year)
    return f"{year}-{month}" + (f"-{day}" if day is not None and "01" <= day <= "31" else "")
