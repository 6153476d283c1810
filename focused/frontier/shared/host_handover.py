"""Hands what is known of a host to its next owner, as rows by the host's keys and an origin (scheme, host, port)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from focused.frontier.shared.keys import host_key
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from psycopg import Connection


class TakesTasks(Protocol):
    """Takes what should be written to the database."""

    def add_tasks(self, **tasks: Any) -> None:
        """Have the keeper write something, under a name."""


class HostHandover:
    """Passes what a worker has met of its hosts to their next owners, and what earlier owners have met to the worker."""

    def __init__(self, exchange: TakesTasks) -> None:
        self._exchange = exchange
        #: Called with each row about a host that is this worker's from now on.
        self.on_known: Callable[..., None] = lambda *row: None

    def receive(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Receive what earlier owners of hosts have written."""
        for row in rows:
            self.on_known(*row)


def write_by_origin(sql: Connection[Any], statement: str, crawl: int, rows: Mapping[str, tuple[Any, ...]]) -> None:
    """Write a row for each origin; the statement takes crawl, domain, host, origin and what stands in the row."""
    # In the order of the keys, as all that workers lock.
    keyed = sorted((*host_key(host_of(origin)), origin, *row) for origin, row in rows.items())
    with sql.transaction(), sql.cursor() as cursor:
        cursor.executemany(statement, [(crawl, *row) for row in keyed])


def read_by_host(
    sql: Connection[Any], table: str, columns: str, crawl: int, hosts: Collection[str]
) -> list[tuple[Any, ...]]:
    """Return the rows of hosts, by their names."""
    keys = [host_key(host) for host in hosts]
    statement = (
        f"SELECT {columns} FROM unnest(%s::int8[], %s::int8[]) AS given (domain, host) JOIN {table} "
        f"ON {table}.crawl = %s AND {table}.domain = given.domain AND {table}.host = given.host"
    )
    return sql.execute(statement, ([key.domain for key in keys], [key.host for key in keys], crawl)).fetchall()
