"""Links out: which request is next, of those whose hosts may be asked now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.frontier.host_availability import now
from focused.frontier.leases import Lease
from focused.frontier.store.link import host_of

if TYPE_CHECKING:
    from scrapy import Request

    from focused.frontier.host_availability import HostAvailability
    from focused.frontier.leases import Leases
    from focused.frontier.link_requests import LinkRequests
    from focused.frontier.memory_queue import MemoryQueue
    from focused.frontier.rediscovery import Rediscovery
    from focused.frontier.store.store import FrontierStore


class Dispatch:
    """Hands out what waits in memory first, for its turn has come before; then the best link.

    Parameters
    ----------
    store : FrontierStore
    again : Rediscovery or None
    requests : LinkRequests
    others : MemoryQueue
        Retries, redirects' targets and other requests that wait in memory.
    leases : Leases
        Each link that is handed out is added.
    ready : HostAvailability
    """

    def __init__(
        self,
        store: FrontierStore,
        again: Rediscovery | None,
        requests: LinkRequests,
        others: MemoryQueue,
        leases: Leases,
        ready: HostAvailability,
    ) -> None:
        self.ready = ready
        #: By how many levels of priority the request that came last stands behind a link whose host has to wait.
        self.levels_below = 0
        self._store = store
        self._again = again
        self._requests = requests
        self._others = others
        self._leases = leases

    def next(self) -> Request | None:
        """Return the next request; None where no host that has one may be asked now."""
        self.levels_below = 0
        return self._next_other() or self.next_link()

    def next_link(self) -> Request | None:
        """Return the request for the best link."""
        link = self._store.next(self.ready, now())
        if link is None:
            return None
        self.levels_below = self._store.hosts.levels_below
        if self._again is not None:
            link = self._again.leased(link)
        request = self._requests.leased(link)
        self._leases.add(Lease(link, [link.id], request, since=now()))
        self.ready.hand_out(link.host, request)
        return request

    def next_time(self) -> float | None:
        """Return when the first of the hosts that rest may be asked, on the downloader's clock; None if nobody knows."""
        at = self._store.hosts.next_ready()
        times = [*self._others.ready_times(self.ready), *([] if at is None else [at])]
        return min(times, default=None)

    def _next_other(self) -> Request | None:
        found = self._others.pop(self.ready, now())
        if found is not None:
            lease = self._leases.of(found)
            if lease is not None:
                lease.is_queued, lease.since = False, now()
            self.ready.hand_out(host_of(found.url), found)
        return found
