"""Tells when a host may be asked: by the delays of Scrapy's downloader, and by what the server asks for.

That is Crawl-delay in robots.txt, and Retry-After where they have had enough.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.resolver import dnscache

from focused.frontier.store.host_queue import BUSY
from focused.utils.clock import VIRTUAL_DELAY, Clock, VirtualClock, clock_of
from focused.utils.origins import host_of
from focused.utils.scrapy_internals import default_delay, forget_idle_slots

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.core.downloader import Downloader
    from scrapy.crawler import Crawler
    from scrapy.http import Response


logger = logging.getLogger(__name__)

_TOO_MANY_REQUESTS, _UNAVAILABLE = 429, 503
_MOST_MET = 20_000
"""Hosts that are remembered to have answered. One that is forgotten gets one request again until the next answer."""
_SPARE = 16
_FEW_RESTS = 1_000
_MOST_SAID = 100
_FEW_SLOTS = 1_000
"""As long as there are no more, Scrapy's downloader alone says how long it keeps the slots of its hosts: a minute."""
_SLOT_SECS = 10.0
"""How long at least the downloader remembers when a host was asked last; a longer delay is kept here."""


@dataclass(eq=False)
class HostAvailability:
    """Looks at the downloader's slots: delay (AutoThrottle's included), concurrency, requests under way.

    A request that its host cannot take yet would wait in the downloader, hold one of CONCURRENT_REQUESTS places, and
    keep a better link of its host, found meanwhile, from its turn. So none is handed out before its time.
    DOWNLOAD_DELAY_JITTER is the downloader's business: half of the requests wait there for a moment more.
    """

    downloader: Downloader
    #: Whether a host's delay is unknown until its robots.txt, or a first answer, has come.
    obeys_robots: bool = False
    #: The times are on this clock.
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self._handed: dict[str, set[Request]] = {}
        self._met: dict[str, None] = {}
        self._rests_until: dict[str, float] = {}
        #: Returns the hosts that have no link that may be asked for because they do not answer, and until when.
        self.resting_hosts: Callable[[], dict[str, float]] = dict
        self._most_rests, self._most_slots = _FEW_RESTS, _FEW_SLOTS
        #: Seconds between two requests that a host's robots.txt asks for.
        self.crawl_delays: dict[str, float] = {}

    def note_crawl_delay(self, host: str, crawl_delay: float) -> None:
        """Note what a host's robots.txt asks for, in seconds; 0: nothing."""
        if crawl_delay:
            self.crawl_delays[host] = crawl_delay
        self._note_met(host)

    def rest(self, host: str, until: float) -> None:
        """Leave a host alone until a moment of the clock."""
        rests = self._rests_until
        if len(rests) >= self._most_rests:
            now = self.clock.now()
            for other in [other for other, end in rests.items() if end <= now]:
                del rests[other]
            self._most_rests = max(_FEW_RESTS, 2 * len(rests))
        rests[host] = max(until, rests.get(host, 0.0))

    def note_request(self, host: str, request: Request) -> None:
        """Note that a request is on its way to a host."""
        if len(self._handed) > 2 * len(self.downloader.active) + _SPARE:
            # The last request of a host, with its page, would stay until the host is asked again.
            for other in list(self._handed):
                self._count(other)
        self._handed.setdefault(host, set()).add(request)
        if len(self.downloader.slots) > self._most_slots:
            forget_idle_slots(self.downloader, _SLOT_SECS)
            self._most_slots = max(_FEW_SLOTS, 2 * len(self.downloader.slots))
        if self.crawl_delays.get(host, 0.0) > _SLOT_SECS:
            self.rest(host, self.clock.now() + self.crawl_delays[host])

    def delay_of(self, host: str) -> float:
        """Return the seconds between two requests to a host; of an unknown one the usual."""
        slot = self.downloader.slots.get(host)
        if slot is not None:
            delay = slot.delay
        else:
            delay = self.downloader.per_slot_settings.get(host, {}).get("delay", default_delay(self.downloader))
        return max(float(delay), self.crawl_delays.get(host, 0.0))

    def resting(self) -> dict[str, float]:
        """Return until when the hosts rest that have asked for it, or that do not answer."""
        return self._rests_until | {
            host: max(until, self.rest_of(host)) for host, until in self.resting_hosts().items()
        }

    def rest_of(self, host: str) -> float:
        """Return until when a host rests that has asked for it; 0 if none has."""
        return self._rests_until.get(host, 0.0)

    def __call__(self, host: str) -> float:
        """Return when a host may be asked, on the clock; 0: now; ``BUSY``: when a request has ended."""
        return max(self._has_turn_at(host), self._rests_until.get(host, 0.0))

    def _has_turn_at(self, host: str) -> float:
        """Return when the downloader would let a request to a host go at once."""
        downloader = self.downloader
        n_handed = self._count(host)
        slot = downloader.slots.get(dnscache.get(host, host) if downloader.ip_concurrency else host)
        own: dict[str, Any] = downloader.per_slot_settings.get(host, {})
        if slot is not None:
            concurrency, delay = slot.concurrency, slot.delay
        else:
            concurrency = own.get("concurrency", downloader.ip_concurrency or downloader.domain_concurrency)
            delay = own.get("delay", default_delay(downloader))
        delay = max(delay, self.crawl_delays.get(host, 0.0))
        if 0 < concurrency <= n_handed or (self.obeys_robots and n_handed and host not in self._met):
            return BUSY
        if not delay:
            return 0.0
        if slot is None:
            return BUSY if n_handed else 0.0
        # One that waits, for its time or for robots.txt, takes the next turn.
        if slot.queue or n_handed > len(slot.transferring):
            return BUSY
        return slot.lastseen + delay if slot.lastseen else 0.0

    def _count(self, host: str) -> int:
        """Return how many requests to a host have not left the downloader."""
        handed = self._handed.get(host)
        if not handed:
            return 0
        handed &= self.downloader.active
        if not handed:
            del self._handed[host]
            self._note_met(host)  # also one whose robots.txt could not be had
        return len(handed)

    def _note_met(self, host: str) -> None:
        if len(self._met) >= _MOST_MET and host not in self._met:
            del self._met[next(iter(self._met))]
        self._met[host] = None


