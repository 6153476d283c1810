"""Chooses the host to ask next: the one with the best waiting link among those that may be asked now."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from focused.frontier.store.schema import RANK_BITS

if TYPE_CHECKING:
    from collections.abc import Callable

BUSY = float("inf")
"""The time at which a host may be asked that is busy until a request ends: it is not known."""


class HostQueue:
    """A heap of hosts by the rank of their best waiting link; hosts that must rest are kept aside until their time comes.

    Stale entries are left in the heap and passed over when they come up: an entry counts only if it is the host's
    current one (docs/method/, D55). Memory: some 300 bytes a host that has waiting links, 120 more while it rests.
    """

    def __init__(self) -> None:
        self._best: dict[int, int] = {}
        self._sunk: dict[int, int] = {}
        self._heap: list[tuple[int, int]] = []
        self._resting: list[tuple[float, int]] = []
        self._busy: set[int] = set()
        # Resting hosts by what they stand with. Stale entries as in the heap: that of a host which may be asked again is
        # never better than the host that is taken.
        self._missed: list[tuple[int, int]] = []
        #: By how many levels the host taken last stands behind the best host that may not be asked yet, and behind the best
        #: of those that may be asked when something has ended.
        self.levels_below = self.levels_below_busy = 0

    def __len__(self) -> int:
        return len(self._best)

    def best(self, host: int) -> int | None:
        """Return the rank of a host's best link; None if it has no link."""
        return self._best.get(host)

    def offer(self, host: int, rank: int) -> None:
        """Note that a host has a link of this rank. It counts only if it is the host's best."""
        known = self._best.get(host)
        if known is None or rank < known:
            self.set_best(host, rank)

    def set_best(self, host: int, rank: int | None) -> None:
        """Set the rank of a host's best link; None if it has no link left."""
        if rank is None:
            self._best.pop(host, None)
            return
        self._best[host] = rank
        self._push(host, rank)
        if len(self._heap) > 2 * len(self._best) + 1000:
            self._heap = [(self._key(host, rank), host) for host, rank in self._best.items()]
            heapq.heapify(self._heap)

    def sink(self, host: int, by: int) -> None:
        """Let a host stand back: ``by`` is added to the rank of its best link. 0 lifts it again."""
        if by == self._sunk.get(host, 0):
            return
        if by:
            self._sunk[host] = by
        else:
            del self._sunk[host]
        self.recheck(host)

    def sunk(self, host: int) -> int:
        """Return what is added to the rank of a host's best link; 0 if the host does not stand back."""
        return self._sunk.get(host, 0)

    def place(self, host: int) -> int | None:
        """Return the rank by which a host is ordered: its best link's, and what is added to it. None if it has no link."""
        rank = self._best.get(host)
        return None if rank is None else self._key(host, rank)

    @property
    def all_sunk(self) -> dict[int, int]:
        """The hosts that stand back, with what is added to their ranks."""
        return self._sunk.copy()

    def next_host(self, ready_at: Callable[[int], float], now: float) -> int | None:
        """Return the host with the best link that may be asked now; None if there is none.

        ``ready_at`` says when a host may be asked, on the clock of ``now``; ``BUSY`` if that is not known.
        """
        for host in self._busy:
            self.recheck(host)
        self._busy.clear()
        while self._resting and self._resting[0][0] <= now:
            self.recheck(heapq.heappop(self._resting)[1])
        busy_key: int | None = None
        while self._heap:
            key, host = self._heap[0]
            rank = self._best.get(host)
            if rank is None or self._key(host, rank) != key:
                heapq.heappop(self._heap)
                continue
            ready = ready_at(host)
            if ready <= now:
                busy_key = key if busy_key is None else busy_key
                self.levels_below_busy = _levels_between(busy_key, key)
                self.levels_below = self._levels_below(key, busy_key)
                return host
            heapq.heappop(self._heap)
            if ready == BUSY:
                self._busy.add(host)
                if busy_key is None:
                    busy_key = key
            else:
                heapq.heappush(self._resting, (ready, host))
                heapq.heappush(self._missed, (key, host))
        return None

    def recheck(self, host: int) -> None:
        """Consider a host again with the next call of `next_host`: it may be ready earlier than it said."""
        rank = self._best.get(host)
        if rank is not None:
            self._push(host, rank)

    def next_ready(self) -> float | None:
        """Return when the first of the resting hosts may be asked; None if none rests."""
        return self._resting[0][0] if self._resting else None

    def _levels_below(self, key: int, busy_key: int) -> int:
        """Return by how many levels a key is behind the best of the hosts that wait, be they busy or resting."""
        missed = self._missed
        while missed and missed[0][0] < key:
            best, host = missed[0]
            rank = self._best.get(host)
            if rank is not None and self._key(host, rank) == best:
                busy_key = min(best, busy_key)
                break
            heapq.heappop(missed)
        if len(missed) > 2 * len(self._resting) + 1000:
            resting = (host for _, host in self._resting if host in self._best)
            self._missed = [(self._key(host, self._best[host]), host) for host in resting]
            heapq.heapify(self._missed)
        return _levels_between(busy_key, key)

    def _push(self, host: int, rank: int) -> None:
        heapq.heappush(self._heap, (self._key(host, rank), host))

    def _key(self, host: int, rank: int) -> int:
        return rank + self._sunk.get(host, 0)


def _levels_between(better: int, key: int) -> int:
    return (key >> RANK_BITS) - (better >> RANK_BITS) if better < key else 0
