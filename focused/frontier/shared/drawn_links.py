"""Draws links to look around from all waiting links of a worker's hosts; memory holds only the best of each host.

Of hosts whose links are all in memory they are drawn there. Those of the others are read from the database ahead of time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.frontier.shared.array_text import columns
from focused.frontier.shared.boot_clock import now
from focused.frontier.shared.keys import host_key
from focused.frontier.shared.lease_statements import COLUMNS
from focused.frontier.shared.link_rows import unnested, waiting_link
from focused.frontier.store.link import fingerprints_of
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
_FRESH_SECS = 5.0
"""Seconds after which links of other hosts are read: the earlier ones have been drawn from too often."""
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
        least, most = fingerprints_of(host)
        rows.append((*key, source.randint(least, most), most))
    found = sql.execute(_NEXT, (*columns(sorted(rows)), crawl)).fetchall()
    return [waiting_link(row, names.__getitem__) for row in found]


class DrawnLinks:
    """Drawn links that were read from the database, and the hosts whose links should be read next.

    What was read is a state of the database. A link that this worker has asked for since is forgotten, and so are all of a
    host that it gives back: others may have asked for them when it is this worker's again.
    """

    def __init__(self, own: OwnHosts) -> None:
        self._own = own
        self._links: dict[int, WaitingLink] = {}
        self._read_at = float("-inf")
        self._hosts: list[str] = []
        self._is_asked = False

    def draw(self, source: Random, n_links: int) -> list[WaitingLink]:
        """Return links of pages, drawn from all that wait of the worker's hosts; of some hosts they may be known later."""
        own = self._own
        beyond = {each.name for each in own if each.horizon is not None}
        found = [link for each in own if each.horizon is None for link in each.links.values() if _is_of_page(link)]
        found += [link for link in self._links.values() if link.host_name in beyond and own.may_wait(link)]
        is_stale = now() - self._read_at > _FRESH_SECS or not self._links
        if beyond and is_stale and not self._is_asked:
            self._hosts = sorted(source.sample(sorted(beyond), min(_MOST_HOSTS, len(beyond))))
        return source.sample(found, min(n_links, len(found)))

    def wanted(self) -> list[str]:
        """Return, once, the hosts whose links should be read."""
        if self._is_asked or not self._hosts:
            return []
        self._is_asked, hosts, self._hosts = True, self._hosts, []
        return hosts

    def read(self, links: Iterable[WaitingLink]) -> None:
        """Take in what was read; but for links that are under way, or have ended since: they will not be known to have."""
        own = self._own
        self._is_asked, self._read_at = False, now()
        self._links = {
            link.number: link for link in links if _is_of_page(link) and own.get(link.host_name) and own.may_wait(link)
        }

    def take(self, number: int) -> WaitingLink | None:
        """Return a link of one of the worker's hosts, which is not there any more; None if it is not there, or has ended."""
        link = self._links.pop(number, None)
        own = None if link is None else self._own.get(link.host_name)
        if link is None or own is None or own.is_leaving or not self._own.may_wait(link):
            return None
        link.host = own.number
        return link

    def forget(self, number: int) -> None:
        """Forget a link: it is asked for."""
        self._links.pop(number, None)

    def leave(self, host: str) -> None:
        """Forget the links of a host that is no more this worker's."""
        if self._links:
            self._links = {number: link for number, link in self._links.items() if link.host_name != host}

    def clear(self) -> None:
        """Forget all, and what is wanted: this worker has lost its hosts."""
        self._links.clear()
        self._hosts, self._is_asked = [], False


def _is_of_page(link: WaitingLink) -> bool:
    """Tell whether a link stands on a page: it is no seed, and no request of the spider's own."""
    return link.request is None and bool(link.referrer)
