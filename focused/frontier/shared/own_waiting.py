"""Counts the waiting links of this worker's hosts, by host and level, when the counts are asked for."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

from focused.frontier.shared.link_rows import priority
from focused.frontier.store.priority_bins import BOUNDS, N_BINS, bin_of
from focused.frontier.store.schema import RANK_BITS
from focused.frontier.store.waiting_counts import Floats, Integers, WaitingCounts, extended_to_hosts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from focused.frontier.shared.commit_result import CommitResult
    from focused.frontier.shared.own_hosts import OwnHosts

_PAGES_KEPT = 1_000
"""Pages whose levels are remembered until their links are durable."""
_BOUNDS = np.array(BOUNDS)


class OwnWaiting(WaitingCounts):
    """Counts links of a worker's hosts; those that lie beyond a host's horizon are not known, and worse than the counted.

    What pages bring is known when it is durable. What they bring of other workers' hosts is these workers' to ask for. Only
    the worker whose pages bring it can count it, and does so for a part of these hosts' turns: where two workers count all
    of them, both wait for what cannot come, and where none does, for nothing.

    Parameters
    ----------
    own : OwnHosts
        The worker's hosts.
    n_memory_pages : float
        As of `WaitingCounts`.
    n_workers : callable
        Returns how many workers are at work.
    """

    def __init__(self, own: OwnHosts, n_memory_pages: float, n_workers: Callable[[], int]) -> None:
        super().__init__(n_memory_pages)
        self._own, self._n_workers = own, n_workers
        self._bin_of_page: OrderedDict[str, int] = OrderedDict()

    def supply(self, n_links: float, turns: Floats | float, sunk: Mapping[int, int] | None = None) -> Floats:
        """Return what `WaitingCounts.supply` does, of the links that wait in memory now."""
        self._count()
        if (n_workers := self._n_workers()) > 1:
            mine = np.full(len(self._waiting), 1 / n_workers)
            mine[[own.number for own in self._own]] = 1.0
            turns = mine * (turns if isinstance(turns, float) else extended_to_hosts(turns, len(mine)))
        return super().supply(n_links, turns, sunk)

    def by_host(self) -> tuple[Integers, Integers]:
        """Return what `WaitingCounts.by_host` does, of the links that wait in memory now."""
        self._count()
        return super().by_host()

    def leased(self, host: int, url: str, rank: int) -> None:
        """Note that a link of a host is under way."""
        self._reach(host)
        self._taken_at[host] += 1
        self._bin_of_page[url] = bin_of(rank)
        if len(self._bin_of_page) > _PAGES_KEPT:
            self._bin_of_page.popitem(last=False)

    def gave_back(self, host: int) -> None:
        """Note that a link that was under way waits again."""
        self._taken_at[host] -= 1

    def written(self, written: CommitResult) -> None:
        """Note the links that pages have brought, and those that they have raised."""
        number, before_page = self._own.names.number, self._source
        for link in written.new:
            self._source = self._bin_of_page.get(link.referrer, before_page)
            self.note_found(number(link.host_name), link.rank)
        for link, known in written.joined:
            before = -priority(known, link.extra) << RANK_BITS
            if link.rank < before:
                self._source = self._bin_of_page.get(link.referrer, before_page)
                self.note_found(number(link.host_name), link.rank, before)
        self._source = before_page

    def _count(self) -> None:
        """Count the links in memory anew."""
        hosts = list(self._own)
        self._reach(max((own.number for own in hosts), default=0))
        lengths = [len(own.links) for own in hosts]
        ranks = np.fromiter((link.rank for own in hosts for link in own.links.values()), np.int64, sum(lengths))
        priorities = -(ranks >> RANK_BITS)
        places = np.searchsorted(_BOUNDS, priorities, side="right")
        is_among = (priorities >= BOUNDS[0]) & (priorities < BOUNDS[-1])
        self._of_priority = np.bincount(priorities[is_among] - BOUNDS[0], minlength=BOUNDS[-1] - BOUNDS[0]).tolist()
        numbers = np.repeat([own.number for own in hosts], lengths).astype(np.int64)
        counts = np.bincount(numbers * N_BINS + places, minlength=len(self._waiting) * N_BINS)
        self._waiting[:] = counts.reshape(-1, N_BINS)
        self._in_all = self._waiting.sum(axis=0).tolist()
