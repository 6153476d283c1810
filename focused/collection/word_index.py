"""Keeps the full-text index of titles and texts: a crawl updates it now and then, and a search indexes the rest.

The file itself says what has been indexed, so that no page is indexed twice.
"""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING

from focused.collection.schema import CollectionFileError, open_collection, transaction
from focused.utils.file_names import COLLECTION_FILE

if TYPE_CHECKING:
    from pathlib import Path

INDEXED_TO = "indexed_to"
"""Under which the table ``about`` says how far the index goes: the id of a page."""
_SLICE_PAGES = 50
"""Indexed in one transaction, some 15 ms. With 25 a page costs a seventh more, one by one twice as much."""
_ADD = """
INSERT INTO pages_fts (rowid, title, text) SELECT id, title, text FROM pages WHERE id > ? AND id <= ? AND text_left_out = 0
"""
_END_OF_SLICE = "SELECT max(id) FROM (SELECT id FROM pages WHERE id > ? ORDER BY id LIMIT ?)"
_REMOVE = "INSERT INTO pages_fts (pages_fts, rowid, title, text) VALUES ('delete', ?, ?, ?)"


def indexed_to(sql: sqlite3.Connection) -> int:
    """Return the id of the last page that was indexed; 0 if none was."""
    row = sql.execute("SELECT value FROM about WHERE key = ?", (INDEXED_TO,)).fetchone()
    return int(row[0]) if row else 0


def index_some(sql: sqlite3.Connection) -> bool:
    """Index some of the pages that came since, in one transaction; return whether there were any."""
    with transaction(sql):
        first = indexed_to(sql)
        [(last,)] = sql.execute(_END_OF_SLICE, (first, _SLICE_PAGES))
        if last is not None:
            sql.execute(_ADD, (first, last))
            sql.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (INDEXED_TO, str(last)))
    return last is not None


def n_not_indexed(sql: sqlite3.Connection) -> int:
    """Return how many pages came since."""
    return int(sql.execute("SELECT count(*) FROM pages WHERE id > ?", (indexed_to(sql),)).fetchone()[0])


def take_out(sql: sqlite3.Connection, number: int) -> None:
    """Take a page out of the index, if it is there, before its row is removed or loses its text."""
    if number <= indexed_to(sql):
        row = sql.execute("SELECT id, title, text, text_left_out FROM pages WHERE id = ?", (number,)).fetchone()
        if not row[3]:
            sql.execute(_REMOVE, row[:3])


def bring_up_to_date(run_dir: Path, *, pause_secs: float = 0.0) -> None:
    """Index what a crawl, which may go on or was killed, has not indexed yet; where that cannot be, nothing happens.

    ``pause_secs``: between two transactions.
    """
    path = run_dir / COLLECTION_FILE
    if path.is_symlink():  # a stranger's: nothing is written through it
        return
    try:
        sql = open_collection(path, read_only=True)
        try:
            if not n_not_indexed(sql):
                return
        finally:
            sql.close()
        sql = open_collection(path)
        try:
            while index_some(sql):
                time.sleep(pause_secs)
        finally:
            sql.close()
    except (sqlite3.Error, CollectionFileError, ValueError, OSError):
        return
