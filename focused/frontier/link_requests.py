"""Links as Scrapy's requests, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import Response
from scrapy.spidermiddlewares.referer import RefererMiddleware

from focused.frontier.leases import LEASE
from focused.frontier.store.link import Link, fingerprint_of, host_of
from focused.method.scoring.link_meta import read_evidence, write_evidence
from focused.method.scoring.priority import LEVELS, SEED, to_priority

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from twisted.python.failure import Failure

    from focused.frontier.store.link import Leased
    from focused.method.scoring import Evidence

TUNNEL = "focused_tunnel"
# What of a request's meta its evidence holds, or is of no use once it waits.
_KEPT_META = {
    "focused_link_score", "focused_link_reason", "focused_referrer", "focused_irrelevant_on_path", "focused_carried",
    "focused_parts", "focused_referrers", "focused_model_version", "depth", "is_start_request", TUNNEL,
}  # fmt: skip


class LinkRequests:
    """Tells which requests are links, and makes requests of links.

    Parameters
    ----------
    crawler : Crawler
        Its spider is there.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._spider: Any = crawler.spider
        self._referers: RefererMiddleware | None = None

    @property
    def _failed(self) -> Callable[[Failure], None] | None:
        """What the spider does about a page that could not be fetched, if it does anything."""
        return getattr(self._spider, "failed", None)

    def spider_opened(self) -> None:
        """Find out who sets the Referer header: known when the engine has been put together."""
        self._referers = self._crawler.get_spider_middleware(RefererMiddleware)

    def is_link(self, request: Request) -> bool:
        """Tell whether a request can be made again from what the frontier keeps of a link."""
        return (
            request.method == "GET"
            and not request.dont_filter
            and not request.body
            and not request.cb_kwargs
            and not request.cookies
            and request.callback in (None, self._spider.parse)
            and request.errback in (None, self._failed)
            and request.meta.keys() <= _KEPT_META
        )

    def link(self, request: Request) -> Link:
        """Return the link that a request stands for."""
        digest = self._crawler.request_fingerprinter.fingerprint(request)
        fingerprint = fingerprint_of(digest, host_of(request.url))
        evidence = read_evidence(request.meta)
        extra = request.priority - to_priority(evidence.score, evidence.admitted)
        return Link(fingerprint, request.url, evidence, extra, request.meta.get(TUNNEL, 0))

    def found(self, url: str, evidence: Evidence | None, tunnel: int = 0) -> Request:
        """Return the request for a link as a page gives it; without evidence, one of priority 0."""
        if evidence is None:
            return Request(url, errback=self._failed)
        priority = to_priority(evidence.score, evidence.admitted)
        request = Request(url, errback=self._failed, priority=priority, meta={TUNNEL: tunnel} if tunnel else None)
        write_evidence(request.meta, evidence)
        return request

    def leased(self, link: Leased) -> Request:
        """Return the request for a link that is handed out."""
        meta: dict[str, Any] = {}
        write_evidence(meta, link.evidence)
        meta[LEASE] = link.id
        if link.priority >= SEED - LEVELS:
            meta["focused_link_reason"] = "seed"
        request = Request(link.url, errback=self._failed, priority=link.priority, meta=meta)
        if link.evidence.referrer and self._referers is not None:
            self._referers.get_processed_request(request, Response(link.evidence.referrer))
        return request
