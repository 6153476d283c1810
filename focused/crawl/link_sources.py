"""Link sources of a crawl: which sitemaps and feeds are asked for, and what is taken from those that come.

A page asks for them: one that is relevant, or that the crawl began with. So no request is spent on hosts that have nothing,
and what is asked for becomes durable together with the page.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
from scrapy import Request, signals

from focused.crawl.own_settings import FEEDS, SITEMAPS, SOURCE_MAX_LINKS
from focused.frontier.interface import frontier_of
from focused.method.page.link_context import path_terms
from focused.method.page.link_source import FEED, INDEX, SITEMAP, Entry, LinkSource, as_page, newest_first, reading
from focused.method.page.text_units import ANCHOR
from focused.method.page.urls import REFUSALS, UrlResolver, is_page_url
from focused.method.scoring.base import BY_FEED, BY_SITEMAP
from focused.method.scoring.priority import to_priority

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from focused.crawl.judging import Judging
    from focused.method.page.link_source import LinkList
    from focused.method.page.page import Page
    from focused.method.page.reader import PageReader
    from focused.utils.scope import Scope

CALLBACK = "parse_source"
"""The spider's method that sources go to; it yields a :class:`focused.items.LinkSource`."""

_PRIORITY = to_priority(1.0, True)
"""Sources come before all links and behind seeds: they are few, and what they bring is still to be ordered."""
_MAX_DEPTH = 2  # sitemap indexes above a sitemap
_MAX_HOSTS = 10_000
_MAX_NAMED_CHARS = 1_500  # of a host's sitemaps, until they are asked for
_SLICE_ENTRIES = 500
REASONS = {SITEMAP: BY_SITEMAP, FEED: BY_FEED}


