"""Finds links of a host that are one: their URLs have the same form, without the parameters that change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.frontier.store.link import fingerprints_of
from focused.frontier.store.schema import DROPPED, WAITING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from focused.frontier.store.evidence_rows import HostNames
    from focused.frontier.store.transaction import Transaction

_MOST_JOINED = 20_000
"""Links of a host that are looked at; of more the rest stays as it is."""
_OF_HOST = (
    "SELECT id, url, state, rank FROM links WHERE fingerprint BETWEEN ? AND ? AND host = ? AND request IS NULL"
    " ORDER BY state = 0, id LIMIT ?"
)


class JoinedForms:
    """Gives links the fingerprints of their forms, and drops those that another link stands for.

    ``dropped``: called with a host's number and the ranks of its waiting links that were dropped.
    """

    def __init__(
        self,
        sql: sqlite3.Connection,
        transaction: Transaction,
        names: HostNames,
        dropped: Callable[[int, Sequence[int]], None],
    ) -> None:
        self._sql, self._transaction, self._names, self._dropped = sql, transaction, names, dropped

    def join(self, host: str, form: Callable[[str], str], fingerprint: Callable[[str], int], why: str) -> int:
        """Keep one of a host's links whose URLs have one form; return how many others were dropped.

        Of the waiting ones, the first is kept; none is, if one has been fetched. ``fingerprint``: of a URL.
        """
        number = self._names.get(host)
        if number is None:
            return 0
        self._transaction.begin()
        ranks = list[int]()
        for link, url, state, rank in self._sql.execute(
            _OF_HOST, (*fingerprints_of(host), number, _MOST_JOINED)
        ).fetchall():
            if (joined := form(url)) == url:
                continue
            value = (fingerprint(joined), link)
            taken = self._sql.execute("SELECT 1 FROM links WHERE fingerprint = ? AND id <> ?", value).fetchone()
            if taken is None:
                self._sql.execute("UPDATE links SET fingerprint = ? WHERE id = ?", value)
            elif state == WAITING:
                self._sql.execute("UPDATE links SET state = ?, note = ? WHERE id = ?", (DROPPED, why, link))
                ranks.append(rank)
        self._dropped(number, ranks)
        return len(ranks)
