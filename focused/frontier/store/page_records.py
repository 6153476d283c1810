"""What a strategy that learns has to say to the frontier's file, and the file to it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

    from focused.frontier.store.store import FrontierStore
    from focused.method.scoring.session import Session

logger = logging.getLogger(__name__)

_MANY, _PAGES_A_SEC = 1_000, 400

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


class Learning:
    """Moves waiting links to where a session says they belong, and keeps what it learns.

    Parameters
    ----------
    store : FrontierStore
    session : Session
    """

    def __init__(self, store: FrontierStore, session: Session) -> None:
        self._store = store
        self._session = session
        self._records = store.records(session.max_recorded_links)

    def resume(self) -> int:
        """Let the session learn again from what it had learnt; return how many records could not be read."""
        n_bad = 0
        if (n_records := self._records.n_records) > _MANY:
            logger.info("Learning again what %d pages have taught; some %.0f s.", n_records, n_records / _PAGES_A_SEC)
        for number, record in self._records:
            try:
                self._session.replay(record)
            except ValueError as error:
                n_bad += 1
                if n_bad == 1:  # a file of another version has as many of them as pages
                    logger.warning("Record %d of the frontier is left out: %s", number, error)
        if n_bad > 1:
            logger.warning(
                "%d records of the frontier are left out, of %d. They are damaged, or another version of this program "
                "wrote them. The crawl goes on without what those pages taught.",
                *(n_bad, n_records),
            )
        for number, url, score in self._store.waiting.scores():
            self._session.placed(url, number, score)
        self._session.resume()
        self._move()
        return n_bad

    def placed(self, url: str, score: float) -> None:
        """Note that the last link of the store is new."""
        self._session.placed(url, self._store.last_id, score)

    def page_ended(self, url: str) -> None:
        """Take in what was learnt from the page that a link led to."""
        record = self._session.record(url)
        if record is not None:
            self._records.add(*record)
        self._move()

    def finish(self) -> None:
        """Move all links that have not been moved yet."""
        self._move(is_last=True)

    def _move(self, *, is_last: bool = False) -> None:
        moved = self._session.moved(is_last=is_last)
        if moved:
            gone = self._store.waiting.place(moved)
            if gone:
                self._session.gone(gone)
