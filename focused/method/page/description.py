"""What a page says of itself in its head. Only the few pages that are kept need it, so the walk does not read it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from focused.method.page.encoding import to_utf8
from focused.method.page.urls import REFUSALS, UrlResolver

_MAX_HEAD_BYTES = 100_000
_BODY = re.compile(rb"<body[\s>]|</head\s*>", re.IGNORECASE)
_PARSER = etree.HTMLParser(encoding="utf-8", huge_tree=True)
_DESCRIPTION, _CANONICAL, _LANGUAGE = (
    etree.XPath(path, smart_strings=False)  # parsed once: that takes as long as to look for it
    for path in (
        "//meta[translate(@name, 'DESCRIPTION', 'description')='description' or @property='og:description']/@content",
        "//link[contains(translate(@rel, 'CANOIL', 'canoil'), 'canonical')]/@href",
        "/html/@lang",
    )
)


@dataclass(frozen=True, slots=True)
class Description:
    """Fields are empty if the page does not give them."""

    description: str = ""
    language: str = ""
    #: Absolute URL.
    canonical_url: str = ""


def describe(body: bytes, url: str, content_type: str | None = None, base: str = "") -> Description:
    """Read a page's description, language and canonical URL.

    ``url``: absolute URL it was fetched from. ``content_type``: the HTTP header. ``base``: ``href`` of the page's ``<base>``.
    """
    head = body[:_MAX_HEAD_BYTES]
    if end := _BODY.search(head):
        head = head[: end.start()]
    text = to_utf8(head, content_type)[0].decode("utf-8").replace("\0", "")
    if not text.strip():
        return Description()
    try:
        root = etree.fromstring(text.encode(), _PARSER)
    except etree.XMLSyntaxError:  # comments only
        return Description()
    if root is None:
        return Description()
    target = _first(_CANONICAL(root)).strip()
    canonical = UrlResolver(url, base).resolve(target) if target else ""
    return Description(
        description=" ".join(_first(_DESCRIPTION(root)).split()),
        language=_first(_LANGUAGE(root)).strip()[:35],
        canonical_url="" if canonical in REFUSALS else canonical,
    )


def _first(found: list[str]) -> str:
    return found[0] if found else ""