class VirtualAvailability(HostAvailability):
    """Keeps the delays of virtual time. The downloader does not know them: on the machine's clock nothing waits."""

    def __init__(self, downloader: Downloader, clock: VirtualClock, delay_secs: float) -> None:
        super().__init__(downloader, clock=clock)
        self._turns = clock.turns
        self._delay_secs = delay_secs

    def delay_of(self, host: str) -> float:
        """Return the seconds between two requests to any host."""
        return self._delay_secs

    def note_request(self, host: str, request: Request) -> None:
        """Note that a request is on its way to a host."""
        super().note_request(host, request)
        self._turns[host] = self.clock.now()

    def _has_turn_at(self, host: str) -> float:
        if 0 < self.downloader.domain_concurrency <= self._count(host):
            return BUSY
        turn = self._turns.get(host)
        return 0.0 if turn is None else turn + self._delay_secs


class Politeness:
    """Tells the frontier when hosts of the live web want to be left alone, for AUTOTHROTTLE_MAX_DELAY seconds at most.

    Stats: ``focused/frontier/rests_count``.
    """

    def __init__(self, crawler: Crawler, ready: HostAvailability, *, obeys_robots: bool) -> None:
        self._crawler = crawler
        self._ready = ready
        self._most_secs = crawler.settings.getfloat("AUTOTHROTTLE_MAX_DELAY")
        self._said: set[str] = set()
        if obeys_robots:
            crawler.signals.connect(self._robots_parsed, signals.robots_parsed)
        crawler.signals.connect(self._response_downloaded, signals.response_downloaded)

    def _robots_parsed(self, robotparser: Any, request: Request) -> None:
        """Take down what a host's robots.txt asks for."""
        delay = robotparser.crawl_delay(self._crawler.settings.get("USER_AGENT") or "*")
        self._ready.note_crawl_delay(host_of(request.url), min(float(delay or 0), self._most_secs))

    def _response_downloaded(self, response: Response, request: Request) -> None:
        """Leave a host alone that says so; its retries, too, wait until then."""
        if response.status not in (_TOO_MANY_REQUESTS, _UNAVAILABLE):
            return
        wished = retry_after(response.headers.get("Retry-After") or b"", time.time())
        secs = min(wished, self._most_secs)
        if secs <= 0:
            return
        host = host_of(request.url)
        self._ready.rest(host, self._ready.clock.now() + secs)
        self._crawler.stats.inc_value("focused/frontier/rests_count")
        if host not in self._said and len(self._said) < _MOST_SAID:
            self._said.add(host)
            limit = "" if secs == wished else f", of {wished:.0f} s that it asks for (AUTOTHROTTLE_MAX_DELAY)"
            logger.info("%s is left alone for %.0f s%s: HTTP %d, Retry-After", host, secs, limit, response.status)


def retry_after(value: bytes, at: float) -> float:
    """Return for how many seconds from ``at`` (since the epoch) a server asks to be left alone; 0 if that cannot be read.

    Its header Retry-After has seconds, or a date [RFC 9110, 10.2.3].

    >>> retry_after(b"120", 0.0), retry_after(b"Thu, 01 Jan 1970 00:01:00 GMT", 20.0), retry_after(b"soon", 0.0)
    (120.0, 40.0, 0.0)
    """
    text = value.decode("latin-1").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
        # The oldest of the three forms of dates says nothing of its zone: it is GMT.
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=timezone.utc)).timestamp() - at)
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0.0


def host_availability(crawler: Crawler, *, is_live: bool) -> tuple[HostAvailability, Politeness | None]:
    """Return what knows which hosts may be asked now, and what tells it of the live web's wishes; None on other webs."""
    assert crawler.engine is not None
    clock = clock_of(crawler)
    if isinstance(clock, VirtualClock):
        return VirtualAvailability(crawler.engine.downloader, clock, VIRTUAL_DELAY.read(crawler.settings)), None
    obeys_robots = crawler.settings.getbool("ROBOTSTXT_OBEY")
    ready_at = HostAvailability(crawler.engine.downloader, obeys_robots=is_live and obeys_robots)
    return ready_at, Politeness(crawler, ready_at, obeys_robots=obeys_robots) if is_live else None
