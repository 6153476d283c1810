"""Reads and changes the scores of waiting links, many at a time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.frontier.store.evidence_rows import ReasonNumbers
from focused.frontier.store.ranks import moved_to
from focused.frontier.store.schema import WAITING
from focused.method.scoring.priority import to_priority

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

    from focused.frontier.store.transaction import Transaction

_WAITING_OF = (
    "SELECT links.id, host, rank, extra FROM json_each(?) AS numbers CROSS JOIN links ON links.id = numbers.value"
    " WHERE state = 0 AND request IS NULL"
)


@dataclass(eq=False)
class WaitingScores:
    """Changes the scores of waiting links, for a new model or for a strategy that learns."""

    sql: sqlite3.Connection
    transaction: Transaction
    #: Called with the number of each host whose links have moved.
    refresh: Callable[[int], None]
    #: Called with the number of a host, and the rank of one of its links before and after.
    moved: Callable[[int, int, int], None]

    def __post_init__(self) -> None:
        self._reasons = ReasonNumbers(self.sql)

    def rows(self, after: int, until: int, n_links: int) -> list[tuple[Any, ...]]:
        """Return some links that wait, in the order of discovery, without the spider's own requests."""
        found = self.sql.execute(
            "SELECT id, host, rank, extra, url, score, reason, depth, n_referrers, parts FROM links"
            " WHERE id > ? AND id <= ? AND state = 0 AND request IS NULL ORDER BY id LIMIT ?",
            (after, until, n_links),
        ).fetchall()
        of_process = self._reasons.from_file
        return [(*row[:6], of_process(row[6]), *row[7:]) for row in found]

    def change(self, changes: list[tuple[int, float, int, bool, int, int]], hosts: Iterable[int]) -> None:
        """Set (rank, score, reason, admitted, model version) of links that wait, by number. They may be of any hosts."""
        self.transaction.begin()
        self.sql.executemany(
            "UPDATE links SET rank = ?, score = ?, reason = ?, admitted = ?, model_version = ? WHERE id = ?",
            [(rank, score, self._reasons.to_file(reason), *rest) for rank, score, reason, *rest in changes],
        )
        for host in hosts:
            self.refresh(host)

    def scores(self) -> Iterable[tuple[int, str, float]]:
        """Yield number, URL and score of all links that wait; the spider's own requests keep their priority."""
        return self.sql.execute("SELECT id, url, score FROM links WHERE state = ? AND request IS NULL", (WAITING,))

    def place(self, scores: Iterable[tuple[int, float]]) -> list[int]:
        """Set the scores of links by number; all are admitted. Return the numbers that are no waiting links."""
        self.transaction.begin()
        left, hosts, changes = dict(scores), set(), []
        numbers = json.dumps(list(left))
        # One statement for all: to run one for each link costs as much as its work.
        for number, host, rank, extra in self.sql.execute(_WAITING_OF, (numbers,)).fetchall():
            score = left.pop(number)
            place = moved_to(rank, to_priority(score, True) + extra)
            self.moved(host, rank, place)
            changes.append((place, score, number))
            hosts.add(host)
        self.sql.executemany("UPDATE links SET rank = ?, score = ? WHERE id = ?", changes)
        for host in hosts:
            self.refresh(host)
        return list(left)

    def count_referrers(self, rows: Iterable[tuple[float, int, int]]) -> None:
        """Note that more pages link to some links than was known. Their priority does not change.

        A row has the sum of those pages' scores, how many pages they are, and the number of the link.
        """
        self.transaction.begin()
        self.sql.executemany(
            "UPDATE links SET score = (score * n_referrers + ?1) / (n_referrers + ?2), n_referrers = n_referrers + ?2"
            " WHERE id = ?3",
            rows,
        )
