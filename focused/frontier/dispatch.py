"""Hands out the next request whose host may be asked now, and counts the better links that were passed over."""

from __future__ import annotations

import heapq
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from focused.frontier.random_links import RandomLinks
from focused.frontier.store.host_queue import BUSY
from focused.method.scoring.base import LOOK_AROUND
from focused.method.scoring.priority import LEVELS
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy import Request
    from scrapy.statscollectors import StatsCollector

    from focused.frontier.known_links import KnownLinks
    from focused.frontier.leases import Leases
    from focused.frontier.link_requests import LinkRequests
    from focused.frontier.patience import Patience
    from focused.frontier.store.link import Leased

logger = logging.getLogger(__name__)

PASSED_OVER = "focused/frontier/passed_over_count"
PASSED_OVER_LEVELS = "focused/frontier/passed_over_levels_count"
NOT_SENT = "focused/frontier/not_sent_count"
_REQUESTS = "scheduler/dequeued"
_LEVELS_BELOW = "focused_levels_below"
"""In the meta of a request for a link: by how many levels of priority a better link was passed over."""
# In the meta of requests for robots.txt, which no scheduler hands out, and of redirects' targets: the first request was sent.
_OF_ROBOTS, _OF_REDIRECT = "dont_obey_robotstxt", "redirect_times"
_MANY_PASSED_OVER, _MUCH_BETTER, _ENOUGH_REQUESTS = 0.25, 0.01, 20


class Waiting(NamedTuple):
    """A request that waits in memory; the least is next."""

    #: False for a retry and for the target of a redirect: their link has been handed out before, so they come first.
    is_new: bool
    #: Scrapy's priority with the sign changed.
    negative_priority: int
    turn: int
    request: Request


class MemoryQueue:
    """First retries and targets of redirects, then the spider's own requests by priority; among equals the oldest is first.

    Requests whose hosts, or origins, must rest are passed over.
    """

    def __init__(self) -> None:
        self._heap: list[Waiting] = []
        self._n_pushed = 0

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, request: Request, *, is_new: bool) -> None:
        """Add a request."""
        self._n_pushed += 1
        self.push_back(Waiting(is_new, -request.priority, self._n_pushed, request))

    def push_back(self, waiting: Waiting) -> None:
        """Put a request that was popped back in its old place."""
        heapq.heappush(self._heap, waiting)

    def pop(self, asked_at: Callable[[str], float], now: float) -> Waiting | None:
        """Return the best request that may be asked now; None if there is none.

        ``asked_at``: when a URL may be asked for, on the clock of ``now``.
        """
        resting, found = [], None
        while self._heap:
            waiting = heapq.heappop(self._heap)
            if asked_at(waiting.request.url) <= now:
                found = waiting
                break
            resting.append(waiting)
        for waiting in resting:
            self.push_back(waiting)
        return found

    def ready_times(self, asked_at: Callable[[str], float]) -> list[float]:
        """Return the times at which requests may be sent; without those that depend on a request under way."""
        times = (asked_at(waiting.request.url) for waiting in self._heap)
        return [time for time in times if time < BUSY]

    def clear(self) -> None:
        """Forget all."""
        self._heap.clear()


