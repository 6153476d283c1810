"""Check the content of one example page."""

from __future__ import annotations

import re
from dataclasses import dataclass

from focused.method.page.encoding import is_binary

_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|meta|div|table|p|h[1-6]|a\s+href)\b", re.IGNORECASE)
_MARKUP_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/xml", "application/xml"})
_UNDECIDED_TYPES = frozenset({"", "application/octet-stream", "unknown/unknown"})

HTML_TYPE, TEXT_TYPE = "text/html", "text/plain"


class RefusedError(ValueError):
    """A page cannot be an example. The message is the reason, in words that many pages share.

    Parameters
    ----------
    reason : str
    detail : str
        Details of this page.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Content:
    """A page as received: absolute URL, decompressed body, and Content-Type header (None: HTML, charset unknown)."""

    url: str
    body: bytes
    content_type: str | None = None


def checked(url: str, body: bytes, content_type: str | None = None) -> Content:
    """Return the body of an HTTP answer or a file as content with a definite type.

    Raises
    ------
    RefusedError
        If it is empty, binary, or neither HTML nor text.
    """
    kind = (content_type or "").partition(";")[0].strip().lower()
    if not body.strip():
        raise RefusedError("empty")
    if is_binary(body):
        raise RefusedError("binary")
    if kind in _UNDECIDED_TYPES:
        content_type = HTML_TYPE if looks_like_html(body) else TEXT_TYPE
    elif kind not in _MARKUP_TYPES and kind != TEXT_TYPE:
        raise RefusedError("neither HTML nor text", kind[:60])
    return Content(url, body, content_type)


def looks_like_html(body: bytes) -> bool:
    """Tell by its beginning whether a text is HTML.

    >>> looks_like_html(b"<!DOCTYPE html><title>x"), looks_like_html(b"From: a <b@c.org>")
    (True, False)
    """
    return bool(_HTML.search(body[:4096].replace(b"\0", b"")))
