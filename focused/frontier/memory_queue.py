"""Requests that wait in memory: retries, targets of redirects, and whatever is more than a link."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from focused.frontier.store.host_queue import BUSY
from focused.frontier.store.link import host_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request


class MemoryQueue:
    """By priority, of equals the oldest first; those whose hosts must rest are passed over."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Request]] = []
        self._n_pushed = 0

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, request: Request) -> None:
        """Let a request wait."""
        self._n_pushed += 1
        heapq.heappush(self._heap, (-request.priority, self._n_pushed, request))

    def pop(self, ready_at: Callable[[str], float], now: float) -> Request | None:
        """Return the best request whose host may be asked now; None if there is none.

        Parameters
        ----------
        ready_at : function
            Of a host's name: when it may be asked, on the clock of ``now``.
        now : float
        """
        resting, found = [], None
        while self._heap:
            entry = heapq.heappop(self._heap)
            if ready_at(host_of(entry[2].url)) <= now:
                found = entry[2]
                break
            resting.append(entry)
        for entry in resting:
            heapq.heappush(self._heap, entry)
        return found

    def ready_times(self, ready_at: Callable[[str], float]) -> list[float]:
        """Return when the hosts may be asked of which that is known."""
        times = (ready_at(host_of(request.url)) for _, _, request in self._heap)
        return [time for time in times if time < BUSY]

    def clear(self) -> None:
        """Forget all."""
        self._heap.clear()
