"""Makes all changes to the frontier's file between two commits durable together, or none of them."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from copy import copy
from typing import TYPE_CHECKING, Any

from focused.frontier.store.schema import BUSY_SECS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Transaction:
    """Opens a transaction with the first change, and ends it with what the crawl wants to remember.

    A page's links, its item and the counters are in one transaction (docs/method/, D59), on a connection that has none itself.
    """

    def __init__(self, sql: sqlite3.Connection) -> None:
        #: The connection that it is on.
        self.sql = self._sql = sql
        self._is_open = False
        self._written: dict[str, Any] = {}

    def begin(self) -> None:
        """Begin a transaction: what follows is part of the next commit."""
        if not self._is_open:
            self._sql.execute("BEGIN IMMEDIATE")
            self._is_open = True

    def commit(self, state: Mapping[str, Any]) -> None:
        """Make all changes durable, and with them values by their keys; a `sqlite3.Error` if they cannot be written.

        Values are what JSON can keep; what lies within a list or a dict is not changed later.
        """
        self.begin()
        written = self._written
        changed = {key: value for key, value in state.items() if key not in written or written[key] != value}
        self._sql.executemany(
            "INSERT INTO crawl VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [(key, json.dumps(value)) for key, value in changed.items()],
        )
        self._sql.execute("COMMIT")
        written.update((key, copy(value)) for key, value in changed.items())
        self._is_open = False

    def abandon(self) -> None:
        """Make nothing of what follows durable: a commit has failed, and `undo` has not been called yet.

        SQLite ends a transaction itself that it has no room for; each change would then be a commit of its own.
        """
        if not self._sql.in_transaction:
            self._sql.execute("BEGIN")
        self._is_open = True

    def undo(self) -> None:
        """Undo what was not committed."""
        if self._is_open and self._sql.in_transaction:
            self._sql.execute("ROLLBACK")
        self._is_open = False

    def remembered(self, key: str, default: Any = None) -> Any:
        """Return what a commit was given under a key."""
        row = self._sql.execute("SELECT value FROM crawl WHERE key = ?", (key,)).fetchone()
        return default if row is None else json.loads(row[0])


class WriteLog:
    """Watches how much room the log of the frontier's file takes, and empties it."""

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

        It cannot be done while another process reads the file, and does not wait for that.
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
