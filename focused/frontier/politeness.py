"""What servers ask of their guests: Crawl-delay in robots.txt, Retry-After where they have had enough."""

from __future__ import annotations

import logging
import time
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from scrapy import signals

from focused.frontier.host_availability import now
from focused.frontier.store.link import host_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from focused.frontier.host_availability import HostAvailability

logger = logging.getLogger(__name__)

_TOO_MANY_REQUESTS, _UNAVAILABLE = 429, 503


class Politeness:
    """Tells the frontier when hosts want to be left alone, for AUTOTHROTTLE_MAX_DELAY seconds at most.

    Parameters
    ----------
    crawler : Crawler
        Of a crawl on the live web.
    ready : HostAvailability
        Is told of each wish.
    obeys_robots : bool

    Notes
    -----
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
        self._ready.meet(host_of(request.url), min(float(delay or 0), self._most_secs))

    def _response_downloaded(self, response: Response, request: Request) -> None:
        """Leave a host alone that says so; its retries, too, wait until then."""
        if response.status not in (_TOO_MANY_REQUESTS, _UNAVAILABLE):
            return
        wished = retry_after(response.headers.get("Retry-After") or b"", time.time())
        secs = min(wished, self._most_secs)
        if secs <= 0:
            return
        host = host_of(request.url)
        self._ready.rest(host, now() + secs)
        self._crawler.stats.inc_value("focused/frontier/rests_count")
        if host not in self._said:
            self._said.add(host)
            limit = "" if secs == wished else f", of {wished:.0f} s that it asks for (AUTOTHROTTLE_MAX_DELAY)"
            logger.info("%s is left alone for %.0f s%s: HTTP %d, Retry-After", host, secs, limit, response.status)


def retry_after(value: bytes, at: float) -> float:
    """Return for how many seconds a server asks to be left alone; 0 if its header says nothing that can be read.

    Parameters
    ----------
    value : bytes
        Of the header Retry-After: seconds, or a date [RFC 9110, 10.2.3].
    at : float
        Seconds since the epoch.

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
