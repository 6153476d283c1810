"""Forgets the worst of too many waiting links, a slice at a time, so that no page waits for it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_SLICE = 20_000
_SAMPLE = 4_000
_SHARE = 1 / 8
"""Share of the limit that one cut removes: a cut reads all links once, so it must be rare."""


class Pruner:
    """Keeps the number of waiting links under a limit (docs/method/, D61).

    Once it is passed, a sample tells the rank that divides the worst links from the rest. Links beyond it are deleted in
    slices, in the order of discovery. A link that was cut and is found again is new.
    """

    def __init__(self, max_links: int) -> None:
        self.max_links = max_links
        self._worst_kept = 0
        self._at = self._end = 0
        #: How many times it has gone through all links.
        self.n_rounds = 0

    def prune(self, sql: sqlite3.Connection, n_waiting: int, last_id: int) -> int:
        """Do a slice of the work if there is any; return how many links were deleted."""
        if self._at >= self._end:
            if n_waiting <= self.max_links:
                return 0
            self._at, self._end = 0, last_id
            self._worst_kept = self._divide(sql, n_waiting, last_id)
        start, self._at = self._at, self._at + _SLICE
        self.n_rounds += self._at >= self._end
        return sql.execute(
            "DELETE FROM links WHERE id > ? AND id <= ? AND state = 0 AND rank > ?",
            (start, min(self._at, self._end), self._worst_kept),
        ).rowcount

    def _divide(self, sql: sqlite3.Connection, n_waiting: int, last_id: int) -> int:
        generator = random.Random(last_id)
        if last_id <= 5 * _SAMPLE:
            rows = sql.execute("SELECT rank FROM links WHERE state = 0").fetchall()
        else:
            ids = generator.sample(range(1, last_id + 1), _SAMPLE)
            marks = ", ".join("?" * len(ids))
            rows = sql.execute(f"SELECT rank FROM links WHERE id IN ({marks}) AND state = 0", ids).fetchall()
        ranks = sorted(rank for (rank,) in rows)
        share_kept = self.max_links * (1 - _SHARE) / n_waiting
        return ranks[min(int(len(ranks) * share_kept), len(ranks) - 1)] if ranks else 0
