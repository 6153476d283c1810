"""Obeys robots.txt as RFC 9309 says: read once a day from each origin; where it cannot be had, nothing is asked for."""

from __future__ import annotations

import logging
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest, NotConfigured, StopDownload
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.defer import Deferred

from focused.crawl.failures import LinkWaitsError, why_unanswered
from focused.crawl.private_addresses import AddressRefusedError
from focused.crawl.source_requests import IN_PART
from focused.frontier.interface import crawl_of
from focused.frontier.robots_cache import RobotsCache

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from typing_extensions import Self

    from focused.frontier.interface import RobotsOfHosts

logger = logging.getLogger(__name__)

MAX_TEXT_BYTES = 512_000
"""Of a robots.txt; a longer one is obeyed as far as it is read [RFC 9309, 2.5]."""
MAX_REDIRECTS = 5
"""That are followed, to other hosts too; after more the file counts as missing [RFC 9309, 2.3.1.2]."""
_MOST_DECODED_BYTES = 20_000_000
_REFUSED_SECS = 60.0
"""How long an origin is refused without another look, where its links cannot wait."""
_MOST_REFUSED = 10_000
ASKED = "focused_robots_txt"
"""In the meta of a request for a robots.txt."""
_FORBIDS = b"User-agent: *\nDisallow: /\n"
"""What holds where a robots.txt may not be looked at. Its host answers, so nothing is gained by waiting."""
_with_version = re.compile(
    rb"((?:^|[\r\n])(?:\xef\xbb\xbf)?[ \t]*user[- ]?agent[ \t]*:[ \t]*[^\s/#]+)/[^\s#]*", re.IGNORECASE
).sub
_META = {
    ASKED: True,
    "dont_obey_robotstxt": True,
    "allow_offsite": True,
    # Its redirects are counted apart, and it is tried again when the host has rested.
    "dont_redirect": True,
    "dont_retry": True,
    # A length that is announced does not matter: the rest is not read.
    "download_maxsize": 0,
    # A packed one is unpacked as far as it is obeyed.
    IN_PART: MAX_TEXT_BYTES,
}


