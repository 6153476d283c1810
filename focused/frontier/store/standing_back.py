"""Decides how many levels of priority links and hosts stand back beyond what is known of them."""

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
        #: Whether pages like that of a link are known that look all the same, by its URL.
        self.is_of_one_form: Callable[[str], bool] = lambda url: False
        #: Whether a link is to come after all others of its host, by its URL.
        self.comes_last: Callable[[str], bool] = lambda url: False
        #: Until when the origin of a URL rests, on the clock of the hosts; 0: it does not.
        self.rests_until: Callable[[str], float] = lambda url: 0.0
        #: Called with the name of a host of which too many links lie aside.
        self.host_rests: Callable[[str], None] = lambda host: None
        #: How many times a link was put back.
        self.n_sunk = 0

    def has_sunk(self, host: int) -> bool:
        """Put a host where it belongs; tell whether it stood elsewhere."""
        if self.host_levels is None:
            return False
        by = self.host_levels(self._names.names[host]) // _STEP * _STEP << RANK_BITS
        if by == self._hosts.sunk(host):
            return False
        self._hosts.sink(host, by)
        return True

    def put_back(self, row: Link) -> bool:
        """Let a link of a page stand back that has not sunk far enough; tell whether it moved. It rises no more."""
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
        """Lift the hosts that stand further back than they should by now."""
        for host in self._hosts.all_sunk:
            self.has_sunk(host)

    def sink(self, host: str, levels: int) -> None:
        """Let a host's links stand so many levels of priority behind what they are worth; 0 lifts them again."""
        number = self._names.get(host)
        if number is not None:
            self._hosts.sink(number, levels << RANK_BITS)
