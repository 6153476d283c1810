"""Refuses requests that are out of scope, whoever makes them: a spider, a redirect, an earlier run with another scope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.exceptions import IgnoreRequest

from focused.crawl.crawl import Crawl
from focused.frontier.crawl_interface import frontier_of
from focused.utils.scope import REDIRECT_OUT_OF_SCOPE, Scope
from focused.utils.url_lists import without_user

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self


class ScopeMiddleware(OffsiteMiddleware):
    """Scrapy's offsite middleware, which knows the crawl's scope besides the spider's ``allowed_domains``.

    Links of pages that are out of scope are left out before they become requests, by the link middleware. This one refuses the
    rest when they are scheduled: targets of redirects, and a spider's own requests. A redirect that it refuses ends its link
    as dropped; the frontier keeps where it leads. ``dont_filter`` opens the scope to nothing, only the meta key
    ``allow_offsite`` does.

    Place: 50, that of Scrapy's own, which it replaces.

    Settings: FOCUSED_SCOPE_ALLOW, FOCUSED_SCOPE_DENY.

    Stats: ``focused/scope/requests_refused_count``; for ``allowed_domains`` Scrapy's ``offsite/filtered``.
    """

    _scope = Scope()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Without a topic's crawl it is Scrapy's."""
        middleware = super().from_crawler(crawler)
        if (crawl := Crawl.of(crawler)) is not None:
            middleware._scope = crawl.plan.scope
        return middleware

    def request_scheduled(self, request: Request, spider: Spider) -> None:
        """Refuse a request that is about to wait, by an IgnoreRequest."""
        try:
            self._check(request)
            super().process_request(request)
        except IgnoreRequest:
            if Crawl.of(self.crawler) is not None:
                frontier_of(self.crawler).note_dropped(request, f"{REDIRECT_OUT_OF_SCOPE}{without_user(request.url)}")
            raise

    def process_request(self, request: Request) -> None:  # type: ignore[override]
        """Refuse what an earlier run with another scope left in Scrapy's queue; what is asked about a host passes."""
        if not request.meta.get("dont_obey_robotstxt"):
            self._check(request)
        super().process_request(request)

    def _check(self, request: Request) -> None:
        if not self._scope.limits_urls or request.meta.get("allow_offsite"):
            return
        if why := self._scope.why(request.url):
            self.stats.inc_value("focused/scope/requests_refused_count")
            raise IgnoreRequest(f"Out of scope ({why}): {request.url}")
