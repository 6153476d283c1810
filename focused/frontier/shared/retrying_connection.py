"""`RetryingConnection`: a database connection that is opened again if the server goes away."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

from focused.frontier.shared.boot_clock import now
from focused.frontier.shared.committer import TRY_AGAIN_SECS
from focused.frontier.shared.schema import AWAY, connect

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    from focused.frontier.shared.worker_terms import Database

Answer = TypeVar("Answer")


class RetryingConnection:
    """Asks a database, and asks once more where the connection breaks; a context manager that closes it.

    For what a worker asks before its threads run.

    Parameters
    ----------
    database : Database
        With how long it is waited for, at each question.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sql: psycopg.Connection[Any] | None = None

    def __enter__(self) -> RetryingConnection:
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    def ask(self, ask: Callable[[psycopg.Connection[Any]], Answer]) -> Answer:
        """Return what ``ask`` does with a connection. It may be called more than once; it waits.

        Raises
        ------
        psycopg.Error
            If the server is away for longer, or refuses what it is asked.
        """
        until = now() + self._database.patience_secs
        while True:
            try:
                if self._sql is None:
                    self._sql = connect(self._database.url)
                return ask(self._sql)
            except AWAY:
                self._close()
                if now() > until:
                    raise
                time.sleep(TRY_AGAIN_SECS)

    def _close(self) -> None:
        if self._sql is not None:
            self._sql.close()
            self._sql = None
