"""Refuses requests whose URL shows that they may not be sent, before robots.txt is fetched or a host name is looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.spider import DefaultSpider

from focused.crawl.crawl import Crawl
from focused.crawl.private_addresses import HOST, SCHEME, USER, AddressRefusedError, addresses_of, count_refused
from focused.utils.addresses import is_host
from focused.utils.scrapy_internals import keep_cookies_offline

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from typing_extensions import Self

_LINK = "focused_link_score"
"""In the meta of a request for a seed or a link of a page; the spider's own requests do not have it."""

_NOT_TYPED = frozenset({"redirect_times", "dont_obey_robotstxt"})
"""In the meta of redirects' targets and of requests for robots.txt."""


class AddressMiddleware:
    """Ends requests for other schemes than http and https, and for hosts that are private addresses, in any spelling.

    It also ends requests whose URL names a user, or a host that cannot be the name of one: that would be looked up in vain,
    again and again.

    The address behind a name is checked where the connection is made, in :mod:`focused.crawl.live_handler`. This middleware
    also covers other download handlers, and requests through a proxy. In another project, the spider's own requests for other
    schemes pass if the project has handlers for them. A URL that is given to ``scrapy fetch`` or ``scrapy shell`` counts as
    named by the person; the target of its redirect does not.

    Place: 5, before all other downloader middlewares.

    Settings: FOCUSED_PRIVATE_ADDRESSES, DOWNLOAD_HANDLERS, COOKIES_ENABLED.

    Stats: ``focused/addresses/refused_count``, ``focused/addresses/KIND_count``, where KIND is ``scheme``, ``user``, ``host``
    or a kind of address.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._addresses = addresses_of(crawler)
        handlers = crawler.settings.getwithbase("DOWNLOAD_HANDLERS")
        self._handled = {scheme for scheme, handler in handlers.items() if handler is not None}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Take the crawler along; where cookies are sent, see to it that they ask for nothing."""
        if crawler.settings.getbool("COOKIES_ENABLED"):
            keep_cookies_offline()
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Pass a request, or end it by an `AddressRefusedError`."""
        if isinstance(self.crawler.spider, DefaultSpider) and _NOT_TYPED.isdisjoint(request.meta):
            self._addresses.name(request.url)
        scheme = urlparse_cached(request).scheme
        if scheme not in ("http", "https"):
            if scheme not in self._handled or _LINK in request.meta:
                self._refuse(request, SCHEME, f"its scheme is {scheme}")
            return
        parts = urlparse_cached(request)
        if kind := self._addresses.kind_of_url(request.url):
            self._refuse(request, kind, parts.hostname or "")
        if "@" in parts.netloc:
            self._refuse(request, USER, "its URL names a user")
        if not is_host(parts.hostname or ""):
            self._refuse(request, HOST, f"its host is no name of one, {parts.hostname}")

    def _refuse(self, request: Request, kind: str, where: str) -> None:
        refused = AddressRefusedError(kind, where)
        count_refused(self.crawler, request, refused)
        raise refused


class StartAddressMiddleware:
    """Spider middleware of crawls in other projects: the URLs that a spider starts with count as named by the person.

    The hosts and ports of these requests may have addresses that are not public, as seeds on the command line may. This does
    not hold under Scrapyd, where clients give a spider its arguments.

    Place: 20; any place would do.

    Settings: FOCUSED_PRIVATE_ADDRESSES.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._addresses = addresses_of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of this project's own crawls: their seeds are known already."""
        if Crawl.needed(crawler).plan.seeds:
            raise NotConfigured
        return cls(crawler)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass all on, and note the hosts of the requests."""
        async for each in start:
            if isinstance(each, Request):
                self._addresses.name(each.url)
            yield each
