"""Turns Scrapy's requests, for links and the spider's own, into what the frontier keeps, and back.

Own requests are kept as text. No pickle: what is no JSON is refused.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import Response
from scrapy.spidermiddlewares.referer import RefererMiddleware
from scrapy.utils.request import request_from_dict

from focused.frontier.leases import LEASE
from focused.frontier.store.link import FrontierLink, fingerprint_of
from focused.frontier.store.ranks import MOST_EXACT, MOST_PRIORITY
from focused.method.scoring.link_meta import WORDS, read_evidence, write_evidence
from focused.method.scoring.priority import LEVELS, SEED, to_priority
from focused.utils.origins import host_of
from focused.utils.url_forms import without_default_port

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from twisted.python.failure import Failure

    from focused.frontier.store.link import Leased
    from focused.method.scoring import Evidence

logger = logging.getLogger(__name__)

TUNNEL = "focused_tunnel"
# What of a request's meta its evidence holds, or is of no use once it waits.
_KEPT_META = {
    "focused_link_score", "focused_link_reason", "focused_referrer", "focused_irrelevant_on_path", "focused_carried",
    "focused_parts", "focused_referrers", "focused_model_version", "depth", "is_start_request", TUNNEL, WORDS
}  # fmt: skip
_NOT_DURABLE = "focused/frontier/not_durable_count"
# One of these is in the meta of every request for a seed or a link of a page.
_LINK_META = {"focused_link_score", TUNNEL}
# What Scrapy's RefererMiddleware makes of a link again when it is handed out.
_MADE_HEADERS = {b"Referer"}
# Said of the response that a request's meta was copied from.
_PASSING_META = frozenset({"is_start_request", "download_latency"})
_PROJECT_META = "focused_"
_VERBATIM = "verbatim_url"
# A lower-case host, a port, and a path and a query that need no quoting.
_is_quoted = re.compile(
    r"https?://[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::[1-9][0-9]{0,3})?/[A-Za-z0-9_.~/-]*(?:\?[A-Za-z0-9_.~/&=+-]+)?", re.ASCII
).fullmatch
_SCRAPY = "scrapy."
"""Modules whose classes a file may name: it must not choose which other code is loaded."""


class LinkRequests:
    """Makes links of requests, and requests of links.

    The request for a seed or a link of a page carries the link's evidence. All others are the spider's own: they keep all
    that JSON can keep, and their priority.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._spider: Any = crawler.spider
        self._referers: RefererMiddleware | None = None
        #: Returns the form of a URL that it is compared by.
        self.form: Callable[[str], str] = str

    @property
    def _failed(self) -> Callable[[Failure], None] | None:
        """What the spider does about a page that could not be fetched, if it does anything."""
        return getattr(self._spider, "failed", None)

    def spider_opened(self) -> None:
        """Find the middleware that sets the Referer header; it exists once the engine has been built."""
        self._referers = self._crawler.get_spider_middleware(RefererMiddleware)

    def to_link(self, request: Request) -> FrontierLink:
        """Return the link that a request is for. A `NotDurableError` says that the frontier cannot keep all of the request."""
        return self.link_with_text(request, self.text_of(request))

    def text_of(self, request: Request) -> str | None:
        """Return the text that keeps the spider's own request, None for a link; a `NotDurableError` if no text can."""
        return None if self._is_link(request) else to_text(request, self._spider)

    def redirect_to_link(self, request: Request, link: Leased) -> FrontierLink:
        """Return the link that stands for the target to which a link under way was redirected."""
        text = link.request
        if text is not None:
            with suppress(NotDurableError):
                text = to_text(request, self._spider)
        return replace(self.link_with_text(request, text), callback=link.callback)

    def request_for_new(self, url: str, evidence: Evidence | None, tunnel: int = 0) -> Request:
        """Return the request for a new link of a page; without evidence its priority is 0."""
        request = _request(url, None, errback=self._failed, meta={TUNNEL: tunnel})
        if evidence is not None:
            request.priority = to_priority(evidence.score, evidence.admitted)
            write_evidence(request.meta, evidence)
        return request

    def request_for_lease(self, link: Leased) -> Request:
        """Return the request for a link that is handed out. A ValueError says that the spider lacks its callback."""
        if link.request is not None:
            own = from_text(link.request, self._spider, priority=link.priority)
            own.meta[LEASE] = link.id
            return own
        meta: dict[str, Any] = {}
        write_evidence(meta, link.evidence)
        meta[LEASE] = link.id
        if link.priority >= SEED - LEVELS:
            meta["focused_link_reason"] = "seed"
        callback = self._method(link.callback)
        request = _request(link.url, callback, errback=self._failed, priority=link.priority, meta=meta)
        if link.evidence.referrer and self._referers is not None:
            self._referers.get_processed_request(request, Response(link.evidence.referrer))
        return request

    def count_not_durable(self, request: Request, error: NotDurableError) -> None:
        """Count a request that no file can keep, and say so of the first."""
        stats = self._crawler.stats
        if not stats.get_value(_NOT_DURABLE):
            logger.warning(
                "%s waits in memory only, and is lost if the crawl is killed: %s. Others like it are counted (%s).",
                request,
                error,
                _NOT_DURABLE,
            )
        stats.inc_value(_NOT_DURABLE)

    def _is_link(self, request: Request) -> bool:
        """Tell whether a request is for a seed or a link of a page, and has nothing else that must be kept."""
        callback = request.callback
        return (
            not request.meta.keys().isdisjoint(_LINK_META)
            and type(request) is Request
            and request.method == "GET"
            and request.headers.keys() <= _MADE_HEADERS
            and not request.dont_filter
            and not request.flags
            and not request.body
            and not request.cb_kwargs
            and not request.cookies
            and (callback is None or callback == getattr(self._spider, getattr(callback, "__name__", ""), None))
            and request.errback in (None, self._failed)
            and request.meta.keys() <= _KEPT_META
        )

    def link_with_text(self, asked: Request, text: str | None) -> FrontierLink:
        """Return the link of a request whose text (:meth:`text_of`) is known."""
        fingerprint = self.fingerprint(asked, is_link=text is None)
        evidence = read_evidence(asked.meta)
        priority = asked.priority
        if text is None:  # far less is needed to come before, or behind, all other links
            priority = max(-MOST_PRIORITY, min(MOST_PRIORITY, priority))
        extra = priority - to_priority(evidence.score, evidence.admitted)
        is_plain = text is not None or asked.callback in (None, self._spider.parse)
        callback = None if is_plain else getattr(asked.callback, "__name__", None)
        return FrontierLink(fingerprint, asked.url, evidence, extra, asked.meta.get(TUNNEL, 0), callback, text)

    def fingerprint(self, asked: Request, *, is_link: bool | None = None) -> int:
        """Return the fingerprint by which duplicates are found; a request that is not filtered has one of its own.

        ``is_link``: whether it is for a link, or for what one was redirected to; None: the request itself tells.
        """
        if asked.dont_filter and "is_start_request" not in asked.meta:
            digest = secrets.token_bytes(8)  # it is fetched however often its like was
        else:  # start requests are filtered even so: a spider yields them again when its crawl is resumed
            plain = without_default_port(asked.url)
            form = self.form(plain) if (self._is_link(asked) if is_link is None else is_link) else plain
            compared = asked if form == asked.url else asked.replace(url=form)
            digest = self._crawler.request_fingerprinter.fingerprint(compared)
        return fingerprint_of(digest, host_of(asked.url))

    def url_fingerprint(self, url: str) -> int:
        """Return the fingerprint of a link's URL."""
        plain = Request(without_default_port(url))
        return fingerprint_of(self._crawler.request_fingerprinter.fingerprint(plain), host_of(url))

    def _method(self, name: str | None) -> Any:
        """Return a method of the spider; None without a name."""
        if name is None:
            return None
        if name.startswith("__") or not callable(method := getattr(self._spider, name, None)):
            raise ValueError(f"spider {self._spider.name!r} has no method {name!r}")
        return method