@dataclass(eq=False)
class Dispatch:
    """Hands out retries and redirects first, because the turn of their links has come before; then the best waiting link.

    Requests that the file cannot keep wait in memory, and take their turn among the links by their priority.
    """

    links: KnownLinks
    requests: LinkRequests
    #: The links under way; each link that is handed out is added.
    leases: Leases
    #: Whether to spare pages, because the crawl has a limit: a link that stands far back waits while a better host is busy.
    spares: bool = False

    def __post_init__(self) -> None:
        #: Retries, targets of redirects and other requests that wait in memory.
        self.queue = MemoryQueue()
        #: Draws links that are fetched whatever their scores are.
        self.random_links = RandomLinks(self.links)
        #: Set by the scheduler: says which links are worth a page now; None: all are.
        self.patience: Patience | None = None
        #: By how many levels of priority the last request was worse than the best link, whose host had to wait.
        self.levels_below = 0

    def next(self) -> Request | None:
        """Return the next request; None where no host that has one may be asked now."""
        self.levels_below = 0
        return self._next_in_memory() or self.next_link()

    def next_link(self) -> Request | None:
        """Return the request for the best link."""
        while (link := self._drawn() or self._best()) is not None:
            try:
                request = self.requests.request_for_lease(link)
            except ValueError as error:
                logger.warning(
                    "%s cannot be requested again as before: %s. The link counts as failed.", link.url, error
                )
                self.links.refuse(link, f"not restored: {error}")
                continue
            is_drawn = link.evidence.reason == LOOK_AROUND
            self.levels_below = 0 if is_drawn else self.links.levels_below
            self.leases.begin(link, request)
            if self.patience is not None:
                self.patience.note_lease(link)
            return request
        return None

    def next_time(self) -> float | None:
        """Return when the first of the resting hosts may be asked, on the downloader's clock; None if it is not known."""
        at = self.links.next_ready()
        times = [*self.queue.ready_times(self._asked_at), *([] if at is None else [at])]
        if self.patience is not None and self.links.held_back is not None:
            times.append(self.patience.next_check_time())
        return min(times, default=None)

    def _best(self) -> Leased | None:
        """Lease the best link, if it is worth a page, or if nothing better can come."""
        ready_at, now, patience = self.leases.ready_at, self.leases.now(), self.patience
        least = None if patience is None else patience.least_priority()
        link = self.links.next(ready_at, now, least, spares=self.spares)
        held_back = self.links.held_back
        if link is not None or held_back is None:
            return link
        best_waiting = held_back + self.links.levels_below
        if len(self.leases) or (
            patience and least is not None and (best_waiting >= least or patience.other_workers.have(least))
        ):
            if patience is not None:
                patience.wait()
            return None
        return self.links.next(ready_at, now)

    def _drawn(self) -> Leased | None:
        return self.random_links.next(self.leases.ready_at, self.leases.now())

    def _asked_at(self, url: str) -> float:
        """Return when a URL may be asked for: when its host may be asked and its origin does not rest."""
        return max(self.leases.ready_at(host_of(url)), self.links.store.standing_back.rests_until(url))

    def _next_in_memory(self) -> Request | None:
        found = self.queue.pop(self._asked_at, self.leases.now())
        if found is None:
            return None
        if found.is_new:
            best = self.links.best_priority(self.leases.ready_at, self.leases.now())
            if best is not None and best > -found.negative_priority:
                self.queue.push_back(found)
                return None
        self.leases.resume(found.request)
        return found.request


def count_passed_over(stats: StatsCollector, request: Request, levels: int) -> None:
    """Count a request that was handed out although a link better by so many ``levels`` of priority waited for its host.

    A difference of more than the whole scale of scores counts as one scale: that between a link below the threshold and one
    above it, or a seed.
    """
    stats.inc_value(PASSED_OVER)
    stats.inc_value(PASSED_OVER_LEVELS, min(levels, LEVELS))
    request.meta[_LEVELS_BELOW] = min(levels, LEVELS)


def count_not_sent(stats: StatsCollector, request: Request) -> None:
    """Count a request that was handed out and is never sent, so that no better link waited for it."""
    if request.meta.get(_OF_ROBOTS):
        return
    stats.inc_value(NOT_SENT)
    if (levels := request.meta.pop(_LEVELS_BELOW, 0)) and not request.meta.get(_OF_REDIRECT):
        stats.inc_value(PASSED_OVER, -1)
        stats.inc_value(PASSED_OVER_LEVELS, -levels)


def about_passed_over(stats: Mapping[str, Any], *, is_virtual: bool = False, has_delays: bool = True) -> str:
    """Return what the end of a crawl says of better links that were passed over; empty if they were few, or hardly better.

    It does not say what the better links would have brought: that is not known.
    ``is_virtual``: whether the crawl's time is. ``has_delays``: whether its hosts have delays that can be made shorter.

    >>> about_passed_over({PASSED_OVER: 24, PASSED_OVER_LEVELS: 6000, "scheduler/dequeued": 100})
    ''
    >>> about_passed_over({PASSED_OVER: 40, PASSED_OVER_LEVELS: 6000, "scheduler/dequeued": 100}, has_delays=False)
    '40 of 100 requests were for links of lower scores while hosts of better ones had to wait (by 0.15 of score in the mean)'
    """
    n_passed_over, n_requests = stats.get(PASSED_OVER, 0), stats.get(_REQUESTS, 0) - stats.get(NOT_SENT, 0)
    if n_requests < _ENOUGH_REQUESTS or n_passed_over <= _MANY_PASSED_OVER * n_requests:
        return ""
    mean = stats.get(PASSED_OVER_LEVELS, 0) / n_passed_over / LEVELS
    if mean < _MUCH_BETTER:
        return ""
    delay = "FOCUSED_VIRTUAL_DELAY_SECS" if is_virtual else "DOWNLOAD_DELAY, DOWNLOAD_SLOTS"
    return (
        f"{n_passed_over:,} of {n_requests:,} requests were for links of lower scores while hosts of better ones had to wait "
        f"(by {mean:.2f} of score in the mean)"
        + (f". They come earlier with a shorter delay for hosts that allow it ({delay})" if has_delays else "")
    )
