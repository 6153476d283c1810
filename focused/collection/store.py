"""Writes the collection while a crawl runs."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from focused.collection.page import COLUMNS
from focused.collection.schema import open_collection, transaction
from focused.collection.word_index import index_rest, indexed_to, take_out

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from focused.collection.page import CollectedPage

INDEX_EVERY_PAGES = 100
"""Pages between two updates of the index: some 20 ms. With 25 a page costs a seventh more, one by one twice as much."""
INDEX_EVERY_SECS = 10.0
"""Where pages come slowly: what came before is found by its words so soon, also if the crawl is killed."""

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
        #: As far as this process knows; whoever searches may have indexed more.
        self._indexed_to, self._indexed_at = indexed_to(self._sql), time.monotonic()
        [(self._last_id,)] = self._sql.execute("SELECT coalesce(max(id), 0) FROM pages")

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
        """Let the file say something of itself."""
        self._sql.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, value))

    def add(self, *pages: CollectedPage) -> None:
        """Add pages in one transaction, durable when this returns; if it raises, none is there."""
        before = self._with_text.copy(), self._n_irrelevant, self._last_id, self._indexed_to, self._indexed_at
        try:
            with transaction(self._sql):
                for page in pages:
                    self._add(page)
                is_late = time.monotonic() - self._indexed_at >= INDEX_EVERY_SECS
                if is_late or self._last_id - self._indexed_to >= INDEX_EVERY_PAGES:
                    self._index()
        except BaseException:
            self._with_text, self._n_irrelevant, self._last_id, self._indexed_to, self._indexed_at = before
            raise

    def _add(self, page: CollectedPage) -> None:
        self._remove(self._sql.execute("SELECT id FROM pages WHERE url = ?", (page.url,)).fetchall())
        left_out = None if page.relevant else self._place()
        if left_out is not None:
            self._leave_out(left_out, page)
        found = self._sql.execute(_INSERT, page.to_row()).lastrowid
        assert found is not None
        if not page.relevant and not page.text_left_out:
            self._with_text.append(found)
        self._last_id = found

    def remove_after(self, number: int) -> int:
        """Remove the pages beyond a number, which a killed crawl had not made durable; return how many there were."""
        with transaction(self._sql):
            found = self._sql.execute("SELECT id FROM pages WHERE number > ?", (number,)).fetchall()
            self._remove(found)
        return len(found)

    def close(self) -> None:
        """Bring the index up to date, and close the file; nothing happens the second time."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            if self._last_id > self._indexed_to:
                with transaction(self._sql):
                    self._index()
            self._sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            self._sql.close()

    def _index(self) -> None:
        self._indexed_to, self._indexed_at = index_rest(self._sql), time.monotonic()

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
