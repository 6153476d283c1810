"""When a host may be asked: what Scrapy's downloader would make a request wait for, known before it is handed out."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy.resolver import dnscache

from focused.frontier.store.host_queue import BUSY
from focused.utils.scrapy_internals import default_delay

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.core.downloader import Downloader


class HostAvailability:
    """Looks at the downloader's slots: delay (AutoThrottle's included), concurrency, requests under way.

    A request that its host cannot take yet would wait in the downloader, hold one of CONCURRENT_REQUESTS places, and
    keep a better link of its host, found meanwhile, from its turn. So none is handed out before its time.

    DOWNLOAD_DELAY_JITTER is the downloader's business: half of the requests wait there for a moment more.

    Parameters
    ----------
    downloader : Downloader
    obeys_robots : bool
        Whether nobody knows how often a host may be asked until its robots.txt, or a first answer, is in.
    """

    def __init__(self, downloader: Downloader, *, obeys_robots: bool = False) -> None:
        self._downloader = downloader
        self._obeys_robots = obeys_robots
        self._handed: dict[str, set[Request]] = {}
        self._met: set[str] = set()
        self._rests_until: dict[str, float] = {}
        #: Seconds between two requests that a host's robots.txt asks for.
        self.crawl_delays: dict[str, float] = {}

    def meet(self, host: str, crawl_delay: float) -> None:
        """Note what a host's robots.txt asks for, in seconds; 0: nothing."""
        if crawl_delay:
            self.crawl_delays[host] = crawl_delay
        self._met.add(host)

    def rest(self, host: str, until: float) -> None:
        """Leave a host alone until a moment of the monotonic clock."""
        self._rests_until[host] = max(until, self._rests_until.get(host, 0.0))

    def hand_out(self, host: str, request: Request) -> None:
        """Note that a request is on its way to a host."""
        self._handed.setdefault(host, set()).add(request)

    def __call__(self, host: str) -> float:
        """Return when a host may be asked, on the monotonic clock; 0: now; ``BUSY``: when a request has ended."""
        return max(self._has_turn_at(host), self._rests_until.get(host, 0.0))

    def _has_turn_at(self, host: str) -> float:
        """Return when the downloader would let a request to a host go at once."""
        downloader = self._downloader
        n_handed = self._count(host)
        slot = downloader.slots.get(dnscache.get(host, host) if downloader.ip_concurrency else host)
        own: dict[str, Any] = downloader.per_slot_settings.get(host, {})
        if slot is not None:
            concurrency, delay = slot.concurrency, slot.delay
        else:
            concurrency = own.get("concurrency", downloader.ip_concurrency or downloader.domain_concurrency)
            delay = own.get("delay", default_delay(downloader))
        delay = max(delay, self.crawl_delays.get(host, 0.0))
        if 0 < concurrency <= n_handed or (self._obeys_robots and n_handed and host not in self._met):
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
        handed &= self._downloader.active
        if not handed:
            del self._handed[host]
            self._met.add(host)  # also one whose robots.txt could not be had
        return len(handed)


def now() -> float:
    """Return the time on the downloader's clock."""
    return monotonic()
