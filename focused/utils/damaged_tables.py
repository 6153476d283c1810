"""Reads the rows of a damaged database: before a hole, behind it, and between two; puts a new file in its place."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from focused.utils.files import free_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Row = tuple[Any, ...]

_NEAR = 200
"""Numbers behind a hole's beginning that are tried one by one: more than a leaf of the tree has rows."""
_FAR = 45
"""So often a step is doubled before the rest is given up."""
_MOST_HOLES = 10_000


def open_damaged(copy: Path, text: Callable[[bytes], str | None]) -> sqlite3.Connection:
    """Open a copy of a damaged file; ``text`` makes a text of bytes, which may be none."""
    sql = sqlite3.connect(copy, isolation_level=None)
    sql.text_factory = text
    sql.execute("PRAGMA cell_size_check = ON")
    sql.execute("PRAGMA trusted_schema = OFF")
    with suppress(sqlite3.Error):
        sql.execute("PRAGMA writable_schema = ON")  # go on after faults of the schema
    return sql


def put_in_place(new: Path, path: Path) -> Path:
    """Replace a damaged file by a new one; return where the damaged one is now, with its log beside it."""
    kept = free_name(path, ".damaged")
    path.rename(kept)
    for end in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + end).rename(f"{kept}{end}")
    new.rename(path)
    return kept


def columns(sql: sqlite3.Connection, table: str) -> list[str]:
    """Return the names of a table's columns; none if there is no such table, or the schema cannot be read."""
    try:
        return [row[1] for row in sql.execute(f"PRAGMA table_info({table})")]
    except sqlite3.Error:
        return []


def rows(sql: sqlite3.Connection, table: str, names: list[str]) -> Iterator[Row]:
    """Yield what can be read of a table with an INTEGER PRIMARY KEY ``id``: columns by name, in the order of ``id``.

    A page that cannot be read hides its own rows, an inner one all rows below it.
    """
    query = f"SELECT id, {', '.join(names)} FROM {table} NOT INDEXED WHERE id > ? ORDER BY id"
    after: int | None = -(2**62)
    for _ in range(_MOST_HOLES):
        if after is None:
            return
        try:
            for row in sql.execute(query, (after,)):
                if row[0] <= after:  # a damaged tree can lead back
                    raise sqlite3.DatabaseError("not in order")
                after = row[0]
                yield row[1:]
            return
        except sqlite3.DatabaseError:
            assert after is not None
            after = _behind_hole(sql, table, after)


def pairs(sql: sqlite3.Connection, table: str, key: str, value: str) -> dict[str, str]:
    """Return what can be read of a table without numbers, from both of its ends."""
    found: dict[str, str] = {}
    for order in ("ASC", "DESC"):
        try:
            for name, text in sql.execute(f"SELECT {key}, {value} FROM {table} ORDER BY {key} {order}"):
                found[name] = text
        except sqlite3.DatabaseError:
            continue
        break
    return found


def _behind_hole(sql: sqlite3.Connection, table: str, after: int) -> int | None:
    """Return the least number behind which a row can be read, greater than ``after``; None if there is none."""
    start = max(after, -1)
    for number in range(start + 1, start + _NEAR):
        if _can_read(sql, table, number):
            return number
    low = start + _NEAR
    for step in range(_FAR):
        high = start + _NEAR + (1 << step)
        if _can_read(sql, table, high):
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if _can_read(sql, table, middle) else (middle, high)
            return high
        low = high
    return None


def _can_read(sql: sqlite3.Connection, table: str, after: int) -> bool:
    """Tell whether the tree can be followed to the first row behind a number; so it can where there is none."""
    try:
        row = sql.execute(
            f"SELECT id, * FROM {table} NOT INDEXED WHERE id > ? ORDER BY id LIMIT 1", (after,)
        ).fetchone()
    except sqlite3.DatabaseError:
        return False
    return row is None or row[0] > after
