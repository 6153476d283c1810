"""Links out: which request is next, of those whose hosts may be asked now."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from focused.frontier.host_availability import now

if TYPE_CHECKING:
    from scrapy import Request

    from focused.frontier.leases import Leases
    from focused.frontier.link_requests import LinkRequests
    from focused.frontier.memory_queue import MemoryQueue
    from focused.frontier.rediscovery import Rediscovery

logger = logging.getLogger(__name__)


class Dispatch:
    """Hands out what waits in memory first, because its turn has come before; then the best link.

    Parameters
    ----------
    links : Rediscovery
    queue : MemoryQueue
        Retries, targets of redirects and other requests that wait in memory.
    requests : LinkRequests
    leases : Leases
        Each link that is handed out is added.
    """

    def __init__(self, links: Rediscovery, queue: MemoryQueue, requests: LinkRequests, leases: Leases) -> None:
        #: By how many levels of priority the last request stands behind a link whose host has to wait.
        self.levels_below = 0
        self._links = links
        self._queue = queue
        self._requests = requests
        self._leases = leases

    def next(self) -> Request | None:
        """Return the next request; None where no host that has one may be asked now."""
        self.levels_below = 0
        return self._next_in_memory() or self.next_link()

    def next_link(self) -> Request | None:
        """Return the request for the best link."""
        while (link := self._links.next(self._leases.ready_at, now())) is not None:
            try:
                request = self._requests.leased(link)
            except ValueError as error:
                logger.warning("%s cannot be requested as before: %s. It has failed.", link.url, error)
                self._links.refuse(link, f"not restored: {error}")
                continue
            self.levels_below = self._links.levels_below
            self._leases.begin(link, request)
            return request
        return None

    def next_time(self) -> float | None:
        """Return when the first of the resting hosts may be asked, on the downloader's clock; None if it is not known."""
        at = self._links.next_ready()
        times = [*self._queue.ready_times(self._leases.ready_at), *([] if at is None else [at])]
        return min(times, default=None)

    def _next_in_memory(self) -> Request | None:
        found = self._queue.pop(self._leases.ready_at, now())
        if found is not None:
            self._leases.resume(found)
        return found
