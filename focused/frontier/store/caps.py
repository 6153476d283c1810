"""Counts the pages asked for of each host and registered domain, and tells which have reached a cap."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from focused.frontier.store.schema import DONE, DROPPED, FAILED
from focused.utils.registered_domain import registered_domain
from focused.utils.scope import ELSEWHERE, REDIRECT_OUT_OF_SCOPE

if TYPE_CHECKING:
    import sqlite3

HOST_CAP, DOMAIN_CAP = "host over its cap", "domain over its cap"
"""Notes of links that were given up because enough pages had been asked for."""
CAPS = HOST_CAP, DOMAIN_CAP
# Of dropped links those were asked for that a redirect led away from.
ASKED = (
    f"(state IN ({DONE}, {FAILED}) OR (state = {DROPPED}"
    f" AND (note = '{ELSEWHERE}' OR note LIKE '{REDIRECT_OUT_OF_SCOPE}%')))"
)
"""The condition, in SQL, on links that were ever asked for and have ended."""


class Caps:
    """Counts links that were ever asked for; 0: no limit, and nothing is counted."""

    def __init__(self, sql: sqlite3.Connection, max_per_host: int, max_per_domain: int) -> None:
        self._sql = sql
        self._max_per_host, self._max_per_domain = max_per_host, max_per_domain
        self._of_host: Counter[int] = Counter()
        self._of_domain: Counter[str] = Counter()
        self._domains: dict[int, str] = {}
        if not (max_per_host or max_per_domain):
            return
        for host, n_links in sql.execute(f"SELECT host, count(*) FROM links WHERE {ASKED} GROUP BY host").fetchall():
            self.ask(host, n_links)

    def ask(self, host: int, n_links: int = 1) -> None:
        """Note that so many links of a host are asked for; fewer than 0: that they wait again."""
        if self._max_per_host:
            self._of_host[host] += n_links
        if self._max_per_domain:
            self._of_domain[self._domain(host)] += n_links

    def reached(self, host: int) -> str:
        """Return which of the caps a host has reached, as the note of its links; empty if none."""
        if self._max_per_host and self._of_host[host] >= self._max_per_host:
            return HOST_CAP
        if self._max_per_domain and self._of_domain[self._domain(host)] >= self._max_per_domain:
            return DOMAIN_CAP
        return ""

    def _domain(self, host: int) -> str:
        domain = self._domains.get(host)
        if domain is None:
            [name] = self._sql.execute("SELECT name FROM hosts WHERE id = ?", (host,)).fetchone()
            domain = self._domains[host] = registered_domain(name)
        return domain
