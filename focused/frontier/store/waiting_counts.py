"""Counts waiting links by host and level of priority, and how many links of each level pages bring."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.frontier.store.priority_bins import BEYOND, BOUNDS, LOWEST, MIDDLE_PRIORITIES, MIDDLES, N_BINS, bin_of
from focused.frontier.store.ranks import priority_of
from focused.frontier.store.schema import RANK_BITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[Any]

_FEW = 5.0
"""Pages without any link that stand for what is not known yet of the links that pages bring."""
_LARGEST_WEIGHT = 1e9
# A product with it is `_from_best` of a table, in a fifth of the time.
_TO_BETTER = np.ascontiguousarray(np.tri(N_BINS, dtype=np.float32)[:, ::-1])


class WaitingCounts:
    """Counts waiting links by host and level, and those that pages bring, the older ones less and less.

    What pages bring is counted over about ``n_memory_pages`` of them. A table of ``N_BINS`` bins a host: 8 bytes each, some
    0.5 kB a host. A host is its number in the store.
    """

    def __init__(self, n_memory_pages: float = 33.0) -> None:
        self._growth = 1 / (1 - 1 / max(n_memory_pages, 2.0))
        #: What a page weighs that ends now; the tables of pages and of what came in are in these weights.
        self._weight = 1.0
        #: Bin of the page whose links are found; links by its bin and theirs, shape (N_BINS, N_BINS); pages by their bin.
        self._source = N_BINS - 1
        self._flow = np.zeros((N_BINS, N_BINS))
        self._pages = np.zeros(N_BINS)
        self._flow_at: Any = self._flow.data
        self._pages_at: Any = self._pages.data
        self._make(64)

    def _make(self, n_hosts: int) -> None:
        #: Links that wait of each priority from ``LOWEST`` to below ``BEYOND``, of all hosts.
        self._of_priority = [0.0] * (BEYOND - LOWEST)
        self._waiting = np.zeros((n_hosts, N_BINS), dtype=np.int32)
        #: Of all hosts together.
        self._in_all = [0] * N_BINS
        self._came = np.zeros((n_hosts, N_BINS), dtype=np.float32)
        #: Links of each host that wait no more.
        self._taken = np.zeros(n_hosts, dtype=np.int32)
        self._renew_views()

    def _renew_views(self) -> None:
        # Single places are changed in a fifth of the time through these.
        self._waiting_at: Any = self._waiting.data
        self._came_at: Any = self._came.data
        self._taken_at: Any = self._taken.data

    def _reach(self, host: int) -> None:
        n_hosts = len(self._waiting)
        if host >= n_hosts:
            more = ((0, max(n_hosts, host + 1 - n_hosts)), (0, 0))
            self._waiting, self._came = np.pad(self._waiting, more), np.pad(self._came, more)
            self._taken = np.pad(self._taken, more[0])
            self._renew_views()

    def load(self, ranks: Iterable[tuple[int, int]]) -> None:
        """Count the links that wait anew: (host, rank) of each."""
        self._waiting[:] = 0
        self._in_all = [0] * N_BINS
        self._of_priority = [0.0] * (BEYOND - LOWEST)
        for host, rank in ranks:
            self.add(host, rank)

    def add(self, host: int, rank: int) -> None:
        """Count a link that waits, or waits again."""
        self._reach(host)
        priority = priority_of(rank)
        place = bisect_right(BOUNDS, priority)
        self._waiting_at[host, place] += 1
        self._in_all[place] += 1
        if LOWEST <= priority < BEYOND:
            self._of_priority[priority - LOWEST] += 1

    def remove(self, host: int, rank: int) -> None:
        """Note that a link waits no more."""
        priority = priority_of(rank)
        place = bisect_right(BOUNDS, priority)
        self._waiting_at[host, place] -= 1
        self._in_all[place] -= 1
        self._taken_at[host] += 1
        if LOWEST <= priority < BEYOND:
            self._of_priority[priority - LOWEST] -= 1

    def by_host(self) -> tuple[Integers, Integers]:
        """Return how many links of each host wait, and how many wait no more since this was opened; of shape (n_hosts,)."""
        return self._waiting.sum(axis=1), self._taken

    def move(self, host: int, before: int, after: int) -> None:
        """Note that a waiting link has another rank."""
        was, now = priority_of(before), priority_of(after)
        first, second = bisect_right(BOUNDS, was), bisect_right(BOUNDS, now)
        if LOWEST <= was < BEYOND:
            self._of_priority[was - LOWEST] -= 1
        if LOWEST <= now < BEYOND:
            self._of_priority[now - LOWEST] += 1
        if first != second:
            self._waiting_at[host, first] -= 1
            self._waiting_at[host, second] += 1
            self._in_all[first] -= 1
            self._in_all[second] += 1

    def by_score(self) -> list[tuple[float, int]]:
        """Return how many links wait of each level that has any, the best first: the level's middle, and links.

        A level is a score in [0, 1], or for links below the threshold their score less 1; what is no link (seeds, the
        spider's own requests) counts as the best.
        """
        return [(MIDDLES[place], n) for place in range(N_BINS - 1, -1, -1) if (n := self._in_all[place]) > 0]

    def begin_page(self, priority: int) -> None:
        """Note that the links that are found next come from the page of a link that was handed out with this priority."""
        self._source = bisect_right(BOUNDS, priority)

    def note_found(self, host: int, rank: int, before: int | None = None) -> None:
        """Note that a page has brought a link, or has raised one from another rank."""
        self._reach(host)
        place = bin_of(rank)
        self._came_at[host, place] += self._weight
        self._flow_at[self._source, place] += self._weight
        if before is not None:
            place = bin_of(before)
            self._came_at[host, place] -= self._weight
            self._flow_at[self._source, place] -= self._weight

    def page_ended(self) -> None:
        """Count the page that began last: what came in before it counts less from now on."""
        self._pages_at[self._source] += self._weight
        self._weight *= self._growth
        if self._weight > _LARGEST_WEIGHT:
            for table in (self._came, self._flow, self._pages):
                table /= self._weight
            self._weight = 1.0

    def supply(self, n_links: float, turns: Floats | float, sunk: Mapping[int, int] | None = None) -> Floats:
        """Return how many links can be asked for of the best level, of the two best, and so on; shape (N_BINS,).

        They are the links that wait now and those that are going to come in. As many of a level or better come in for each
        request as the last pages brought whose own links were of that level or better: only these will be asked for. A host
        counts with no more links than it has turns left.

        Parameters
        ----------
        n_links : float
            Requests that the budget still allows.
        turns : float or ndarray of shape (n_hosts,)
            How often each host may still be asked; hosts beyond the array as often as its last one.
        sunk : mapping, optional
            Hosts that stand back, and how far, in ranks: their links count where they stand.
        """
        waiting, came, in_all = self._waiting, self._came, self._in_all
        if sunk:
            waiting, came = _where_they_stand(waiting, sunk), _where_they_stand(came, sunk)
            in_all = waiting.sum(axis=0)
        if not isinstance(turns, float):
            turns = extended_to_hosts(turns, len(waiting))
        came_in_all = came.sum(axis=0)
        scale = self._coming(n_links, came_in_all)
        totals = waiting.sum(axis=1) + np.maximum(came.sum(axis=1), 0) * scale.max()
        # Of hosts that have fewer links than turns all count: their sums are enough, and those are known.
        is_large = totals > turns
        small = np.array(in_all, dtype=np.float64)
        if is_large.any():
            large_waiting, large_came = waiting[is_large], came[is_large]
            large = large_waiting.astype(np.float32) @ _TO_BETTER + np.maximum(large_came @ _TO_BETTER, 0) * scale
            limits = np.broadcast_to(turns, len(waiting))[is_large]
            supply = np.minimum(large, limits[:, None]).sum(axis=0)
            small -= large_waiting.sum(axis=0)
            came_in_all = came_in_all - large_came.sum(axis=0)
        else:
            supply = np.zeros(N_BINS)
        supply = supply + _from_best(small) + np.maximum(_from_best(came_in_all), 0) * scale
        return np.maximum.accumulate(supply)

    def least_priority(self, supply: Floats, n_wanted: int) -> int | None:
        """Return the least priority of the best ``n_wanted`` links of a supply, as of `supply`; None: of all.

        Within a bin links lie as those that wait do: so where all have one score, it is theirs.

        >>> counts, supply = WaitingCounts(), np.array([0.0, 3.0, *[9.0] * (N_BINS - 2)])
        >>> counts.least_priority(supply, 3) == BOUNDS[-2], counts.least_priority(np.zeros(N_BINS), 1)
        (True, None)
        """
        place = int(np.searchsorted(supply, n_wanted))
        bin_ = N_BINS - 1 - place
        if bin_ <= 0:
            return None
        low = BOUNDS[bin_ - 1]
        if bin_ == len(BOUNDS):  # seeds, and what a spider asks for itself
            return low
        of_bin = self._of_priority[low - LOWEST : BOUNDS[bin_] - LOWEST]
        n_better = float(supply[place - 1])
        n_left = sum(of_bin) * (n_wanted - n_better) / (float(supply[place]) - n_better)
        for more in range(len(of_bin) - 1, 0, -1):
            n_left -= of_bin[more]
            if of_bin[more] > 0 and n_left <= 1e-6:
                return low + more
        return low

    def _coming(self, n_links: float, came_in_all: npt.NDArray[Any]) -> Floats:
        """Return how many links are going to come in for each that came, by bin from the best: of it and all better ones."""
        flow = np.maximum(np.diagonal(_from_best(_from_best(self._flow.T).T)), 0)
        n_pages = _from_best(self._pages) + _FEW * self._weight
        came = np.maximum(_from_best(came_in_all), 0)
        return np.divide(flow / n_pages * n_links, came, out=np.zeros(N_BINS), where=came > 0)


def _where_they_stand(counts: Integers, sunk: Mapping[int, int]) -> Integers:
    """Return counts by host and bin, those of hosts that stand back in the bins that their links stand in."""
    found = counts.copy()
    by_levels: dict[int, list[int]] = {}
    for host, by in sunk.items():
        if host < len(counts):
            by_levels.setdefault(by >> RANK_BITS, []).append(host)
    for levels, hosts in by_levels.items():
        moved = np.zeros((len(hosts), N_BINS), dtype=counts.dtype)
        for place, middle in enumerate(MIDDLE_PRIORITIES):
            moved[:, bisect_right(BOUNDS, middle - levels)] += counts[hosts, place]
        found[hosts] = moved
    return found


def _from_best(counts: npt.NDArray[Any]) -> Floats:
    """Return sums over the last axis from its end: of the best bin, of the two best, and so on."""
    sums: Floats = np.cumsum(counts[..., ::-1], axis=-1, dtype=np.float64)
    return sums


def extended_to_hosts(turns: Floats, n_hosts: int) -> Floats:
    """Return the figures of so many hosts; the last one stands for all hosts beyond."""
    if len(turns) >= n_hosts:
        return turns[:n_hosts]
    return np.concatenate([turns, np.full(n_hosts - len(turns), turns[-1])])
