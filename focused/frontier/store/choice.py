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
"""The most links that sink before one is handed out: some 10 ms."""
MOST_ASIDE = 2_000
"""The most links of a host that are put aside while their origins rest."""
_FAR_BACK = LEVELS // 2
"""A link that stands back by so many levels waits while a better host is busy."""

_Found = TypeVar("_Found", bound=WaitingRow, covariant=True)


class LinksOfHosts(Protocol[_Found]):
    """The waiting links, host by host; hosts by their numbers."""

    def best_of(self, host: int) -> _Found | None:
        """Return the best waiting link of a host; None if none waits."""

    def drop_if_capped(self, host: int) -> bool:
        """Drop all waiting links of a host that has reached a cap; tell whether it has."""

    def put_aside(self, host: int, rests: Callable[[str], bool]) -> bool:
        """Put a host's best links aside as long as ``rests`` is true of their URLs; return False if there are too many."""


class Choice(Generic[Link]):
    """Takes hosts in the order of their best links, and corrects outdated entries of the queue on the way."""

    def __init__(
        self, hosts: HostQueue, names: HostNumbers, standing_back: StandingBack[Link], links: LinksOfHosts[Link]
    ) -> None:
        self._hosts, self._names, self._standing_back, self._links = hosts, names, standing_back, links
        #: The priority of the best link, if `best` held it back the last time; else None.
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

        ``ready_at`` returns when a host may be asked, by its name, on the clock of ``now`` (``BUSY``: that is not known);
        without it all hosts may be asked. Three kinds of links are not returned: a link below the priority ``least``, which
        is kept as ``held_back``; with ``spares``, a link that stands far back while a better host is busy (``held_back``,
        too); and a link of a host that stands below ``least_place``.
        """
        hosts, standing_back, names = self._hosts, self._standing_back, self._names.names
        ask = (lambda host: ready_at(names[host])) if ready_at is not None else lambda host: 0.0
        n_most = standing_back.n_sunk + _MOST_SUNK
        while (host := hosts.next_host(ask, now)) is not None:
            if standing_back.update_host(host):
                continue
            place = hosts.place(host)
            priority = 0 if place is None else priority_of(place)
            if place is not None and least_place is not None and priority < least_place:
                return None
            if place is not None and least is not None and priority < least:
                self.held_back = priority
                return None
            link = self._best_of(host, now, n_most)
            if link is None:
                continue
            if spares and hosts.levels_below_busy and (hosts.sunk(host) >> RANK_BITS) - link.extra >= _FAR_BACK:
                self.held_back = priority
                return None
            return link
        return None

    def _best_of(self, host: int, now: float, n_most: int) -> Link | None:
        """Return the best link of the host taken last; None if its entry was outdated or its links have changed places.

        Then the entry is corrected, and the caller takes the next host. No link sinks from the ``n_most``-th on.
        """
        standing_back = self._standing_back
        link = self._links.best_of(host)
        if link is None:
            self._hosts.set_best(host, None)
        elif link.rank != self._hosts.best(host):
            self._hosts.set_best(host, link.rank)
        elif standing_back.rests_until(link.url) > now:
            self._put_aside(host, now)
        elif not self._links.drop_if_capped(host) and (
            standing_back.n_sunk >= n_most or not standing_back.sink_link(link)
        ):
            return link
        return None

    def _put_aside(self, host: int, now: float) -> None:
        """Put links of resting origins aside, so that others of the host are next; if there are too many, let it rest."""
        rests_until = self._standing_back.rests_until
        if not self._links.put_aside(host, lambda url: rests_until(url) > now):
            self._standing_back.host_rests(self._names.names[host])
