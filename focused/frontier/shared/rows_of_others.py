"""Reads rows that other workers have written with their pages, in an order that skips nothing.

The numbers of rows rise in the order in which they were written; a transaction may commit after one with higher numbers. Of
one worker both orders are the same: each of its transactions locks the worker's row first, and takes its numbers then. So the
last number is remembered for each worker, and what lies above it is new (docs/method/many-workers.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.frontier.shared.array_text import columns
from focused.frontier.shared.boot_clock import now
from focused.frontier.shared.link_rows import unnested

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from psycopg import Connection

MOST_BEHIND = 2_000
"""Most rows that a worker may be behind. If there are more, it continues with the latest, and learns from a part."""
_LOOK_SECS = 5.0
"""How often a worker that has more to read than it can looks how far behind it is."""

_WORKERS = "SELECT id, ended_at IS NOT NULL FROM workers WHERE crawl = %s"
_NEW = (
    "SELECT {table}.id, worker, {columns} FROM (SELECT found.id, found.worker "
    f"FROM {unnested(('worker', 'last'), ('int4', 'int8'))} CROSS JOIN LATERAL (SELECT id, worker FROM {{table}} "
    "WHERE {table}.worker = given.worker AND {table}.id > given.last ORDER BY id LIMIT %s) AS found "
    "ORDER BY found.id LIMIT %s) AS new JOIN {table} USING (worker, id) ORDER BY {table}.id"
)
_BEHIND = "SELECT id FROM {table} WHERE crawl = %s ORDER BY id DESC OFFSET %s LIMIT 1"


class RowsOfOthers:
    """Reads each row of a table by a crawl's other workers once, those of each worker in their order.

    ``table`` has the columns id, crawl and worker, and those that are read.
    """

    def __init__(self, crawl: int, table: str, read: Sequence[str]) -> None:
        self.crawl = crawl
        self._new = _NEW.format(table=table, columns=", ".join(read))
        self._behind = _BEHIND.format(table=table)
        #: The number of the last row that was read, by worker.
        self._last: dict[int, int] = {}
        #: Workers that have ended, and whose rows were read.
        self._finished: set[int] = set()
        #: Rows up to this number are left out.
        self.floor = 0
        self._looked = now()

    @property
    def finished(self) -> frozenset[int]:
        """Workers that have ended, and whose rows were all read, or left out."""
        return frozenset(self._finished)

    def begin_anew(self, floor: int) -> None:
        """Read all rows above a number once more, also of workers that have ended."""
        self.floor = floor
        self._last.clear()
        self._finished.clear()

    def rows(self, sql: Connection[Any], own: Collection[int], n_most: int) -> list[tuple[Any, ...]]:
        """Return the next rows, at most so many, of workers but ``own``; fewer mean that there are no more."""
        # Whoever has ended by now has written its last row before the next statement looks.
        workers = dict(sql.execute(_WORKERS, (self.crawl,)).fetchall())
        others = [number for number in workers if number not in own and number not in self._finished]
        if not others:
            return []
        places = [(number, max(self.floor, self._last.get(number, 0))) for number in others]
        rows = sql.execute(self._new, (*columns(places), n_most, n_most), binary=True).fetchall()
        for number, worker, *_ in rows:
            self._last[worker] = number
        if len(rows) < n_most:
            self._finished.update(number for number in others if workers[number])
            self._looked = now()
        elif now() - self._looked >= _LOOK_SECS:
            self._looked = now()
            self.leave_out_all_but(sql, MOST_BEHIND)
        return [tuple(about) for _, _, *about in rows]

    def leave_out_all_but(self, sql: Connection[Any], n_rows: int) -> None:
        """Leave out all but the latest rows, so many of all workers."""
        row = sql.execute(self._behind, (self.crawl, n_rows)).fetchone()
        if row is not None:
            self.floor = max(self.floor, row[0])
