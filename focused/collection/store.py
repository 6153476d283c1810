"""Writes the collection while a crawl runs."""

from __future__ import annotations

import random
import sqlite3
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from focused.collection.index_process import IndexProcess
from focused.collection.page import COLUMNS
from focused.collection.schema import open_collection, transaction
from focused.collection.word_index import index_some, n_not_indexed, take_out

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from focused.collection.page import CollectedPage

INDEX_EVERY_SECS = 10.0
"""What came before is found by its words so soon, also if the crawl is killed."""
INDEX_HERE_PAGES = 100
"""So many are indexed by the crawl itself, some 30 ms; more by another process, which takes longer than that to start."""
_INDEX_AT_END_SECS, _MOST_TRIES = 30.0, 8

_INSERT = f"INSERT INTO pages ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"


class CollectionStore:
    """The rows of a crawl. A page of a URL that is there takes the place of the former one.

    Pages that are not relevant keep text and terms as long as there are at most ``max_irrelevant`` of them. Of more a sample
    is kept in which each has the same chance to be: a reservoir. The rows of all stay.

    Raises
    ------
    CollectionFileError
        From the constructor, if the file is no collection.
    sqlite3.Error
        From all others, if it cannot be written. Nothing of that change is there then.
    """

    def __init__(self, path: Path, *, max_irrelevant: int) -> None:
        self.path = path
        self._sql = open_collection(path)
        self._max_irrelevant = max_irrelevant
        self._is_closed = False
        #: Only what is not relevant: their ids, in no order.
        self._with_text = [
            number
            for (number,) in self._sql.execute(
                "SELECT id FROM pages WHERE relevant = 0 AND text_left_out = 0 ORDER BY id"
            )
        ]
        [(self._n_irrelevant,)] = self._sql.execute("SELECT count(*) FROM pages WHERE relevant = 0")
        self._index = IndexProcess(path.parent)
        #: Pages that came since then, or that an earlier run has left: these are indexed with the first page.
        self._n_new = n_not_indexed(self._sql)
        self._indexed_at = time.monotonic() - (INDEX_EVERY_SECS if self._n_new else 0)

    @property
    def n_pages(self) -> int:
        """How many rows there are."""
        return int(self._sql.execute("SELECT count(*) FROM pages").fetchone()[0])

    @property
    def last_number(self) -> int:
        """Number of the page that was judged last; 0 where there is none."""
        return int(self._sql.execute("SELECT coalesce(max(number), 0) FROM pages").fetchone()[0])

    def about(self, key: str) -> str:
        """Return what the file says of itself under a key; empty if nothing."""
        row = self._sql.execute("SELECT value FROM about WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def describe(self, key: str, value: str) -> None:
        """Write a property of the collection to the file."""
        self._sql.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, value))

    def add(self, *pages: CollectedPage) -> None:
        """Add pages in one transaction, durable when this returns; if it raises, none is there."""
        before = self._with_text.copy(), self._n_irrelevant
        try:
            with transaction(self._sql):
                for page in pages:
                    self._add(page)
        except BaseException:
            self._with_text, self._n_irrelevant = before
            raise
        self._n_new += len(pages)
        if time.monotonic() - self._indexed_at >= INDEX_EVERY_SECS:
            if self._n_new <= INDEX_HERE_PAGES or not self._index.begin():
                with suppress(sqlite3.OperationalError):  # another program writes: later
                    index_some(self._sql)
                    index_some(self._sql)
            self._n_new, self._indexed_at = 0, time.monotonic()

    def _add(self, page: CollectedPage) -> None:
        self._remove(self._sql.execute("SELECT id FROM pages WHERE url = ?", (page.url,)).fetchall())
        left_out = None if page.relevant else self._place()
        if left_out is not None:
            self._leave_out(left_out, page)
        found = self._sql.execute(_INSERT, page.to_row()).lastrowid
        assert found is not None
        if not page.relevant and not page.text_left_out:
            self._with_text.append(found)

    def remove_after(self, number: int) -> int:
        """Remove the pages beyond a number, which a killed crawl had not made durable; return how many there were."""
        with transaction(self._sql):
            found = self._sql.execute("SELECT id FROM pages WHERE number > ?", (number,)).fetchall()
            self._remove(found)
        return len(found)

    @property
    def index_cpu_secs(self) -> float:
        """Seconds of CPU that other processes took to index what the crawl did not index itself."""
        return self._index.cpu_secs

    def close(self) -> int:
        """Bring the index up to date, if that can be done in time, and close the file; nothing happens the second time.

        Returns how many pages are not indexed: those whom a search finds only once it has indexed them itself.
        """
        if self._is_closed:
            return 0
        self._is_closed = True
        try:
            n_left = self._index_rest()
            self._sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            self._sql.close()
        return n_left

    def _index_rest(self) -> int:
        """Index what is left; return how much that still is when the time is over.

        A process that ends early was killed, or another program has locked the file for longer than it waits: another try.
        """
        end = time.monotonic() + _INDEX_AT_END_SECS
        for _ in range(_MOST_TRIES):
            is_over = not self._index.wait(max(0.0, end - time.monotonic()))
            n_left = n_not_indexed(self._sql)
            if is_over or not n_left:
                break
            if n_left <= INDEX_HERE_PAGES or not self._index.begin(pause_secs=0):
                with suppress(sqlite3.OperationalError):
                    while index_some(self._sql) and time.monotonic() < end:
                        pass
        self._index.end()
        return n_not_indexed(self._sql)

    def _remove(self, rows: Iterable[tuple[int]]) -> None:
        for (number,) in rows:
            take_out(self._sql, number)
            [(relevant,)] = self._sql.execute("DELETE FROM pages WHERE id = ? RETURNING relevant", (number,)).fetchall()
            if not relevant:
                self._n_irrelevant -= 1
                if number in self._with_text:
                    self._with_text.remove(number)

    def _place(self) -> int | None:
        """Count a page that is not relevant; return the place of the one whose text goes, -1: its own; None: all have room."""
        self._n_irrelevant += 1
        if len(self._with_text) < self._max_irrelevant:
            return None
        # Drawn by what was counted, so that the same crawl keeps the same pages.
        place = random.Random(self._n_irrelevant).randrange(self._n_irrelevant)
        return place if place < len(self._with_text) else -1

    def _leave_out(self, place: int, page: CollectedPage) -> None:
        if place < 0:
            page.text, page.terms, page.text_left_out, page.markdown = "", {}, True, None
            return
        number = self._with_text[place]
        self._with_text[place] = self._with_text[-1]
        self._with_text.pop()
        take_out(self._sql, number)
        self._sql.execute(
            "UPDATE pages SET text = '', terms = NULL, markdown = NULL, text_left_out = 1 WHERE id = ?", (number,)
        )
