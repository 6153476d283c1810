"""The index of words over titles and texts: a crawl brings it up to date every few pages, and whoever searches the rest.

Only what the file itself says has been indexed counts, so that nobody does it twice.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from focused.collection.schema import CollectionFileError, open_collection, transaction
from focused.utils.file_names import COLLECTION_FILE

if TYPE_CHECKING:
    from pathlib import Path

_INDEXED_TO = "indexed_to"
"""Under which the table ``about`` says how far the index goes: the id of a page."""
_ADD = "INSERT INTO pages_fts (rowid, title, text) SELECT id, title, text FROM pages WHERE id > ? AND text_left_out = 0"
_REMOVE = "INSERT INTO pages_fts (pages_fts, rowid, title, text) VALUES ('delete', ?, ?, ?)"


def indexed_to(sql: sqlite3.Connection) -> int:
    """Return the id of the last page that was indexed; 0 if none was."""
    row = sql.execute("SELECT value FROM about WHERE key = ?", (_INDEXED_TO,)).fetchone()
    return int(row[0]) if row else 0


def index_rest(sql: sqlite3.Connection) -> int:
    """Index the pages that came since, within a transaction that has begun; return the id of the last."""
    sql.execute(_ADD, (indexed_to(sql),))
    last = int(sql.execute("SELECT coalesce(max(id), 0) FROM pages").fetchone()[0])
    sql.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (_INDEXED_TO, str(last)))
    return last


def take_out(sql: sqlite3.Connection, number: int) -> None:
    """Take a page out of the index, if it is there, before its row is removed or loses its text."""
    if number <= indexed_to(sql):
        row = sql.execute("SELECT id, title, text, text_left_out FROM pages WHERE id = ?", (number,)).fetchone()
        if not row[3]:
            sql.execute(_REMOVE, row[:3])


def bring_up_to_date(run_dir: Path) -> None:
    """Index what a crawl, which may go on or was killed, has not indexed yet; where that cannot be, nothing happens."""
    path = run_dir / COLLECTION_FILE
    if path.is_symlink():  # a stranger's: nothing is written through it
        return
    try:
        sql = open_collection(path, read_only=True)
        try:
            last = sql.execute("SELECT coalesce(max(id), 0) FROM pages").fetchone()[0]
            if indexed_to(sql) >= last:
                return
        finally:
            sql.close()
        sql = open_collection(path)
        try:
            with transaction(sql):
                index_rest(sql)
        finally:
            sql.close()
    except (sqlite3.Error, CollectionFileError, ValueError, OSError):
        return
