"""SQLite's log beside the frontier's file: what was committed and has not been moved into the file."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

from focused.frontier.store.schema import BUSY_SECS

if TYPE_CHECKING:
    from pathlib import Path


class WriteLog:
    """Watches how much room the log takes, and empties it.

    Parameters
    ----------
    sql : sqlite3.Connection
    path : Path
        Of the frontier's file.
    """

    def __init__(self, sql: sqlite3.Connection, path: Path) -> None:
        self._sql = sql
        self._path = f"{path}-wal"

    @property
    def n_bytes(self) -> int:
        """How much room it takes."""
        try:
            return os.stat(self._path).st_size  # noqa: PTH116  a tenth of what a Path costs, page by page
        except OSError:
            return 0

    def empty(self) -> None:
        """Move what was committed into the file, which takes far less room; between a commit and the next change only.

        It cannot be done while somebody reads the file, and nobody is waited for.
        """
        with suppress(sqlite3.Error):
            self._sql.execute("PRAGMA busy_timeout = 0")
            self._move()
        self._sql.execute(f"PRAGMA busy_timeout = {round(1000 * BUSY_SECS)}")

    def close(self) -> None:
        """Empty it for the last time."""
        # Not where a reader is looking or the disk is full: the log beside the file is read as well.
        with suppress(sqlite3.Error):
            self._move()

    def _move(self) -> None:
        self._sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
