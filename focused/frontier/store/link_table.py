"""Links as rows of the frontier's table: found, written, and changed by what other pages say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from focused.frontier.store.evidence_rows import COLUMNS, NAMES, REFERRER, EvidenceRows
from focused.frontier.store.link import DrawnLink
from focused.frontier.store.ranks import MOST_PRIORITY
from focused.frontier.store.schema import WAITING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Sequence

    from focused.frontier.store.link import FrontierLink
    from focused.method.scoring.evidence import Evidence

# What belongs together is asked for in one statement: two of their own would cost a pop 1 to 2 us more.
_REFERRER = f"CASE state WHEN {WAITING} THEN (SELECT referrers.url FROM referrers WHERE referrers.id = referrer) END"
_COLUMNS = f"id, state, host, rank, extra, tunnel, url, callback, request, {_REFERRER}, {COLUMNS}"
_NEXT_RANK = (
    f"SELECT rank FROM links AS other WHERE other.host = links.host AND other.state = {WAITING}"
    " AND other.rank >= links.rank AND other.id != links.id ORDER BY other.rank LIMIT 1"
)
_BY_FINGERPRINT = f"SELECT {_COLUMNS} FROM links WHERE fingerprint = ?"
_BY_NUMBER = f"SELECT {_COLUMNS} FROM links WHERE id = ?"
_BEST = f"SELECT ({_NEXT_RANK}), {_COLUMNS} FROM links WHERE host = ? AND state = {WAITING} ORDER BY links.rank LIMIT 1"
_BEST_BUT = (
    f"SELECT NULL, {_COLUMNS} FROM links WHERE host = ? AND state = {WAITING} AND id NOT IN (SELECT value FROM json_each(?))"
    " ORDER BY links.rank LIMIT ?"
)
_N_BEFORE = 10  # columns before those of the evidence
_INSERTED = (*"id fingerprint host state rank extra tunnel url".split(), *NAMES, *"found_at callback request".split())
_INSERT = f"INSERT INTO links ({', '.join(_INSERTED)}) VALUES ({', '.join('?' * len(_INSERTED))})"
_TAKE_OVER = (
    f"UPDATE links SET rank = ?, extra = ?, request = ?, {', '.join(f'{name} = ?' for name in NAMES)} WHERE id = ?"
)
_UPDATE = f"UPDATE links SET rank = ?, extra = ?, tunnel = ?, {', '.join(f'{name} = ?' for name in NAMES)} WHERE id = ?"


class LinkRow(NamedTuple):
    """What the table says of a link; its evidence as columns."""

    number: int
    state: int
    host: int
    rank: int
    extra: int
    tunnel: int
    url: str
    callback: str | None
    request: str | None
    #: URL of the page that the evidence comes from; None where there is none, or the link waits no more.
    referrer: str | None
    columns: Sequence[Any]
    #: Rank of its host's next waiting link, where the best one was asked for.
    next_rank: int | None


class LinkTable:
    """Reads and writes the table of links."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql
        self._evidence = EvidenceRows(sql)

    def last_number(self) -> int:
        """Return the number of the link found last; 0 if there is none."""
        return int(self._sql.execute("SELECT coalesce(max(id), 0) FROM links").fetchone()[0])

    def by_fingerprint(self, fingerprint: int) -> LinkRow | None:
        """Return the row of a link; None if it is not known."""
        found = self._sql.execute(_BY_FINGERPRINT, (fingerprint,)).fetchone()
        return None if found is None else _row(found)

    def by_number(self, number: int) -> LinkRow | None:
        """Return the row of a link; None if it is not known."""
        found = self._sql.execute(_BY_NUMBER, (number,)).fetchone()
        return None if found is None else _row(found)

    def waiting_among(self, numbers: Sequence[int]) -> list[DrawnLink]:
        """Return those links that wait and stand on a page, in the order in which they are given."""
        columns = "links.id, links.url, referrers.url FROM links JOIN referrers ON referrers.id = links.referrer"
        among = f"SELECT {columns} WHERE state = {WAITING} AND request IS NULL AND links.id IN "
        rows = self._sql.execute(f"{among} ({', '.join(map(str, numbers))})")
        found = {row[0]: DrawnLink(*row) for row in rows}
        return [found[number] for number in numbers if number in found]

    def best(self, hosts: Iterable[int], n_links: int) -> list[str]:
        """Return the URLs of the best waiting links of some hosts, the best first."""
        of_host = f"SELECT rank, url FROM links WHERE host = ? AND state = {WAITING} ORDER BY rank LIMIT ?"
        found = [row for host in hosts for row in self._sql.execute(of_host, (host, n_links))]
        return [url for _, url in sorted(found)[:n_links]]

    def best_of(self, host: int, aside: Collection[int] = ()) -> LinkRow | None:
        """Return the row of a host's best waiting link, with the rank of the next one; None if none waits but those aside."""
        if aside:
            rows = self.best_rows(host, aside, 2)
            return rows[0]._replace(next_rank=rows[1].rank if len(rows) > 1 else None) if rows else None
        found = self._sql.execute(_BEST, (host,)).fetchone()
        return None if found is None else _row(found[1:], found[0])

    def best_rows(self, host: int, aside: Collection[int], n_links: int) -> list[LinkRow]:
        """Return the rows of a host's best waiting links without those aside, the best first."""
        found = self._sql.execute(_BEST_BUT, (host, json.dumps(list(aside)), n_links))
        return [_row(row[1:]) for row in found]

    def evidence(self, row: LinkRow) -> Evidence:
        """Return what is known of a link that waits."""
        return self._evidence.evidence(row.columns, row.referrer or "")

    def insert(self, number: int, link: FrontierLink, host: int, rank: int, found_at: int) -> None:
        """Write a new link; it waits."""
        first = number, link.fingerprint, host, WAITING, rank, _extra(link), link.tunnel, link.url
        last = found_at, link.callback, link.request
        self._sql.execute(_INSERT, (*first, *self._evidence.row(link.evidence), *last))

    def change(self, row: LinkRow, rank: int, extra: int, tunnel: int, *, known: Evidence, merged: Evidence) -> None:
        """Write what is known of a link now, which said what was ``known``, and its new place."""
        referrer = row.columns[REFERRER] if merged.referrer == known.referrer else None
        self._sql.execute(_UPDATE, (rank, extra, tunnel, *self._evidence.row(merged, referrer), row.number))

    def sink(self, number: int, rank: int, extra: int) -> None:
        """Write the new place of a link that stands back."""
        self._sql.execute("UPDATE links SET rank = ?, extra = ? WHERE id = ?", (rank, extra, number))

    def take_over(self, number: int, link: FrontierLink, rank: int) -> None:
        """Replace a waiting link by the spider's own request for its URL."""
        values = rank, _extra(link), link.request, *self._evidence.row(link.evidence), number
        self._sql.execute(_TAKE_OVER, values)


def _extra(link: FrontierLink) -> int:
    """Return what the file holds of a priority besides the evidence's; of a request's own priority its rank tells all."""
    return max(-MOST_PRIORITY, min(MOST_PRIORITY, link.extra))


def _row(found: tuple[Any, ...], next_rank: int | None = None) -> LinkRow:
    return LinkRow._make((*found[:_N_BEFORE], found[_N_BEFORE:], next_rank))
