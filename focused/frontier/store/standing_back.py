"""Decides how many levels of priority links and hosts stand back."""

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
    from focused.frontier.store.ranks import Ranks

_STEP = 50
"""Levels by which a link or a host moves at least."""
_LAST = 4 * LEVELS
"""Levels by which a link stands behind all others of its host."""

_Link = TypeVar("_Link", bound=WaitingRow, contravariant=True)


class PlacesOfLinks(Protocol[_Link]):
    """Where links stand."""

    def sink(self, row: _Link, rank: int, extra: int) -> None:
        """Give a waiting link, as it was, another place."""


class StandingBack(Generic[Link]):
    """Moves links and hosts back when their turn comes; hosts rise again, links do not."""

    def __init__(self, hosts: HostQueue, names: HostNumbers, ranks: Ranks, places: PlacesOfLinks[Link]) -> None:
        self._hosts, self._names, self._ranks, self._places = hosts, names, ranks, places
        #: How many levels the link of a page stands back, by its URL and its referrer's, and a host, by its name; asked when
        #: their turn comes. None: none does.
        self.link_levels: Callable[[str, str], int] | None = None
        self.host_levels: Callable[[str], int] | None = None
        #: Tells by the URL of a link whether the known pages like it all have one form.
        self.is_of_one_form: Callable[[str], bool] = lambda url: False
        #: Tells by the URL of a link whether hardly any of the known links like it led to a page.
        self.leads_nowhere: Callable[[str], bool] = lambda url: False
        #: Tells by the URL of a link whether it comes after all others of its host.
        self.comes_last: Callable[[str], bool] = lambda url: False
        #: Until when the origin of a URL rests, on the clock of the hosts; 0: it does not.
        self.rests_until: Callable[[str], float] = lambda url: 0.0
        #: Called with the name of a host if too many of its links are put aside.
        self.host_rests: Callable[[str], None] = lambda host: None
        #: How many times a link has sunk.
        self.n_sunk = 0

    def update_host(self, host: int) -> bool:
        """Update how far a host stands back; tell whether that has changed."""
        if self.host_levels is None:
            return False
        by = self.host_levels(self._names.names[host]) // _STEP * _STEP << RANK_BITS
        if by == self._hosts.sunk(host):
            return False
        self._hosts.sink(host, by)
        return True

    def sink_link(self, row: Link) -> bool:
        """Move a link back if it does not stand back far enough; tell whether it moved. A link never rises again."""
        if row.request is not None or row.extra > 0:
            return False
        levels = 0 if self.link_levels is None else self.link_levels(row.url, row.referrer or "")
        if self.comes_last(row.url):
            levels = _LAST
        if levels < _STEP - row.extra:
            return False
        rank = self._ranks.rank(priority_of(row.rank) - levels - row.extra, self._ranks.turn_of(row.rank))
        self._places.sink(row, rank, -levels)
        self.n_sunk += 1
        return True

    def review_hosts(self) -> None:
        """Update the hosts that stand back: some should stand less far back by now."""
        for host in self._hosts.all_sunk:
            self.update_host(host)

    def sink_host(self, host: str, levels: int) -> None:
        """Move a host back by so many levels of priority; 0 lifts it again."""
        number = self._names.get(host)
        if number is not None:
            self._hosts.sink(number, levels << RANK_BITS)
