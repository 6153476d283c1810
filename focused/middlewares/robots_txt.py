"""Obeys robots.txt as RFC 9309 says: read once a day from each origin; where it cannot be fetched, nothing is asked for."""

from __future__ import annotations

import logging
import re
import time
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.defer import Deferred

from focused.crawl.failures import LinkWaitsError, why_unanswered
from focused.crawl.private_addresses import AddressRefusedError
from focused.frontier.crawl_interface import crawl_of
from focused.frontier.robots_cache import RobotsCache
from focused.middlewares.robots_download import RobotsDownload

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from scrapy.robotstxt import RobotParser
    from typing_extensions import Self

    from focused.frontier.interface import RobotsOfHosts

logger = logging.getLogger(__name__)

_REFUSED_SECS = 60.0
"""How long an origin is refused without another look, where its links cannot wait."""
_MOST_REFUSED = 10_000
_FORBIDS = b"User-agent: *\nDisallow: /\n"
"""What holds where a robots.txt may not be looked at. Its host answers, so nothing is gained by waiting."""
_with_version = re.compile(
    rb"((?:^|[\r\n])(?:\xef\xbb\xbf)?[ \t]*user[- ]?agent[ \t]*:[ \t]*[^\s/#]+)/[^\s#]*", re.IGNORECASE
).sub


class RobotsTxtMiddleware:
    """Asks each origin (scheme, host and port) for its robots.txt before anything else, and obeys it.

    What the answer allows: 2xx what it says; 3xx what its target says; 4xx everything; 429, 5xx and no answer nothing, until
    it can be fetched. Meanwhile the links of the host wait, where the frontier lets them (see
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
        self._download = RobotsDownload(crawler)
        self._clock = clock
        self._agent = crawler.settings["ROBOTSTXT_USER_AGENT"] or None
        self._default_agent = crawler.settings["USER_AGENT"]
        parser = load_object(crawler.settings["ROBOTSTXT_PARSER"])
        self._cache: RobotsCache[RobotParser] = RobotsCache(
            lambda text: build_from_crawler(parser, crawler, _without_versions(text))
        )
        # Origins whose robots.txt is being read, and who waits for it. They are told why it cannot be fetched, or "".
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
        """Return what robots.txt says to a request; an `IgnoreRequest` where it cannot be fetched."""
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
        """End a request whose robots.txt cannot be fetched; its link waits if it can."""
        if _link_waits(self.crawler, request, f"robots.txt: {why}"):
            raise LinkWaitsError(f"robots.txt cannot be fetched: {why}")
        if origin not in self._refused:
            if len(self._refused) >= _MOST_REFUSED:
                del self._refused[next(iter(self._refused))]
            self._refused[origin] = self._clock() + _REFUSED_SECS, why
        self._stats.inc_value("focused/robots/refused_count")
        raise IgnoreRequest(f"robots.txt cannot be fetched: {why}")

    async def _read_once(self, origin: str, request: Request) -> str:
        """Read an origin's robots.txt, or wait until another request has; return why it cannot be fetched, else nothing."""
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
        """Read an origin's robots.txt; return why it cannot be fetched, else nothing.

        Where an old one cannot be fetched again, it still holds.
        """
        self._stats.inc_value("robotstxt/request_count")
        try:
            response = await self._download.answer(f"{origin}/robots.txt")
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
            text = self._download.as_far_as_read(response) if 200 <= response.status < 300 else b""
            if (crawl := crawl_of(self.crawler)) is not None:
                crawl.frontier.host_answered(request)
        rules = self._cache.put(origin, text, self._clock())
        self._handed_on.discard(origin)
        if self._shared is not None:
            self._shared.hand_on(origin, text)
        await self._say_parsed(rules, request)
        return ""

    async def _say_parsed(self, rules: RobotParser, request: Request) -> None:
        await self.crawler.signals.send_catch_log_async(signals.robots_parsed, robotparser=rules, request=request)

    def _unreachable(self, origin: str, why: str) -> str:
        self._stats.inc_value("focused/robots/unreachable_count")
        logger.debug("%s/robots.txt cannot be fetched: %s", origin, why)
        if self._cache.get(origin) is None:
            return why
        self._cache.keep_for_now(origin, self._clock())
        return ""


def _without_versions(text: bytes) -> bytes:
    r"""Return a robots.txt whose groups name crawlers without their versions, which are no part of the name [RFC 9309, 2.2.1].

    >>> _without_versions(b"User-agent: focused/1.0 # ours\nDisallow: /a/b")
    b'User-agent: focused # ours\nDisallow: /a/b'
    """
    return _with_version(rb"\1", text)


def _link_waits(crawler: Crawler, request: Request, why: str) -> bool:
    """Tell the frontier that a request's host cannot be asked; return whether the request's link waits."""
    crawl = crawl_of(crawler)
    return crawl is not None and crawl.frontier.host_failed(request, why)
