"""Check the contents of example pages, and note which were refused and why: nothing is left out silently."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from focused.method.page.encoding import is_binary
from focused.method.training.example_pdf import html_of_pdf, is_pdf

_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|meta|div|table|p|h[1-6]|a\s+href)\b", re.IGNORECASE)
_MARKUP_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/xml", "application/xml"})
_UNDECIDED_TYPES = frozenset({"", "application/octet-stream", "unknown/unknown"})

N_NAMED = 3
HTML_TYPE, TEXT_TYPE, PDF_TYPE = "text/html", "text/plain", "application/pdf"


class RefusedError(ValueError):
    """A page cannot be an example. The message is the reason, in words that many pages share; ``detail`` is of this page."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.detail = detail


@dataclass(frozen=True, slots=True)
class PageContent:
    """A page as received: absolute URL, decompressed body, and Content-Type header (None: HTML, charset unknown)."""

    url: str
    body: bytes
    content_type: str | None = None


def checked(url: str, body: bytes, content_type: str | None = None) -> PageContent:
    """Return the body of an HTTP answer or a file as content with a definite type.

    That of a PDF file is its text as HTML. Raises RefusedError if it is empty, binary, or neither HTML nor text.
    """
    kind = (content_type or "").partition(";")[0].strip().lower()
    if not body.strip():
        raise RefusedError("empty")
    if is_pdf(body):
        body, why = html_of_pdf(body)
        if why:
            raise RefusedError("PDF file", why)
        return PageContent(url, body, PDF_TYPE)
    if is_binary(body):
        raise RefusedError("binary")
    if kind in _UNDECIDED_TYPES:
        content_type = HTML_TYPE if looks_like_html(body) else TEXT_TYPE
    elif kind not in _MARKUP_TYPES and kind not in (TEXT_TYPE, PDF_TYPE):  # a crawler has made a page of the file
        raise RefusedError("neither HTML nor text", kind[:60])
    return PageContent(url, body, content_type)


def looks_like_html(body: bytes) -> bool:
    """Tell by its beginning whether a text is HTML.

    >>> looks_like_html(b"<!DOCTYPE html><title>x"), looks_like_html(b"From: a <b@c.org>")
    (True, False)
    """
    return bool(_HTML.search(body[:4096].replace(b"\0", b"")))


@dataclass
class Refusals:
    """Counts of refused examples by reason, with the names of the first few of each."""

    counts: Counter[str] = field(default_factory=Counter)
    names: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, name: str, detail: str = "") -> None:
        """Note that the example with this name was refused."""
        self.counts[reason] += 1
        named = self.names.setdefault(reason, [])
        if len(named) < N_NAMED:
            named.append(f"{name} ({detail})" if detail else name)

    @property
    def total(self) -> int:
        """Number of refused examples."""
        return sum(self.counts.values())

    def lines(self) -> list[str]:
        """Return one line for each reason, the most frequent first."""
        return [
            f"{n} {reason}: {', '.join(self.names[reason])}{', ...' if n > len(self.names[reason]) else ''}"
            for reason, n in sorted(self.counts.items(), key=lambda pair: (-pair[1], pair[0]))
        ]

    def summary(self) -> str:
        """Return all reasons in one line."""
        return "; ".join(self.lines())