class LinkSources:
    """Asks for the sitemaps that robots.txt names and for the feeds that pages name, and reads them.

    Settings: FOCUSED_SITEMAPS, FOCUSED_FEEDS (how many of a host), FOCUSED_SOURCE_MAX_LINKS.

    Stats: ``focused/sources/sitemaps_count``, ``focused/sources/feeds_count``, ``focused/sources/no_source_count``,
    ``focused/sources/cut_count``, ``focused/sources/over_limit_count``, ``focused/sources/links_left_count``,
    ``focused/links/refused_not_page_count``, ``focused/scope/REASON_count``.
    """

    def __init__(self, crawler: Crawler, reader: PageReader, judging: Judging, scope: Scope) -> None:
        settings = crawler.settings
        self._crawler, self._reader, self._judging, self._scope = crawler, reader, judging, scope
        self._most = {SITEMAP: SITEMAPS.read(settings), FEED: FEEDS.read(settings)}
        self._max_links = SOURCE_MAX_LINKS.read(settings)
        #: Sitemaps that a host's robots.txt names, until a page of the host asks for them.
        self._named: OrderedDict[str, list[str]] = OrderedDict()
        #: How many sources of each kind were asked for, by host; the hosts asked last are remembered.
        self._n_asked: OrderedDict[str, dict[str, int]] = OrderedDict()
        if self._most[SITEMAP]:
            crawler.signals.connect(self._robots_parsed, signals.robots_parsed)

    # --- Asked for

    def wanted_by(self, page: Page, *, follows: bool) -> Iterator[Request]:
        """Yield requests for the sources of a page's host: its sitemaps, and the feeds that the page names.

        ``follows``: whether the page lets its own links be followed.
        """
        if self._callback is None:
            return
        host = _netloc(page.url)
        for url in self._named.pop(host, ()):
            yield from self._asked(url, LinkSource(SITEMAP, host))
        if follows and self._most[FEED] and page.marked_text.feeds:
            resolver = UrlResolver(page.url, page.marked_text.base, encoding=page.encoding)
            for target in dict.fromkeys(page.marked_text.feeds):
                url = resolver.resolve_file(target)
                if url not in REFUSALS:
                    yield from self._asked(url, LinkSource(FEED, host))

    def _robots_parsed(self, robotparser: Any, request: Request) -> None:
        """Take down the sitemaps that a host's robots.txt names."""
        named: list[str] = []
        room = _MAX_NAMED_CHARS
        for target in getattr(getattr(robotparser, "rp", robotparser), "sitemaps", ()):
            url = UrlResolver(request.url).resolve_file(str(target))
            room -= len(url)
            if url in REFUSALS:
                continue
            if room < 0 or len(named) >= self._most[SITEMAP]:
                self._count("over_limit")
            elif url not in named:
                named.append(url)
        if named:
            _remember(self._named, _netloc(request.url), named)

    def _asked(self, url: str, source: LinkSource) -> Iterator[Request]:
        """Yield the request for a source, unless its host has had enough of its kind."""
        n_asked = self._n_asked.get(source.host) or {SITEMAP: 0, FEED: 0}
        if n_asked[source.kind] >= self._most[source.kind]:
            self._count("over_limit")
            return
        n_asked[source.kind] += 1
        _remember(self._n_asked, source.host, n_asked)
        yield Request(
            url,
            self._callback,
            errback=getattr(self._crawler.spider, "failed", None),
            priority=_PRIORITY,
            cb_kwargs={"kind": source.kind, "host": source.host, "depth": source.depth},
        )

    @property
    def _callback(self) -> Any:
        """The spider's method that takes sources; None: it has none, and so none is asked for."""
        return getattr(self._crawler.spider, CALLBACK, None)

    # --- Read

    def listing(self, source: LinkSource, response: Response) -> Generator[int, None, LinkList | None]:
        """Read a source that has come; None if it is none. In steps, for it may be long."""
        found = yield from reading(response.body)
        if found is None:
            self._count("no_source")
            return None
        self._count("feeds" if found.kind == FEED else "sitemaps")
        if found.is_cut:
            self._count("cut")
        if found.n_left:
            self._count("links_left", found.n_left)
        return found

    def nested(self, found: LinkList, source: LinkSource, response: Response) -> Generator[int, None, list[Request]]:
        """Return the requests for the sitemaps that an index lists: those whose URLs say most for them, then the newest."""
        if found.kind != INDEX:
            return []
        if source.depth >= _MAX_DEPTH:
            self._count("over_limit", len(found.entries))
            return []
        resolver = UrlResolver(response.url)
        requests: list[Request] = []
        for entry in (yield from self._best_first(found.entries)):
            url = resolver.resolve_file(entry.url)
            if url not in REFUSALS:
                requests += self._asked(url, LinkSource(SITEMAP, source.host, source.depth + 1))
        return requests

    def page(self, found: LinkList, response: Response) -> Generator[int, None, Page | None]:
        """Return a page with the links of a source that the crawl does not know yet, newest first; the best of too many."""
        if found.kind == INDEX:
            return None
        entries = self._in_scope(found.entries, UrlResolver(response.url))
        urls = {entry.url: number for number, entry in enumerate(entries)}
        new = frontier_of(self._crawler).meet(urls, None).new
        entries = newest_first(entries[urls[url]] for url in new)
        if len(entries) > self._max_links:
            self._count("links_left", len(entries) - self._max_links)
            entries = (yield from self._best_first(entries))[: self._max_links]
        if not entries:
            return None
        yield len(entries)
        return self._read(entries, found.title, response.url)

    def _in_scope(self, entries: Iterable[Entry], resolver: UrlResolver) -> list[Entry]:
        """Return the entries that lead to pages the crawl may ask for; count the others."""
        absolute = (
            entry if entry.url.startswith("http") else entry._replace(url=resolver.resolve_file(entry.url))
            for entry in entries
        )
        kept, refused = [], Counter[str]()
        for entry in absolute:
            if not is_page_url(entry.url) or entry.url in REFUSALS:
                refused["focused/links/refused_not_page_count"] += 1
            elif self._scope.limits_urls and (reason := self._scope.refusal(entry.url)):
                refused[f"focused/scope/{reason}_count"] += 1
            else:
                kept.append(entry)
        for stat, n_refused in refused.items():
            self._crawler.stats.inc_value(stat, n_refused)
        return kept

    def _best_first(self, entries: list[Entry]) -> Generator[int, None, list[Entry]]:
        """Return entries in the order of what their titles, or the words of their URLs, say; then the newest first."""
        entries = newest_first(entries)
        scores = np.zeros(len(entries))
        for first in range(0, len(entries), _SLICE_ENTRIES):
            some = entries[first : first + _SLICE_ENTRIES]
            # Each under a URL of its own, so that there is one score for each.
            numbered = [Entry(f"/{n}", each.title or path_terms(each.url)) for n, each in enumerate(some)]
            page = self._read(numbered, "", "http://source.invalid/")
            relevance = self._judging.judge.judge(page, {ANCHOR})
            scores[first : first + len(some)] = relevance.anchors
            yield len(some)
        return [entries[number] for number in np.argsort(-scores, kind="stable").tolist()]

    def _read(self, entries: Iterable[Entry], title: str, url: str) -> Page:
        return self._reader.read(as_page(entries, title), url, "text/html; charset=utf-8")

    def _count(self, what: str, n: int = 1) -> None:
        self._crawler.stats.inc_value(f"focused/sources/{what}_count", n)


def _remember(known: OrderedDict[str, Any], host: str, value: Any) -> None:
    """Note something of a host, and forget what was noted longest ago if that is of too many hosts."""
    known[host] = value
    known.move_to_end(host)
    if len(known) > _MAX_HOSTS:
        known.popitem(last=False)


def _netloc(url: str) -> str:
    return urlsplit(url).netloc.lower()
