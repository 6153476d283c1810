"""What a strategy has learnt from each page, in the frontier's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_TABLE = "CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, n_links INTEGER NOT NULL, record BLOB NOT NULL)"


class PageRecords:
    """What was learnt from pages, in the order in which they came; all of it is part of the page's transaction.

    Parameters
    ----------
    sql : sqlite3.Connection
    max_links : int
        Links that the records may have together; beyond that the oldest are dropped.
    """

    def __init__(self, sql: sqlite3.Connection, max_links: int) -> None:
        self._sql = sql
        self._max_links = max_links
        sql.execute(_TABLE)
        self._n_links: int = sql.execute("SELECT coalesce(sum(n_links), 0) FROM records").fetchone()[0]

    @property
    def n_records(self) -> int:
        """How many there are."""
        return int(self._sql.execute("SELECT count(*) FROM records").fetchone()[0])

    def __iter__(self) -> sqlite3.Cursor:
        """Iterate over (number, record)."""
        return self._sql.execute("SELECT id, record FROM records ORDER BY id")

    def add(self, n_links: int, record: bytes) -> None:
        """Keep a record."""
        self._sql.execute("INSERT INTO records (n_links, record) VALUES (?, ?)", (n_links, record))
        self._n_links += n_links
        while self._n_links > self._max_links:
            [(number, n_oldest)] = self._sql.execute("SELECT id, n_links FROM records ORDER BY id LIMIT 1").fetchall()
            self._sql.execute("DELETE FROM records WHERE id = ?", (number,))
            self._n_links -= n_oldest
