"""Keeps the texts of pages, as sketches, in the frontier's file, so that a resumed crawl knows copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from focused.frontier.store.transaction import Transaction

_TEXTS = (
    "CREATE TABLE IF NOT EXISTS texts (id INTEGER PRIMARY KEY, url TEXT NOT NULL, copy_of TEXT NOT NULL,"
    " referrer TEXT NOT NULL, relevant INTEGER NOT NULL, sketch BLOB NOT NULL)"
)
MAX_PAGES = 100_000
"""Pages that are kept: some 900 bytes each."""
_DROPPED_AT_ONCE = 1_000


class StoredTexts:
    """The pages that ended, in that order: the URL of each, of which page it is a copy, and the sketch of its text.

    Each is part of its page's transaction. Beyond ``max_pages`` the oldest are dropped.
    """

    def __init__(self, sql: sqlite3.Connection, transaction: Transaction, max_pages: int) -> None:
        self._sql = sql
        self._transaction = transaction
        self._max_pages = max_pages
        sql.execute(_TEXTS)
        self._first, self._last = sql.execute("SELECT coalesce(min(id), 1), coalesce(max(id), 0) FROM texts").fetchone()

    def add(self, url: str, copy_of: str, referrer: str, sketch: bytes, relevant: bool) -> None:
        """Keep a page: ``copy_of`` is empty where it is none; ``referrer``: the page that it was found on."""
        self._transaction.begin()  # of a page without new links this is the first change
        self._last += 1
        self._sql.execute(
            "INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?)", (self._last, url, copy_of, referrer, relevant, sketch)
        )
        if self._last - self._first >= self._max_pages + _DROPPED_AT_ONCE:
            self._first = self._last - self._max_pages + 1
            self._sql.execute("DELETE FROM texts WHERE id < ?", (self._first,))

    def pages(self) -> Iterator[tuple[str, str, str, int, bytes]]:
        """Yield URL, the URL that it is a copy of, referrer, relevant (0 or 1), and sketch of each page, the oldest first."""
        yield from self._sql.execute("SELECT url, copy_of, referrer, relevant, sketch FROM texts ORDER BY id")

    def sketches(self) -> Iterator[tuple[str, bytes, int]]:
        """Yield URL, sketch and relevant (0 or 1) of each page that is no copy and has words, the oldest first."""
        yield from self._sql.execute("SELECT url, sketch, relevant FROM texts WHERE sketch <> x'' ORDER BY id")
