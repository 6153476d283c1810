"""Decides which sitemaps and feeds a crawl asks for, and makes their requests.

A page asks for them: one that is relevant, or that the crawl began with. So no request is spent on hosts that have nothing,
and what is asked for becomes durable together with the page.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request, signals

from focused.method.page.link_list import FEED, SITEMAP, LinkSource
from focused.method.page.link_source import MAX_BYTES
from focused.method.page.urls import REFUSALS, UrlResolver
from focused.method.scoring.priority import to_priority
from focused.utils.crawl_settings import FEEDS, SITEMAPS, SITEMAPS_WHEN
from focused.utils.scope import NOT_ALLOWED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy.crawler import Crawler

    from focused.method.page.page import Page
    from focused.utils.scope import Scope

CALLBACK = "parse_source"
"""The spider's method that sources go to; it yields a :class:`focused.items.LinkSource`."""
IN_PART = "read_in_part"
"""In the meta of requests whose bodies are of use in part: the most bytes to read. Its name does not begin with `focused_`,
because it waits with the request: see `focused.frontier.link_requests`."""

_FIRST, _LAST = to_priority(1.0, True), 2 * to_priority(0.0, False)
"""Before all links and behind seeds; behind all links. What feeds say of their few links is worth knowing at once. Of those of
a sitemap nothing is known but the URLs, and there are many (docs/results/link-sources.md)."""
_MAX_DEPTH = 2  # sitemap indexes above a sitemap
_MAX_HOSTS = 10_000
_MAX_NAMED_CHARS = 1_500  # of a host's sitemaps, until they are asked for
_CAPS = ("FOCUSED_FRONTIER_MAX_PER_HOST", "FOCUSED_FRONTIER_MAX_PER_DOMAIN")
_PAGES_FOR_SOURCE = 20
"""Where the pages of a host are limited, sources count among them: so many of them allow one sitemap and one feed."""


class SourceRequests:
    """Asks for the sitemaps that robots.txt names, for the best that their indexes list, and for the feeds that pages name.

    Settings: FOCUSED_SITEMAPS, FOCUSED_FEEDS (how many of a host), FOCUSED_SITEMAPS_WHEN; FOCUSED_FRONTIER_MAX_PER_HOST,
    FOCUSED_FRONTIER_MAX_PER_DOMAIN.

    Stats: ``focused/sources/over_limit_count``.
    """

    def __init__(self, crawler: Crawler, scope: Scope) -> None:
        settings = crawler.settings
        self._crawler, self._scope = crawler, scope
        self._most = {SITEMAP: SITEMAPS.read(settings), FEED: FEEDS.read(settings)}
        for cap in filter(None, map(settings.getint, _CAPS)):
            self._most = {kind: min(most, cap // _PAGES_FOR_SOURCE) for kind, most in self._most.items()}
        is_last = SITEMAPS_WHEN.read(settings) == "last"
        self._priorities = {FEED: _FIRST, SITEMAP: _LAST if is_last else _FIRST}
        #: Sitemaps that a host's robots.txt names, until a page of the host asks for them.
        self._named: OrderedDict[str, list[str]] = OrderedDict()
        #: What was asked for of each host, kinds and URLs; the hosts asked last are remembered.
        self._asked: OrderedDict[str, set[tuple[str, str]]] = OrderedDict()
        if self._most[SITEMAP]:
            crawler.signals.connect(self._robots_parsed, signals.robots_parsed)

    def of_page(self, page: Page, *, follows: bool) -> Iterator[Request]:
        """Yield requests for the sources of a page's host: its sitemaps, and the feeds that the page names.

        ``follows``: whether the page lets its own links be followed.
        """
        host = _netloc(page.url)
        for url in self._named.pop(host, ()):
            yield from self._request(url, LinkSource(SITEMAP, host), page.url)
        if follows and self._most[FEED] and page.marked_text.feeds:
            resolver = UrlResolver(page.url, page.marked_text.base, encoding=page.encoding)
            for url in dict.fromkeys(map(resolver.resolve_file, page.marked_text.feeds)):
                yield from self._request(url, LinkSource(FEED, host), page.url)

    def of_index(self, targets: Iterable[str], url: str, source: LinkSource) -> Iterator[Request]:
        """Yield requests for sitemaps that an index lists, the best first; ``url`` is that of the index."""
        resolver, listed = UrlResolver(url), LinkSource(SITEMAP, source.host, source.depth + 1)
        for target in targets:
            yield from self._request(resolver.resolve_file(target), listed, url)

    def _robots_parsed(self, robotparser: Any, request: Request) -> None:
        """Take down the sitemaps that a host's robots.txt names."""
        resolver, named, room = UrlResolver(request.url), list[str](), _MAX_NAMED_CHARS
        for target in dict.fromkeys(getattr(getattr(robotparser, "rp", robotparser), "sitemaps", ())):
            url = resolver.resolve_file(str(target))
            if url in REFUSALS:
                continue
            room -= len(url)
            if room < 0 or len(named) >= self._most[SITEMAP]:
                self._count_over_limit()
            else:
                named.append(url)
        if named:
            _remember(self._named, _netloc(request.url), named)

    def _request(self, url: str, source: LinkSource, referrer: str) -> Iterator[Request]:
        """Yield the request for a source that a page or an index names.

        Once, and not where its host has had enough of its kind, or it lies too deep.
        """
        callback = getattr(self._crawler.spider, CALLBACK, None)
        if url in REFUSALS or callback is None:
            return
        asked = self._asked.get(source.host) or set()
        if (source.kind, url) in asked:
            return
        if source.depth > _MAX_DEPTH or sum(kind == source.kind for kind, _ in asked) >= self._most[source.kind]:
            self._count_over_limit()
            return
        asked.add((source.kind, url))
        _remember(self._asked, source.host, asked)
        yield Request(
            url,
            callback,
            errback=getattr(self._crawler.spider, "failed", None),
            priority=self._priorities[source.kind],
            cb_kwargs={"kind": source.kind, "host": source.host, "depth": source.depth},
            meta={"focused_referrer": referrer, IN_PART: MAX_BYTES, **self._opening(url, source.host)},
        )

    def _opening(self, url: str, host: str) -> dict[str, bool]:
        """Return the meta of a source: one of a host that has pages in scope may lie beside the paths that are allowed."""
        is_beside = _netloc(url) == host and self._scope.refusal(url) == NOT_ALLOWED
        return {"allow_offsite": True} if is_beside else {}

    def _count_over_limit(self) -> None:
        self._crawler.stats.inc_value("focused/sources/over_limit_count")


def _remember(known: OrderedDict[str, Any], host: str, value: Any) -> None:
    """Note something of a host, and forget what was noted longest ago if that is of too many hosts."""
    known[host] = value
    known.move_to_end(host)
    if len(known) > _MAX_HOSTS:
        known.popitem(last=False)


def _netloc(url: str) -> str:
    return urlsplit(url).netloc.lower()
