"""Hosts by their names and by their numbers in the frontier's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


class HostNames:
    """All hosts of a frontier, in memory.

    Parameters
    ----------
    sql : sqlite3.Connection
    """

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql
        self._numbers: dict[str, int] = {}
        #: By number.
        self.names: dict[int, str] = {}
        for number, name in sql.execute("SELECT id, name FROM hosts"):
            self._numbers[name] = number
            self.names[number] = name

    def get(self, name: str) -> int | None:
        """Return the number of a host, None if it is not known."""
        return self._numbers.get(name)

    def number(self, name: str) -> int:
        """Return the number of a host, new or known."""
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._numbers) + 1
            self.names[number] = name
            self._sql.execute("INSERT INTO hosts (id, name) VALUES (?, ?)", (number, name))
        return number
