"""The stats of retraining."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector


class RetrainingStats:
    """Writes stats, and notes the longest time for which retraining kept the crawl from anything else.

    Parameters
    ----------
    stats : StatsCollector
    """

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats
        self._longest_secs = 0.0

    def count(self, what: str, n: int = 1) -> None:
        """Add to a stat under ``focused/retraining/``."""
        self._stats.inc_value(f"focused/retraining/{what}", n)

    def set(self, what: str, value: Any) -> None:
        """Set a stat under ``focused/``."""
        self._stats.set_value(f"focused/{what}", value)

    def took(self, start: float, what: str) -> None:
        """Note that since ``start`` (of ``time.perf_counter``) the crawl could do nothing else."""
        seconds = time.perf_counter() - start
        if seconds > self._longest_secs:
            self._longest_secs = seconds
            self.set("retraining/longest_block_ms", round(seconds * 1000, 1))
            self.set("retraining/longest_block_by", what)
