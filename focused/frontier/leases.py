"""Links under way: which requests stand for them, and when they have ended without a word."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from focused.frontier.store.link import host_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler

    from focused.frontier.store.link import Leased

LEASE = "focused_lease"
"""In the meta of a request: the number of the link that is under way; retries and redirects inherit it."""

link_ended = object()
"""Signal: a link under way has come to its end, and what was kept for it is to be written now. Argument: number."""


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
    #: Whether it ends where it leads to a link that is known.
    is_elsewhere: bool = False
    #: Why it failed, if somebody said so.
    note: str = ""


@dataclass(slots=True)
class Leases:
    """All links under way."""

    _by_number: dict[int, Lease] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._by_number)

    def add(self, lease: Lease) -> None:
        """Note a link that is handed out."""
        self._by_number[lease.link.id] = lease

    def of(self, request: Request) -> Lease | None:
        """Return the lease that a request belongs to."""
        return self._by_number.get(request.meta.get(LEASE, 0))

    def end(self, lease: Lease) -> bool:
        """Forget a lease; return whether it was there."""
        return self._by_number.pop(lease.link.id, None) is not None

    def orphans(self, in_progress: Collection[Request]) -> list[Lease]:
        """Return the leases that no request stands for any more: errors, robots.txt, filters, exceptions."""
        return [each for each in self._by_number.values() if not each.is_queued and each.request not in in_progress]

    def unanswered(self, active: Collection[Request], before: float) -> int:
        """Return how many requests in the downloader are for hosts that leave one unanswered since before a moment."""
        asked = [(host_of(each.request.url), each.since) for each in self if each.request in active]
        silent = {host for host, since in asked if since < before}
        return sum(host in silent for host, _ in asked)

    def __iter__(self) -> Iterator[Lease]:
        return iter(list(self._by_number.values()))


def in_progress(crawler: Crawler) -> set[Request]:
    """Return the requests that the engine has taken and not done with."""
    engine = crawler.engine
    slot = None if engine is None else engine._slot
    return slot.inprogress if slot is not None else set()
