"""Takes links from the sitemaps and feeds that a crawl fetches."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from focused.crawl.source_requests import SourceRequests
from focused.frontier.crawl_interface import frontier_of
from focused.method.page.link_context import path_terms
from focused.method.page.link_list import FEED, INDEX, SITEMAP, ListedPage, as_page, newest_first
from focused.method.page.link_source import read_in_steps
from focused.method.page.pdf_process import not_a_page
from focused.method.page.text_units import ANCHOR
from focused.method.page.urls import NOT_PAGE, REFUSALS, UrlResolver, why_no_page
from focused.method.scoring.base import BY_FEED, BY_SITEMAP
from focused.utils.crawl_settings import SOURCE_MAX_LINKS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from focused.crawl.judging import Judging
    from focused.method.page.link_list import LinkList, LinkSource
    from focused.method.page.page import Page
    from focused.method.page.reader import PageReader
    from focused.utils.scope import Scope

_SLICE_ENTRIES = 500
REASONS = {SITEMAP: BY_SITEMAP, FEED: BY_FEED}


class LinkSources:
    """Reads sitemaps and feeds, and chooses among the links that they list.

    Settings: FOCUSED_SOURCE_MAX_LINKS.

    Stats: ``focused/sources/sitemaps_count``, ``focused/sources/feeds_count``, ``focused/sources/no_source_count``,
    ``focused/sources/cut_count``, ``focused/sources/links_left_count``, ``focused/links/refused_not_page_count``,
    ``focused/scope/REASON_count``.
    """

    def __init__(self, crawler: Crawler, reader: PageReader, judging: Judging, scope: Scope) -> None:
        self._crawler, self._reader, self._judging, self._scope = crawler, reader, judging, scope
        self._not_a_page = not_a_page(crawler.settings)
        self._max_links = SOURCE_MAX_LINKS.read(crawler.settings)
        #: Which sources are asked for.
        self.requests = SourceRequests(crawler, scope)

    def read_in_steps(self, response: Response) -> Generator[int, None, LinkList | None]:
        """Read the response for a source, in steps because it may be long; None if it is no source."""
        found = yield from read_in_steps(response.body)
        if found is None:
            self._count("no_source")
            return None
        self._count("feeds" if found.kind == FEED else "sitemaps")
        if found.is_cut:
            self._count("cut")
        if found.n_left:
            self._count("links_left", found.n_left)
        return found

    def nested_requests(
        self, found: LinkList, source: LinkSource, response: Response
    ) -> Generator[int, None, list[Request]]:
        """Return the requests for the sitemaps that an index lists: those whose URLs say most for them, then the newest."""
        if found.kind != INDEX:
            return []
        best = yield from self._best_first(found.entries)
        return list(self.requests.of_index((entry.url for entry in best), response.url, source))

    def page_of_links(self, found: LinkList, response: Response) -> Generator[int, None, Page | None]:
        """Return a page with the links of a source that the crawl does not know yet, newest first; the best of too many."""
        if found.kind == INDEX:
            return None
        entries = self._in_scope(found.entries, UrlResolver(response.url))
        urls = {entry.url: number for number, entry in enumerate(entries)}
        new = frontier_of(self._crawler).sort_links(urls, None).new
        entries = newest_first(entries[urls[url]] for url in new)
        if len(entries) > self._max_links:
            self._count("links_left", len(entries) - self._max_links)
            entries = (yield from self._best_first(entries))[: self._max_links]
        if not entries:
            return None
        yield len(entries)
        return self._read(entries, found.title, response.url)

    def _in_scope(self, entries: Iterable[ListedPage], resolver: UrlResolver) -> list[ListedPage]:
        """Return the entries that lead to pages the crawl may ask for; count the others."""
        absolute = (
            entry if entry.url.startswith("http") else entry._replace(url=resolver.resolve_file(entry.url))
            for entry in entries
        )
        kept, refused = [], Counter[str]()
        for entry in absolute:
            if (why := why_no_page(entry.url, self._not_a_page)) or entry.url in REFUSALS:
                refused[f"focused/links/refused_{why or NOT_PAGE}_count"] += 1
            elif self._scope.limits_urls and (reason := self._scope.refusal(entry.url)):
                refused[f"focused/scope/{reason}_count"] += 1
            else:
                kept.append(entry)
        for stat, n_refused in refused.items():
            self._crawler.stats.inc_value(stat, n_refused)
        return kept

    def _best_first(self, entries: list[ListedPage]) -> Generator[int, None, list[ListedPage]]:
        """Return entries in the order of what their titles, or the words of their URLs, say; then the newest first."""
        entries = newest_first(entries)
        scores = np.zeros(len(entries))
        for first in range(0, len(entries), _SLICE_ENTRIES):
            some = entries[first : first + _SLICE_ENTRIES]
            # Each under a URL of its own, so that there is one score for each.
            numbered = [ListedPage(f"/{n}", each.title or path_terms(each.url)) for n, each in enumerate(some)]
            page = self._read(numbered, "", "http://source.invalid/")
            relevance = self._judging.judge.judge(page, {ANCHOR})
            scores[first : first + len(some)] = relevance.anchors
            yield len(some)
        return [entries[number] for number in np.argsort(-scores, kind="stable").tolist()]

    def _read(self, entries: Iterable[ListedPage], title: str, url: str) -> Page:
        return self._reader.read(as_page(entries, title), url, "text/html; charset=utf-8")

    def _count(self, what: str, n: int = 1) -> None:
        self._crawler.stats.inc_value(f"focused/sources/{what}_count", n)
