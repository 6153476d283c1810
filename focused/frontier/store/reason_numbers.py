"""Kinds of reasons as numbers of the frontier's file: the file names them, and keeps those of strategies from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.scoring import REASONS, reason_kind

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

FIRST_REASONS = (
    *("discovery", "page", "block", "anchor", "context", "jfe", "below threshold", "cluster", "model", "neighbourhood"),
    *("inherited", "labels", "adaptive"),
)
"""What the numbers from 0 on mean in every file; those of version 2 have no table that says so."""


class ReasonNumbers:
    """Translates between this process's numbers of kinds and the file's.

    Parameters
    ----------
    sql : sqlite3.Connection
        A kind that is new to the file is written in the transaction that is open.
    """

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql
        self._of_file: dict[int, int] = {}
        self._of_process: dict[int, int] = {}
        self._read(enumerate(FIRST_REASONS))
        if sql.execute("SELECT 1 FROM sqlite_master WHERE name = 'reasons'").fetchone() is not None:
            self._read(sql.execute("SELECT id, kind FROM reasons"))

    def to_file(self, number: int) -> int:
        """Return the file's number of a kind."""
        found = self._of_process.get(number)
        if found is None:
            self._sql.execute("INSERT OR IGNORE INTO reasons (kind) VALUES (?)", (REASONS[number],))
            self._read(self._sql.execute("SELECT id, kind FROM reasons"))
            found = self._of_process[number]
        return found

    def from_file(self, number: int) -> int:
        """Return this process's number of a kind."""
        found = self._of_file.get(number)
        if found is None:  # written since, by another of these
            self._read(self._sql.execute("SELECT id, kind FROM reasons"))
            found = self._of_file[number]
        return found

    def _read(self, kinds: Iterable[tuple[int, str]]) -> None:
        for number, kind in kinds:
            self._of_file[number] = reason_kind(kind)
            self._of_process[reason_kind(kind)] = number
