"""Compares how a crawl fares now with its best time."""

from __future__ import annotations

from collections import deque

WINDOW = 28
"""Pages whose mean relevance says how a crawl fares."""


class RecentHarvest:
    """The mean relevance of the latest pages, and the highest that it has ever been."""

    def __init__(self) -> None:
        self._latest: deque[float] = deque(maxlen=WINDOW)
        self._best = 0.0

    def add(self, relevance: float) -> None:
        """Count a page."""
        self._latest.append(relevance)
        if len(self._latest) == WINDOW:
            self._best = max(self._best, self.mean)

    @property
    def mean(self) -> float:
        """Mean relevance of the latest pages; 0 if there are none."""
        return sum(self._latest) / max(len(self._latest), 1)

    @property
    def share_lost(self) -> float:
        """By how much the latest pages are less relevant than those of the best time were, in [0, 1].

        >>> harvest = RecentHarvest()
        >>> for _ in range(28):
        ...     harvest.add(0.8)
        >>> for _ in range(14):
        ...     harvest.add(0.2)
        >>> round(harvest.share_lost, 3)
        0.375
        """
        return max(1 - self.mean / self._best, 0.0) if self._best else 0.0
