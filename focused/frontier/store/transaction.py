"""What is done to the frontier's file between two commits: all of it, or nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping


class Transaction:
    """Opens a transaction with the first change, and ends it with what the crawl wants to remember.

    A page's links, its item and the counters are one transaction (docs/method/, D59).

    Parameters
    ----------
    sql : sqlite3.Connection
        Without transactions of its own.
    """

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql
        self._is_open = False
        self._written: dict[str, str] = {}

    def begin(self) -> None:
        """Let what follows be part of the next commit."""
        if not self._is_open:
            self._sql.execute("BEGIN IMMEDIATE")
            self._is_open = True

    def commit(self, state: Mapping[str, Any]) -> None:
        """Make all changes durable, and with them values (JSON) by their keys.

        Raises
        ------
        sqlite3.Error
            If they cannot be written; they are then not durable.
        """
        self.begin()
        texts = {key: json.dumps(value) for key, value in state.items()}
        changed = [(key, text) for key, text in texts.items() if self._written.get(key) != text]
        self._sql.executemany(
            "INSERT INTO crawl VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", changed
        )
        self._sql.execute("COMMIT")
        self._written.update(changed)
        self._is_open = False

    def give_up(self) -> None:
        """Let nothing of what follows become durable: after a commit that failed, until it is undone.

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
