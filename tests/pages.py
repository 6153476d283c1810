"""Pages for the tests: read in one line, shown as what a reader of the test can check."""

from __future__ import annotations

from typing import Any

from focused.method.page.limits import PageLimits
from focused.method.page.page import Page
from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer, TermTable

URL = "http://site.example/folder/page.html"


def page_of(
    html: str | bytes, url: str = URL, content_type: str | None = None, limits: dict[str, int] | None = None, **how: Any
) -> Page:
    reader = PageReader(Analyzer("en", TermTable()), limits=PageLimits(**limits) if limits else None, **how)
    return reader.read(html.encode() if isinstance(html, str) else html, url, content_type)


def blocks_of(page: Page) -> list[str]:
    return [page.block_text(block) for block in range(page.n_blocks)]


def urls_of(page: Page) -> list[str]:
    return [link.url for link in page.links]


def anchors_of(page: Page) -> list[str]:
    return [page.anchor_text(anchor) for anchor in range(len(page.anchors))]


def paths_of(page: Page) -> list[str]:
    """The links' URLs without the site."""
    return [link.url.removeprefix("http://site.example") for link in page.links]
