"""Exports pages as another collection: one SQLite file with the chosen pages, and full-text search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.collection.page import COLUMNS
from focused.collection.schema import open_collection

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from focused.collection.joined import JoinedRuns

_NAMES = (*COLUMNS, "verdict")
_INSERT = f"INSERT INTO pages ({', '.join(_NAMES)}) VALUES ({', '.join('?' * len(_NAMES))})"
_LATER = {"own_fields": None}
"""Columns that collections of earlier versions lack, and what stands in them then."""


def write_sqlite(runs: JoinedRuns, path: Path) -> list[str]:
    """Write a file of the tables of ``collection.sqlite``, without the table of single verdicts."""
    sql = open_collection(path)
    try:
        sql.execute("PRAGMA journal_mode = DELETE")  # one file, to be sent to others
        sql.execute("BEGIN")
        sql.execute("INSERT INTO about VALUES ('topic', ?)", (runs.topic,))
        sql.executemany(_INSERT, (_values(row) for _, row in runs.rows()))
        sql.execute("INSERT INTO pages_fts (pages_fts) VALUES ('rebuild')")
        sql.execute("INSERT INTO about SELECT 'indexed_to', coalesce(max(id), 0) FROM pages")
        sql.execute("COMMIT")
    finally:
        sql.close()
    return []


def _values(row: sqlite3.Row) -> list[Any]:
    known = set(row.keys())
    return [row[name] if name in known else _LATER[name] for name in _NAMES]
