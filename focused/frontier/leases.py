"""`Leases`: knows which requests belong to links under way, and finds links whose requests were dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from scrapy import Request
    from scrapy.signalmanager import SignalManager

    from focused.frontier.politeness import HostAvailability
    from focused.frontier.store.link import Leased

LEASE = "focused_lease"
"""In the meta of a request: the number of the link that is under way; retries and redirects inherit it."""

_REDIRECTED, _SLOT = "redirect_times", "download_slot"
"""In the meta of a request, by Scrapy: how many redirects led to it, and the host whose delay it waits for."""

link_ended = object()
"""Signal: a link under way has ended, and what was kept for it is to be written now.

Arguments: number; relevant: whether its page is, None where there was none."""


@dataclass(slots=True, eq=False)
class Lease:
    """A link that was handed out, and the targets that it was redirected to."""

    link: Leased
    #: Numbers of the link and of its redirects' targets, in order.
    numbers: list[int]
    #: The request under way.
    request: Request
    #: When it was handed out, on the downloader's clock.
    since: float = 0.0
    #: Whether that request waits in the scheduler: a retry or a redirect.
    is_queued: bool = False
    #: Why the link is dropped: it was redirected to a known link, or out of scope.
    dropped: str = ""
    #: The URL of the known link that it was redirected to.
    known_target: str = ""
    #: Whether the link waits again when none of its requests is left, because its host does not answer.
    waits_again: bool = False
    #: Why it failed, if that was noted.
    note: str = ""

    def clear_inherited(self, request: Request) -> None:
        """Clear what Scrapy copies to a redirect's target: the host whose delay it keeps, and a retry's ``dont_filter``."""
        earlier = self.request
        if request.meta.get(_REDIRECTED, 0) <= earlier.meta.get(_REDIRECTED, 0):
            return
        if request.meta.get(_SLOT) == host_of(earlier.url):
            del request.meta[_SLOT]
        if self.link.request is None:  # no request for a link is exempt from the filter: its retry was
            request.dont_filter = False


@dataclass(eq=False)
class Leases:
    """All links under way."""

    #: Announces the end of each link.
    signals: SignalManager
    #: Knows when a host may be asked, and hears of each request that is handed out.
    ready_at: HostAvailability

    def __post_init__(self) -> None:
        self._by_number: dict[int, Lease] = {}

    def __len__(self) -> int:
        return len(self._by_number)

    def __iter__(self) -> Iterator[Lease]:
        return iter(list(self._by_number.values()))

    def now(self) -> float:
        """Return the time on the clock of the hosts."""
        return self.ready_at.clock.now()

    def begin(self, link: Leased, request: Request) -> None:
        """Note a link that is handed out."""
        self._by_number[link.id] = Lease(link, [link.id], request, since=self.now())
        self.ready_at.note_request(link.host, request)

    def queue(self, lease: Lease, request: Request) -> None:
        """Note that a retry, or the target of a redirect, waits in the place of the request for a link."""
        lease.request, lease.is_queued = request, True

    def resume(self, request: Request) -> None:
        """Note that a request that waited in memory is handed out."""
        lease = self.of(request)
        if lease is not None:
            lease.is_queued, lease.since = False, self.now()
        self.ready_at.note_request(host_of(request.url), request)

    def of(self, request: Request | None) -> Lease | None:
        """Return the lease that a request belongs to."""
        return None if request is None else self._by_number.get(request.meta.get(LEASE, 0))

    def end(self, lease: Lease, relevant: bool | None = None) -> None:
        """Forget a lease, and announce that its link has ended: with a page that is relevant or not, None: without one."""
        if self._by_number.pop(lease.link.id, None) is not None:
            self.signals.send_catch_log(link_ended, number=lease.link.id, relevant=relevant)

    def clear(self) -> None:
        """Forget all leases without a word: the crawl ends, and their links will be fetched again."""
        self._by_number.clear()

    def orphans(self, in_progress: Collection[Request]) -> list[Lease]:
        """Return the leases without a request: it was dropped by an error, robots.txt, a filter or an exception."""
        return [each for each in self._by_number.values() if not each.is_queued and each.request not in in_progress]

    def unanswered(self, active: Collection[Request], before: float) -> int:
        """Return how many requests in the downloader are for hosts that left one from before a moment unanswered."""
        asked = [(host_of(each.request.url), each.since) for each in self if each.request in active]
        silent = {host for host, since in asked if since < before}
        return sum(host in silent for host, _ in asked)