def _request(url: str, callback: Any, *, meta: dict[str, Any], **options: Any) -> Request:
    """Return a request; a URL that Scrapy would leave as it is, as most are, is not quoted again."""
    if not _is_quoted(url):
        return Request(url, callback, meta=meta, **options)
    request = Request(url, callback, meta={**meta, _VERBATIM: True}, **options)
    del request.meta[_VERBATIM]  # it would say that servers need the URL just so
    return request


class NotDurableError(ValueError):
    """A request cannot be kept in the frontier's file; the message says what of it."""


def to_text(request: Request, spider: Spider) -> str:
    """Return all of a request but its priority, as JSON: the frontier keeps that beside it, unless it has too many digits.

    Bytes (headers, body) are written as Latin-1, which gives each byte back as it was. Callback and errback are written as
    names of the spider's methods. Raises a `NotDurableError` if a part would not come back as it was.
    """
    cls = type(request)
    if not cls.__module__.startswith(_SCRAPY):
        raise NotDurableError(f"its class is {cls.__module__}.{cls.__qualname__}, not one of Scrapy's")
    try:
        found = request.to_dict(spider=spider)
    except ValueError as error:
        raise NotDurableError(f"its callback or errback is no method of the spider ({error})") from None
    if abs(request.priority) <= MOST_EXACT:
        del found["priority"]
    found["headers"] = {
        name.decode("latin-1"): [each.decode("latin-1") for each in values] for name, values in found["headers"].items()
    }
    found["body"] = found["body"].decode("latin-1")
    passing = {key for key in request.meta if key in _PASSING_META or str(key).startswith(_PROJECT_META)}
    found["meta"] = {key: value for key, value in request.meta.items() if key not in passing}
    for name, value in found.items():
        _check(name, value)
    return json.dumps(found)


def from_text(text: str, spider: Spider, *, priority: int) -> Request:
    """Return the request that ``to_text`` wrote.

    Raises
    ------
    ValueError
        If the spider has no method of a name that the text has, the text names a class that is not Scrapy's, or it is not
        what ``to_text`` writes.
    """
    try:
        found: dict[str, Any] = json.loads(text)
        if not found.get("_class", _SCRAPY).startswith(_SCRAPY):
            raise ValueError(f"The request is of the class {found['_class']}, which is not one of Scrapy's")
        found["headers"] = {
            name.encode("latin-1"): [each.encode("latin-1") for each in values]
            for name, values in found["headers"].items()
        }
        found["body"] = found["body"].encode("latin-1")
        return request_from_dict({"priority": priority, **found}, spider=spider)
    except (LookupError, TypeError, AttributeError, RecursionError) as error:  # the file may come from a stranger
        raise ValueError(f"what was kept of the request is damaged ({type(error).__name__}: {error})") from None


def _check(name: str, value: Any) -> None:
    """Refuse a value that JSON gives back as another one, such as a tuple or a number as a key."""
    if isinstance(value, dict):
        for key, each in value.items():
            if not isinstance(key, str):
                raise NotDurableError(f"{name} has the key {key!r}, which is no text")
            _check(f"{name}[{key!r}]", each)
    elif isinstance(value, list):
        for each in value:
            _check(name, each)
    elif value is not None and not isinstance(value, (str, int, float)):
        raise NotDurableError(f"{name} holds a {type(value).__name__}, which JSON cannot keep")
