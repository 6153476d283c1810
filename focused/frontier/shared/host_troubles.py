"""Hands failures of hosts to their next owners, so that not each of them tries a host that does not answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from focused.frontier.shared.host_handover import HostHandover, read_by_host, write_by_origin
from focused.frontier.shared.outputs import clean

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from psycopg import Connection

_WRITE = """
INSERT INTO troubles (crawl, domain, host, origin, n_failures, why, has_answered) VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (crawl, domain, host, origin) DO UPDATE
SET n_failures = excluded.n_failures, why = excluded.why, has_answered = excluded.has_answered
"""


class KnownTrouble(NamedTuple):
    """What is wrong with an origin; arguments of `HostFailures.take_over`."""

    origin: str
    #: In a row; 0: it has answered since.
    n_failures: int
    why: str
    has_answered: bool


class SharedTroubles(HostHandover):
    """Hands on how often hosts have failed; ``on_known`` is called with the fields of `KnownTrouble`."""

    def hand_on(self, origin: str, n_failures: int, why: str, has_answered: bool) -> None:
        """Hand on that an origin has failed so many times in a row, or that it has answered."""
        self._exchange.add_tasks(troubles={origin: (n_failures, why, has_answered)})


def write_troubles(sql: Connection[Any], crawl: int, troubles: Mapping[str, tuple[int, str, bool]]) -> None:
    """Keep failures by their origins."""
    rows = {origin: (n_failures, clean(why), answered) for origin, (n_failures, why, answered) in troubles.items()}
    write_by_origin(sql, _WRITE, crawl, rows)


def read_troubles(sql: Connection[Any], crawl: int, hosts: Collection[str]) -> list[KnownTrouble]:
    """Return what is known of hosts, by their names."""
    columns = ", ".join(KnownTrouble._fields)
    return [KnownTrouble._make(row) for row in read_by_host(sql, "troubles", columns, crawl, hosts)]
