"""`PageBudget`: the pages of the crawl's budget that were granted to a worker, and how many of them are spent."""

from __future__ import annotations

from typing import Any

from focused.frontier.shared.boot_clock import now

GRANT, SLOW_GRANT = 16, 4
"""The fewest pages that are reserved at a time; a fast worker reserves what it fetches in the seconds below. Fewer where hosts
rest: what one worker holds while it waits, another cannot fetch."""
_AHEAD_SECS, _SLOW_AHEAD_SECS = 1.0, 0.5
_COUNTED_SECS = 0.5
"""Time over which pages are counted."""
_MOST = 512


class PageBudget:
    """Counts pages against grants, which the database gives; ``max_pages`` of the whole crawl, 0: there is no limit."""

    def __init__(self, max_pages: int) -> None:
        self.max_pages = max_pages
        self._n_granted = self._n_spent = 0
        #: Whether hosts rest between two requests.
        self.is_slow = False
        self._n_at_a_time, self._n_before, self._since = 0, 0, now()
        #: Whether a grant is on its way back. Grants that were on their way before it count no more.
        self._is_returning = False
        #: Whether the crawl had nothing more to grant when it was asked last.
        self.is_dry = False

    def left(self, n_under_way: int) -> int | None:
        """Return how many more pages may be asked for; None: there is no limit."""
        return self._n_granted - self._n_spent - n_under_way if self.max_pages else None

    def count_ended(self, *, is_page: bool) -> None:
        """Count a link that has ended, whether it brought a page or not."""
        self._n_spent += is_page

    def count_refused(self, *, was_page: bool) -> None:
        """Count a page as refused: it takes nothing of the budget."""
        self._n_spent -= was_page

    def granted(self, n_pages: int, *, is_return: bool) -> None:
        """Receive how many pages are granted to this worker, the fetched ones included."""
        self._is_returning = self._is_returning and not is_return
        if not self._is_returning:
            self.is_dry = not is_return and n_pages <= self._n_granted
            self._n_granted = n_pages

    def agree(self, n_granted: int, n_spent: int) -> None:
        """Take over the figures of the database; only called when nothing of this worker is on its way to it."""
        if not self._is_returning:
            self._n_granted, self._n_spent = n_granted, n_spent

    def begin_anew(self) -> None:
        """Begin as a new worker, with nothing."""
        self._n_granted = self._n_spent = 0
        self._is_returning = False

    def tasks(self, n_under_way: int, *, is_busy: bool) -> dict[str, Any]:
        """Return tasks of the keeper: to reserve pages while there is work, else to give back what is left."""
        left = self.left(n_under_way)
        if left is None or self._is_returning:
            return {}
        if is_busy:
            n_pages = self._n_ahead()
            return {"n_pages": n_pages if left < n_pages // 2 else 0}
        if left <= 0:
            return {}
        self._is_returning = True
        self._n_granted = self._n_spent
        return {"returns_pages": True}

    def _n_ahead(self) -> int:
        """Return how many pages to reserve at a time, by what this worker has fetched lately."""
        if (secs := now() - self._since) >= _COUNTED_SECS:
            ahead = _SLOW_AHEAD_SECS if self.is_slow else _AHEAD_SECS
            n_pages = int((self._n_spent - self._n_before) / secs * ahead)
            self._n_at_a_time = min(_MOST, n_pages)
            self._n_before, self._since = self._n_spent, now()
        return max(SLOW_GRANT if self.is_slow else GRANT, self._n_at_a_time)