class RobotsTxtMiddleware:
    """Asks each origin (scheme, host and port) for its robots.txt before anything else, and obeys it.

    What the answer allows: 2xx what it says; 3xx what its target says; 4xx everything; 429, 5xx and no answer nothing, until
    it can be had. Meanwhile the links of the host wait, where the frontier lets them (see
    `focused.frontier.interface.Frontier.host_failed`), and fail elsewhere. An old robots.txt that cannot be read again holds.
    Where many workers share a crawl, one that another has read is not asked for again before it is a day old.

    Place: 100, instead of Scrapy's own. Its signal ``robots_parsed`` is sent for every robots.txt that was read, also for a
    missing one; for one that another worker has read, when this one first asks its host.

    Settings: ROBOTSTXT_OBEY, ROBOTSTXT_PARSER, ROBOTSTXT_USER_AGENT, USER_AGENT. Meta: ``dont_obey_robotstxt``.

    Stats: as Scrapy's, ``robotstxt/request_count``, ``robotstxt/response_count``, ``robotstxt/response_status_count/N``,
    ``robotstxt/exception_count/TYPE``, ``robotstxt/forbidden``; ``focused/robots/unreachable_count``,
    ``focused/robots/cut_count``, ``focused/robots/refused_count``, ``focused/robots/handed_on_count``.
    """

    def __init__(self, crawler: Crawler, clock: Callable[[], float] = time.monotonic) -> None:
        self.crawler = crawler
        self._stats = crawler.stats
        self._clock = clock
        self._agent = crawler.settings["ROBOTSTXT_USER_AGENT"] or None
        self._default_agent = crawler.settings["USER_AGENT"]
        parser = load_object(crawler.settings["ROBOTSTXT_PARSER"])
        self._cache: RobotsCache[RobotParser] = RobotsCache(
            lambda text: build_from_crawler(parser, crawler, _without_versions(text))
        )
        # Origins whose robots.txt is being read, and who waits for it. They are told why it cannot be had, or "".
        self._reading: dict[str, list[Deferred[str]]] = {}
        self._refused: dict[str, tuple[float, str]] = {}
        #: Hands files on between workers; None where this process asks all hosts.
        self._shared: RobotsOfHosts | None = None
        #: Origins whose robots.txt another worker has read, until this one asks for something there.
        self._handed_on: set[str] = set()
        # The frontier is there by then, and has asked for nothing.
        crawler.signals.connect(self._spider_opened, signals.spider_opened)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of crawls that do not obey robots.txt."""
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        return cls(crawler)

    def _spider_opened(self) -> None:
        crawl = crawl_of(self.crawler)
        self._shared = None if crawl is None else crawl.frontier.robots
        if self._shared is not None:
            self._shared.on_known = self._was_handed_on

    def _was_handed_on(self, origin: str, text: bytes, age_secs: float) -> None:
        """Take over what another worker has read: what is too old holds only if it cannot be read again."""
        if self._cache.put_if_later(origin, text, self._clock() - age_secs):
            self._handed_on.add(origin)

    async def process_request(self, request: Request) -> None:
        """Pass a request that its robots.txt allows; end any other by an `IgnoreRequest`."""
        if request.meta.get("dont_obey_robotstxt") or not request.url.startswith(("http:", "https:")):
            return
        rules = await self._rules(request)
        agent: Any = self._agent or request.headers.get(b"User-Agent", self._default_agent)
        if not rules.allowed(request.url, agent):
            self._stats.inc_value("robotstxt/forbidden")
            raise IgnoreRequest("Forbidden by robots.txt")

    async def _rules(self, request: Request) -> RobotParser:
        """Return what robots.txt says to a request; an `IgnoreRequest` where it cannot be had."""
        parts = urlparse_cached(request)
        origin = f"{parts.scheme}://{parts.netloc}"
        while True:
            if self._cache.is_stale(origin, self._clock()):
                why = await self._read_once(origin, request)
                if why:
                    self._refuse(origin, request, why)
            rules = self._cache.get(origin)
            if rules is None:  # there was no room for it
                continue
            if origin in self._handed_on:
                self._handed_on.discard(origin)
                self._stats.inc_value("focused/robots/handed_on_count")
                await self._say_parsed(rules, request)
            return rules

    def _refuse(self, origin: str, request: Request, why: str) -> None:
        """End a request whose robots.txt cannot be had; its link waits if it can."""
        if _link_waits(self.crawler, request, f"robots.txt: {why}"):
            raise LinkWaitsError(f"robots.txt cannot be had: {why}")
        if origin not in self._refused:
            if len(self._refused) >= _MOST_REFUSED:
                del self._refused[next(iter(self._refused))]
            self._refused[origin] = self._clock() + _REFUSED_SECS, why
        self._stats.inc_value("focused/robots/refused_count")
        raise IgnoreRequest(f"robots.txt cannot be had: {why}")

    async def _read_once(self, origin: str, request: Request) -> str:
        """Read an origin's robots.txt, or wait until another request has; return why it cannot be had, else nothing."""
        until, why = self._refused.pop(origin, (0.0, ""))
        if self._clock() < until:
            self._refused[origin] = until, why
            return why
        if origin in self._reading:
            answer: Deferred[str] = Deferred()
            self._reading[origin].append(answer)
            return await maybe_deferred_to_future(answer)
        self._reading[origin] = []
        why = "no answer"
        try:
            why = await self._read(origin, request)
        finally:
            for waiting in self._reading.pop(origin):
                waiting.callback(why)
        return why

    async def _read(self, origin: str, request: Request) -> str:
        """Read an origin's robots.txt; return why it cannot be had, else nothing. An old one that can be had no more holds."""
        self._stats.inc_value("robotstxt/request_count")
        try:
            response = await self._answer(f"{origin}/robots.txt")
        except AddressRefusedError:  # as is whatever else is asked for there
            text = b""
        except IgnoreRequest as error:  # by another middleware, or a redirect leads where nothing is asked
            logger.debug("%s/robots.txt is not read, and forbids all: %s", origin, error)
            text = _FORBIDS
        except Exception as error:  # noqa: BLE001  whatever a download handler raises: there is no robots.txt
            self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            return self._unreachable(origin, why_unanswered(error))
        else:
            if response.status >= 500 or response.status == 429:  # who asks too much is not told that all is allowed
                return self._unreachable(origin, f"HTTP {response.status}")
            text = self._as_far_as_read(response) if 200 <= response.status < 300 else b""
        rules = self._cache.put(origin, text, self._clock())
        self._handed_on.discard(origin)
        if self._shared is not None:
            self._shared.was_read(origin, text)
        await self._say_parsed(rules, request)
        return ""

    async def _say_parsed(self, rules: RobotParser, request: Request) -> None:
        await self.crawler.signals.send_catch_log_async(signals.robots_parsed, robotparser=rules, request=request)

    def _unreachable(self, origin: str, why: str) -> str:
        self._stats.inc_value("focused/robots/unreachable_count")
        logger.debug("%s/robots.txt cannot be had: %s", origin, why)
        if self._cache.get(origin) is None:
            return why
        self._cache.keep_for_now(origin, self._clock())
        return ""

    async def _answer(self, url: str) -> Response:
        """Return what answers a URL, after redirects; where there are too many, or one leads nowhere, the last of them."""
        for n_redirects in range(MAX_REDIRECTS + 1):
            try:
                response = await self._download(url)
            except AddressRefusedError as error:
                if n_redirects:
                    raise IgnoreRequest(f"it leads where nothing is asked ({error})") from None
                raise
            self._stats.inc_value("robotstxt/response_count")
            self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
            target = _target(response)
            if target is None:
                break
            url = target
        return response

    async def _download(self, url: str) -> Response:
        """Download the first ``MAX_TEXT_BYTES`` of a URL."""
        headers = {"Accept-Encoding": "identity"}
        asked = Request(url, callback=NO_CALLBACK, priority=1000, headers=headers, meta=dict(_META))
        n_bytes = 0

        def read_enough(data: bytes, request: Request) -> None:
            nonlocal n_bytes
            if request is asked:
                n_bytes += len(data)
                # What is packed all the same is unpacked no further than this.
                request.meta["download_maxsize"] = _MOST_DECODED_BYTES
                if n_bytes > MAX_TEXT_BYTES:
                    raise StopDownload(fail=False)

        # Connected for so long only: each piece of each page would cost 20 us.
        self.crawler.signals.connect(read_enough, signals.bytes_received)
        try:
            assert self.crawler.engine is not None
            return await self.crawler.engine.download_async(asked)
        finally:
            self.crawler.signals.disconnect(read_enough, signals.bytes_received)

    def _as_far_as_read(self, response: Response) -> bytes:
        """Return the text of a robots.txt without what is beyond the limit: half a line might forbid what no line does."""
        if len(response.body) <= MAX_TEXT_BYTES:
            return response.body
        self._stats.inc_value("focused/robots/cut_count")
        text = response.body[:MAX_TEXT_BYTES]
        return text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1]


def _without_versions(text: bytes) -> bytes:
    r"""Return a robots.txt whose groups name crawlers without their versions, which are no part of the name [RFC 9309, 2.2.1].

    >>> _without_versions(b"User-agent: focused/1.0 # ours\nDisallow: /a/b")
    b'User-agent: focused # ours\nDisallow: /a/b'
    """
    return _with_version(rb"\1", text)


def _target(response: Response) -> str | None:
    """Return where an answer redirects to; None if it is no redirect to a page of the web."""
    if response.status not in (301, 302, 303, 307, 308) or "Location" not in response.headers:
        return None
    location: Any = response.headers["Location"]
    try:
        url = urljoin(response.url, location.decode("utf-8", "replace").strip())
        parts = urlsplit(url)
        return url if parts.scheme in ("http", "https") and parts.hostname else None
    except ValueError:
        return None


def _link_waits(crawler: Crawler, request: Request, why: str) -> bool:
    """Tell the frontier that a request's host cannot be asked; return whether the request's link waits."""
    crawl = crawl_of(crawler)
    return crawl is not None and crawl.frontier.host_failed(request, why)
