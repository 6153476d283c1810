"""Decides which hosts a worker gives to others, so that the best links are asked for first."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from focused.frontier.store.ranks import priority_of

if TYPE_CHECKING:
    from collections.abc import Sequence

MUCH_BETTER = 40
"""Levels of priority by which one link is so much better than another that it is worth a move, or worth waiting for."""
_SPARE_HOSTS = 1
"""Hosts above its share that a worker keeps."""
_MOST_SWAPPED = 4
_FEW_AT_ONCE = 2
"""Hosts above its share that a worker lets go at once, or a quarter of them: those on their way nobody reckons with, so all
would ask for poorer links meanwhile."""


class OtherHosts(NamedTuple):
    """What a worker knows of hosts that are not its own."""

    #: Best ranks of hosts without an owner, the best first.
    free: Sequence[int] = ()
    #: The best rank of each other worker; None of one that has nothing to ask for.
    of_workers: Sequence[int | None] = ()


def share_of_hosts(n_hosts: int, n_workers: int, most: int) -> int:
    """Return how many hosts a worker is to hold of those that have waiting links.

    >>> share_of_hosts(10, 4, 64), share_of_hosts(0, 4, 64), share_of_hosts(1000, 2, 64), share_of_hosts(10, 1, 64)
    (3, 1, 64, 64)
    """
    return most if n_workers < 2 else max(1, min(most, -(-n_hosts // n_workers)))


def hosts_to_release(ranks: Sequence[int], n_own: int, n_wanted: int, others: OtherHosts) -> list[int]:
    """Return which of its hosts a worker lets go, as places in ``ranks``: the best rank of each, the best first.

    Above its share every second one, good and poor, a few at a time. Else poor ones for which free ones are much better; and
    the second best for a worker that has nothing nearly as good.

    >>> better, good, poor = (-1300 << 40, -1200 << 40, -900 << 40)
    >>> hosts_to_release([good, good, poor, poor], 4, 2, OtherHosts())
    [1, 3]
    >>> hosts_to_release([good, poor], 2, 2, OtherHosts(free=[better]))
    [1]
    >>> hosts_to_release([good, good, good], 3, 3, OtherHosts(of_workers=[poor]))
    [1]
    >>> hosts_to_release([good], 1, 1, OtherHosts(of_workers=[None]))
    []
    >>> hosts_to_release([good, poor], 2, 2, OtherHosts(of_workers=[poor]))
    []
    """
    if (n_more := n_own - n_wanted) > _SPARE_HOSTS:
        return list(range(1, len(ranks), 2))[: max(_FEW_AT_ONCE, n_more // 4)]
    if others.free:
        if n_more < 0:
            return []
        places = range(len(ranks) - 1, max(len(ranks) - 1 - _MOST_SWAPPED, 0), -1)
        return [place for place, free in zip(places, others.free, strict=False) if _is_much_better(free, ranks[place])]
    n_needy = sum(other is None or _is_much_better(ranks[1], other) for other in others.of_workers if len(ranks) > 1)
    return list(range(1, len(ranks), 2))[: min(n_needy, 1)] if n_needy else []


def least_priority(others: OtherHosts) -> int | None:
    """Return the least priority worth a page while other workers have better links; None: all are.

    >>> least_priority(OtherHosts(of_workers=[-1200 << 40, None])), least_priority(OtherHosts())
    (1160, None)
    """
    best = min((rank for rank in others.of_workers if rank is not None), default=None)
    return None if best is None else priority_of(best) - MUCH_BETTER


def _is_much_better(rank: int, than: int) -> bool:
    return priority_of(rank) - priority_of(than) >= MUCH_BETTER
