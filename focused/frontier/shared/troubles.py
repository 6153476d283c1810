"""Failures of hosts, as workers hand them on: a host that does not answer is not tried anew by each owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from focused.frontier.shared.keys import host_key
from focused.frontier.shared.outputs import clean
from focused.frontier.store.link import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from psycopg import Connection

    from focused.frontier.shared.exchange import Exchange

_WRITE = """
INSERT INTO troubles (crawl, domain, host, origin, n_failures, why, has_answered) VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (crawl, domain, host, origin) DO UPDATE
SET n_failures = excluded.n_failures, why = excluded.why, has_answered = excluded.has_answered
"""
_READ = """
SELECT origin, n_failures, why, has_answered
FROM unnest(%s::int8[], %s::int8[]) AS given (domain, host) JOIN troubles
ON troubles.crawl = %s AND troubles.domain = given.domain AND troubles.host = given.host
"""


class KnownTrouble(NamedTuple):
    """What is wrong with an origin (scheme, host and port); arguments of `HostFailures.take_over`."""

    origin: str
    #: In a row; 0: it has answered since.
    n_failures: int
    why: str
    has_answered: bool


class SharedTroubles:
    """What a worker has met, on its way to the next owners of the hosts; and what earlier owners have met."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        #: Called with each trouble of a host that is this worker's from now on.
        self.on_known: Callable[[str, int, str, bool], None] = lambda origin, n_failures, why, has_answered: None

    def tell(self, origin: str, n_failures: int, why: str, has_answered: bool) -> None:
        """Hand on that an origin has failed so many times in a row, or that it has answered."""
        self._exchange.wish(troubles={origin: (n_failures, why, has_answered)})

    def hear(self, troubles: Collection[KnownTrouble]) -> None:
        """Take in what earlier owners of hosts have met."""
        for known in troubles:
            self.on_known(*known)


def write_troubles(sql: Connection[Any], crawl: int, troubles: Mapping[str, tuple[int, str, bool]]) -> None:
    """Keep failures by their origins."""
    # In the order of the keys, as all that workers lock.
    rows = sorted((*host_key(host_of(origin)), origin, *met) for origin, met in troubles.items())
    with sql.transaction(), sql.cursor() as cursor:
        cursor.executemany(_WRITE, [(crawl, *row[:-2], clean(row[-2]), row[-1]) for row in rows])


def read_troubles(sql: Connection[Any], crawl: int, hosts: Collection[str]) -> list[KnownTrouble]:
    """Return what is known of hosts, by their names."""
    keys = [host_key(host) for host in hosts]
    values = [key.domain for key in keys], [key.host for key in keys], crawl
    return [KnownTrouble._make(row) for row in sql.execute(_READ, values).fetchall()]
