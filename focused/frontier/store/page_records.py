"""Keeps records of pages in the frontier's file: what a strategy has learnt from each, and the latest as they came."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

RECORDS = "CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, n_links INTEGER NOT NULL, record BLOB NOT NULL)"

MAX_BYTES = 64_000_000
"""Of all pages together: a run directory with this is larger by so much."""
_LARGEST = MAX_BYTES // 64

PAGES = (
    "CREATE TABLE IF NOT EXISTS pages (id INTEGER PRIMARY KEY, url TEXT NOT NULL, content_type TEXT NOT NULL,"
    " visit TEXT NOT NULL, n_bytes INTEGER NOT NULL, body BLOB NOT NULL)"
)


class PageRecords:
    """What was learnt from pages, in the order in which they came; all of it is part of the page's transaction.

    Together the records have at most ``max_links`` links; beyond that the oldest are dropped.
    """

    def __init__(self, sql: sqlite3.Connection, max_links: int) -> None:
        self._sql = sql
        self._max_links = max_links
        sql.execute(RECORDS)
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


class StoredPage(NamedTuple):
    """A page as it came, and how the crawl came to it (JSON)."""

    url: str
    content_type: str
    visit: str
    body: bytes


class StoredPages:
    """Pages in the order in which they came; each is part of its page's transaction.

    They are written as they are: 0.03 ms (4 kB) to 0.04 or 0.08 ms (21 kB) a page; zlib's level 1 would take a quarter
    of the space and twice the time. Beyond ``max_pages`` and ``MAX_BYTES`` the oldest are dropped; very large ones are
    left out.
    """

    def __init__(self, sql: sqlite3.Connection, max_pages: int) -> None:
        self._sql = sql
        self._max_pages = max_pages
        sql.execute(PAGES)
        # From here on both are counted: dropped are always the first, so numbers have no gaps.
        self._first, self._last, self._n_bytes = sql.execute(
            "SELECT coalesce(min(id), 1), coalesce(max(id), 0), coalesce(sum(n_bytes), 0) FROM pages"
        ).fetchone()

    def __len__(self) -> int:
        return int(self._last - self._first + 1)

    def __iter__(self) -> Iterator[StoredPage]:
        """Iterate over the pages, the oldest first."""
        rows = self._sql.execute("SELECT url, content_type, visit, body FROM pages ORDER BY id")
        return map(StoredPage._make, rows)

    def add(self, page: StoredPage) -> None:
        """Store a page, unless it is very large."""
        n_bytes = len(page.body)
        if n_bytes > _LARGEST:
            return
        self._last += 1
        self._sql.execute("INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?)", (self._last, *page[:3], n_bytes, page.body))
        self._n_bytes += n_bytes
        while len(self) > self._max_pages or self._n_bytes > MAX_BYTES:
            [(n_oldest,)] = self._sql.execute("SELECT n_bytes FROM pages WHERE id = ?", (self._first,)).fetchall()
            self._sql.execute("DELETE FROM pages WHERE id = ?", (self._first,))
            self._first += 1
            self._n_bytes -= n_oldest
