"""Estimates when a crawl ends: when the first of its budgets is spent at the present speed."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_WINDOW_SECS = 120.0
_LEAST_SHARE = 0.02
"""A budget of which less has been spent in the window says nothing yet, unless ..."""
_LEAST_AMOUNT = 5.0
"""... so much has: pages, or seconds."""


class TimeLeft:
    """Estimates how long budgets last, each by the speed at which it was spent in the last two minutes.

    Parameters
    ----------
    budgets : sequence of float
        What may be spent of each: pages, relevant pages, seconds; 0: no limit.
    """

    def __init__(self, budgets: Sequence[float]) -> None:
        self._budgets = tuple(budgets)
        self._looks: deque[tuple[float, tuple[float, ...]]] = deque()

    def note_spent(self, now: float, spent: Sequence[float]) -> None:
        """Note what has been spent of each budget at a moment, in seconds of a clock."""
        self._looks.append((now, tuple(spent)))
        while len(self._looks) > 2 and self._looks[1][0] <= now - _WINDOW_SECS:
            self._looks.popleft()

    def speed(self, spent: int, of: int) -> float | None:
        """Return how much of one budget is spent for each unit of another; None before enough of the second is.

        >>> left = TimeLeft([100, 0, 600])
        >>> left.note_spent(0, [0, 0, 0]); left.note_spent(10, [20, 9, 10]); left.speed(0, 2)
        2.0
        """
        if not self._looks:
            return None
        (_, before), (_, now) = self._looks[0], self._looks[-1]
        gained = now[of] - before[of]
        return (now[spent] - before[spent]) / gained if gained >= _LEAST_AMOUNT else None

    def secs(self) -> float | None:
        """Return the seconds until the first budget is spent; None where nothing can be said.

        >>> left = TimeLeft([100, 0, 600])
        >>> left.note_spent(0, [0, 0, 0]); left.note_spent(10, [20, 9, 10]); left.secs()
        40.0
        >>> left.note_spent(20, [20, 9, 550]); left.secs()
        1.8181818181818181
        """
        if not self._looks:
            return None
        (then, before), (now, spent) = self._looks[0], self._looks[-1]
        found = []
        for budget, first, last in zip(self._budgets, before, spent, strict=True):
            gained = last - first
            if budget and now > then and gained >= min(_LEAST_AMOUNT, _LEAST_SHARE * budget) and gained > 0:
                found.append(max(budget - last, 0.0) * (now - then) / gained)
        return min(found, default=None)
