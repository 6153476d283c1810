"""What the strategies of other workers have learnt, read in an order that skips nothing.

The numbers of records rise in the order in which they were written; a transaction may commit after one with higher numbers. Of
one worker both orders are the same: each of its transactions locks the worker's row first, and takes its numbers then. So the
last number is remembered for each worker, and what lies above it is new (docs/method/many-workers.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.frontier.shared.array_text import columns
from focused.frontier.shared.events import now
from focused.frontier.shared.link_rows import unnested
from focused.frontier.shared.page import LearntRecord

if TYPE_CHECKING:
    from collections.abc import Collection

    from psycopg import Connection

MOST_BEHIND = 2_000
"""Records that may be left to read. A worker that is further behind goes on with the latest ones: it learns from a part."""
_LOOK_SECS = 5.0
"""How often a worker that has more to read than it can looks how far behind it is."""
_ROWS_AT_A_TIME = 1_000

_WORKERS = "SELECT id, ended_at IS NOT NULL FROM workers WHERE crawl = %s"
_NEW = (
    "SELECT records.id, worker, n_links, model_version, record FROM (SELECT found.id "
    f"FROM {unnested(('worker', 'last'), ('int4', 'int8'))} CROSS JOIN LATERAL (SELECT id FROM records "
    "WHERE records.worker = given.worker AND records.id > given.last ORDER BY id LIMIT %s) AS found "
    "ORDER BY found.id LIMIT %s) AS new JOIN records USING (id) ORDER BY records.id"
)
_BACKWARDS = "SELECT id, n_links FROM records WHERE crawl = %s AND id < %s ORDER BY id DESC LIMIT %s"
_BEHIND = "SELECT id FROM records WHERE crawl = %s ORDER BY id DESC OFFSET %s LIMIT 1"
_COUNT = "SELECT count(*) FROM records WHERE crawl = %s AND id > %s"
_BEYOND_ALL = (1 << 63) - 1


class RecordReader:
    """Reads each record of a crawl's other workers once, those of each worker in their order."""

    def __init__(self, crawl: int) -> None:
        self._crawl = crawl
        #: Of each worker the number of the last record that was read.
        self._last: dict[int, int] = {}
        #: Workers that have ended, and whose records were read.
        self._finished: set[int] = set()
        #: Records up to this number are left out.
        self._floor = 0
        self._looked = now()

    @property
    def finished(self) -> frozenset[int]:
        """Workers that have ended, and whose records were all read, or left out."""
        return frozenset(self._finished)

    def read(self, sql: Connection[Any], own: Collection[int], n_most: int) -> list[LearntRecord]:
        """Return the next records, at most so many, of workers but ``own``; fewer mean that there are no more."""
        # Whoever has ended by now has written its last record before the next statement looks.
        workers = dict(sql.execute(_WORKERS, (self._crawl,)).fetchall())
        others = [number for number in workers if number not in own and number not in self._finished]
        if not others:
            return []
        places = [(number, max(self._floor, self._last.get(number, 0))) for number in others]
        rows = sql.execute(_NEW, (*columns(places), n_most, n_most), binary=True).fetchall()
        for number, worker, *_ in rows:
            self._last[worker] = number
        if len(rows) < n_most:
            self._finished.update(number for number in others if workers[number])
            self._looked = now()
        elif now() - self._looked >= _LOOK_SECS:
            self._looked = now()
            self._raise_floor(sql.execute(_BEHIND, (self._crawl, MOST_BEHIND)).fetchone())
        return [LearntRecord(*about) for _, _, *about in rows]

    def leave_out_old(self, sql: Connection[Any], max_links: int) -> int:
        """Leave out all but the latest records with so many links together; return how many records are left."""
        n_links, before = 0, _BEYOND_ALL
        while rows := sql.execute(_BACKWARDS, (self._crawl, before, _ROWS_AT_A_TIME)).fetchall():
            for number, n_links_of_page in rows:
                n_links += n_links_of_page
                if n_links > max_links:
                    self._raise_floor((number,))
                    break
                before = number
            if n_links > max_links:
                break
        row = sql.execute(_COUNT, (self._crawl, self._floor)).fetchone()
        assert row is not None
        return int(row[0])

    def _raise_floor(self, row: tuple[int] | None) -> None:
        if row is not None:
            self._floor = max(self._floor, row[0])
