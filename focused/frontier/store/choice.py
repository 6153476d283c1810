"""Chooses the next waiting link: the best of the hosts that may be asked now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from focused.frontier.store.ranks import priority_of
from focused.frontier.store.schema import RANK_BITS
from focused.frontier.store.waiting_row import Link, WaitingRow
from focused.method.scoring.priority import LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.frontier.store.host_numbers import HostNumbers
    from focused.frontier.store.host_queue import HostQueue
    from focused.frontier.store.standing_back import StandingBack

_MOST_SUNK = 300
"""Links that are put back before one is handed out: some 10 ms."""
MOST_ASIDE = 2_000
"""Links of a host that lie aside at most, because their origins rest."""
_FAR_BACK = LEVELS // 2
"""A link that stands back by so many levels waits while a better host is busy."""

_Found = TypeVar("_Found", bound=WaitingRow, covariant=True)


class LinksOfHosts(Protocol[_Found]):
    """The waiting links, host by host; hosts by their numbers."""

    def best_of(self, host: int) -> _Found | None:
        """Return the best waiting link of a host; None if none waits."""

    def gives_up_rest(self, host: int) -> bool:
        """Give up what waits of a host that has had its share; tell whether it has."""

    def put_aside(self, host: int, rests: Callable[[str], bool]) -> bool:
        """Put the best links of a host aside while their origins rest, as told by their URLs; False if there are too many."""


class Choice(Generic[Link]):
    """Takes hosts in the order of their best links, and puts right on the way what the queue has wrong of them."""

    def __init__(
        self, hosts: HostQueue, names: HostNumbers, standing_back: StandingBack[Link], links: LinksOfHosts[Link]
    ) -> None:
        self._hosts, self._names, self._standing_back, self._links = hosts, names, standing_back, links
        #: Where the best link of the hosts that may be asked was held back: the priority that it stands with; else None.
        self.held_back: int | None = None

    def best(
        self,
        ready_at: Callable[[str], float] | None,
        now: float,
        least: int | None = None,
        *,
        spares: bool = False,
        least_place: int | None = None,
    ) -> Link | None:
        """Return the best link; None if no host that may be asked has any.

        ``ready_at`` says of a host's name when it may be asked, on the clock of ``now`` (``BUSY``: nobody knows); else
        all may. A link that stands below the priority ``least`` is not returned: that priority is ``held_back`` then.
        Nor is, with ``spares``, one that stands far back while a better host is busy; nor one where its host stands below
        ``least_place``.
        """
        hosts, standing_back, names = self._hosts, self._standing_back, self._names.names
        ask = (lambda host: ready_at(names[host])) if ready_at is not None else lambda host: 0.0
        n_most = standing_back.n_sunk + _MOST_SUNK
        while (host := hosts.take(ask, now)) is not None:
            if standing_back.has_sunk(host):
                continue
            place = hosts.place(host)
            priority = 0 if place is None else priority_of(place)
            if place is not None and least_place is not None and priority < least_place:
                return None
            if place is not None and least is not None and priority < least:
                self.held_back = priority
                return None
            link = self._links.best_of(host)
            if link is None:
                hosts.put(host, None)
            elif link.rank != hosts.best(host):
                hosts.put(host, link.rank)
            elif standing_back.rests_until(link.url) > now:
                self._put_aside(host, now)
            elif not self._links.gives_up_rest(host) and (
                standing_back.n_sunk >= n_most or not standing_back.put_back(link)
            ):
                if spares and hosts.levels_below_busy and (hosts.sunk(host) >> RANK_BITS) - link.extra >= _FAR_BACK:
                    self.held_back = priority
                    return None
                return link
        return None

    def _put_aside(self, host: int, now: float) -> None:
        """Let other origins of a host have their turn; where too many links lie aside, the host rests."""
        rests_until = self._standing_back.rests_until
        if not self._links.put_aside(host, lambda url: rests_until(url) > now):
            self._standing_back.host_rests(self._names.names[host])
