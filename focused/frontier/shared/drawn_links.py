"""Links drawn from all that wait of a worker's hosts, to look around: memory has the best ones of each host only.

Of hosts whose links are all in memory they are drawn there. Those of the others are read from the database ahead of time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.frontier.shared.array_text import columns
from focused.frontier.shared.keys import host_key
from focused.frontier.shared.lease_statements import COLUMNS
from focused.frontier.shared.link_rows import unnested, waiting_link
from focused.frontier.store.link import fingerprint_of
from focused.frontier.store.schema import WAITING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

    from psycopg import Connection

    from focused.frontier.shared.link_rows import WaitingLink
    from focused.frontier.shared.own_hosts import OwnHosts

_OF_HOST = 32
_MOST_HOSTS = 16
"""Hosts that links are read of at a time."""
_BITS = 48
"""Of a fingerprint: those before them are the host's."""
_NEXT = (
    f"SELECT {COLUMNS} FROM {unnested(('domain', 'host', 'first', 'last'), ['int8'] * 4)} CROSS JOIN LATERAL "
    "(SELECT * FROM links WHERE links.crawl = %s AND links.domain = given.domain AND links.host = given.host "
    "AND links.fingerprint BETWEEN given.first AND given.last "
    f"AND links.state = {WAITING} ORDER BY links.fingerprint LIMIT {_OF_HOST}) AS waiting"
)


def read_drawn(sql: Connection[Any], crawl: int, hosts: Sequence[str], source: Random) -> list[WaitingLink]:
    """Return some links that wait of each host: those that follow a fingerprint that is drawn, and a fingerprint is a draw."""
    names = {host_key(host): host for host in hosts}
    rows = []
    for key, host in names.items():
        first = fingerprint_of(bytes(8), host)
        rows.append((*key, first + source.getrandbits(_BITS), first + (1 << _BITS) - 1))
    found = sql.execute(_NEXT, (*columns(sorted(rows)), crawl)).fetchall()
    return [waiting_link(row, names.__getitem__) for row in found]


class DrawnLinks:
    """What was read of links that do not stand in memory, and of which hosts more is to be read."""

    def __init__(self, own: OwnHosts) -> None:
        self._own = own
        self._links: dict[int, WaitingLink] = {}
        self._hosts: list[str] = []
        self._is_asked = False

    def draw(self, source: Random, n_links: int) -> list[WaitingLink]:
        """Return links of pages, drawn from all that wait of the worker's hosts; of some hosts they may be known later."""
        beyond = [own for own in self._own if own.horizon is not None]
        known = (link for own in self._own if own.horizon is None for link in own.links.values())
        found = [link for link in known if link.request is None and link.referrer]
        names = {own.name for own in beyond}
        found += [link for link in self._links.values() if link.host_name in names and self._own.may_wait(link)]
        if names and not any(link.host_name in names for link in self._links.values()):
            self._hosts = sorted(source.sample(sorted(names), min(_MOST_HOSTS, len(names))))
        return source.sample(found, min(n_links, len(found)))

    def wanted(self) -> list[str]:
        """Return, once, the hosts of which links are to be read."""
        if self._is_asked or not self._hosts:
            return []
        self._is_asked, hosts, self._hosts = True, self._hosts, []
        return hosts

    def read(self, links: Iterable[WaitingLink]) -> None:
        """Take in what was read."""
        self._is_asked = False
        self._links = {link.number: link for link in links if link.request is None and link.referrer}

    def take(self, number: int) -> WaitingLink | None:
        """Return a link of one of the worker's hosts, which is not there any more; None if it is not there, or has ended."""
        link = self._links.pop(number, None)
        own = None if link is None else self._own.get(link.host_name)
        if link is None or own is None or own.is_leaving or not self._own.may_wait(link):
            return None
        link.host = own.number
        return link
