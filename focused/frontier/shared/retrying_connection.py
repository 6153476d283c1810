"""`RetryingConnection`: asks the database what a worker's reactor waits for, again and again where the server is away."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

from focused.frontier.shared.connections import REACTOR, Connections
from focused.frontier.shared.outage import TRY_AGAIN_SECS
from focused.frontier.shared.schema import AWAY

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

Answer = TypeVar("Answer")


class RetryingConnection:
    """Asks a database, and asks once more where the connection breaks; a context manager that closes it.

    For what a worker asks before its threads run, and what its reactor waits for later.

    Parameters
    ----------
    connections : Connections
        Their database says how long it is waited for, at each question.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def __enter__(self) -> RetryingConnection:
        return self

    def __exit__(self, *error: object) -> None:
        self._connections.close(REACTOR)

    def ask(self, ask: Callable[[psycopg.Connection[Any]], Answer]) -> Answer:
        """Return what ``ask`` does with a connection. It may be called more than once; it waits.

        Raises
        ------
        psycopg.Error
            If the server is away for longer, or refuses what it is asked.
        """
        outage = self._connections.outage
        while True:
            try:
                with self._connections.of(REACTOR) as sql:
                    answer = ask(sql)
                outage.worked(REACTOR)
                return answer
            except AWAY as error:
                self._connections.fail(REACTOR)
                if outage.failed(REACTOR, error) > self._connections.database.patience_secs:
                    raise
                time.sleep(TRY_AGAIN_SECS)
