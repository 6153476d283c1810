"""Opens SQLite files that may come from a stranger: nothing in them acts by itself, and no statement runs without end."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping
    from pathlib import Path

VIEW_SECS, TAKING_IN_SECS = 2.0, 30.0
"""What is waited for by who looks at a page; and by who judges: verdicts are taken in, and all pages read."""
INTERRUPTED = "interrupted"
"""What SQLite says of a statement that was ended."""
_EVERY_STEPS = 20_000
"""Of SQLite's machine: some half a millisecond between two looks at the clock."""

_ends_at: ContextVar[float | None] = ContextVar("ends_at", default=None)


@contextmanager
def done_within(secs: float) -> Iterator[None]:
    """End statements that are not done ``secs`` after the block has begun, on connections that were opened in such a block.

    They raise an `sqlite3.OperationalError`: `INTERRUPTED`. A stranger's file can make any statement last for hours.
    """
    token = _ends_at.set(time.monotonic() + secs)
    try:
        yield
    finally:
        _ends_at.reset(token)


def may_be_written(path: Path) -> bool:
    """Return whether a file may be written, and files be made beside it, as SQLite wants."""
    return os.access(path, os.W_OK) and os.access(path.resolve().parent, os.W_OK)


def _is_over() -> bool:
    ends_at = _ends_at.get()
    return ends_at is not None and time.monotonic() > ends_at


def guard(sql: sqlite3.Connection, kinds: Mapping[str, str]) -> str:
    """Make a connection obey `done_within`, and restrict the file's own expressions to SQLite's harmless functions.

    ``kinds`` are those of the project's tables: table, virtual, shadow. Return what no file of the project holds: a trigger,
    or something else in the place of a table; empty if there is none.
    """
    if _ends_at.get() is not None:
        sql.set_progress_handler(_is_over, _EVERY_STEPS)
    sql.execute("PRAGMA trusted_schema = OFF")
    # By the text: SQLite takes TRIGGER for a type as well, and older versions anything.
    triggers = "SELECT name FROM sqlite_master WHERE sql LIKE '%trigger%' LIMIT 1"
    for (name,) in sql.execute(triggers).fetchall():
        return f"a trigger ({name!r:.100})"
    for _, name, kind, *_ in sql.execute("PRAGMA main.table_list").fetchall():
        if kind != (right := kinds.get(name.lower(), kind)):
            return f"a {kind} {name!r:.100} in the place of a {right}"
    return ""
