"""Reads what the strategies of other workers have learnt, in an order that skips nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.frontier.shared.page import LearntRecord
from focused.frontier.shared.rows_of_others import RowsOfOthers

if TYPE_CHECKING:
    from collections.abc import Collection

    from psycopg import Connection

_ROWS_AT_A_TIME = 1_000

_BACKWARDS = "SELECT id, n_links FROM records WHERE crawl = %s AND id > %s AND id < %s ORDER BY id DESC LIMIT %s"
_OF_VERSION = "SELECT coalesce(max(floor), 0) FROM versions WHERE crawl = %s AND accepted"
_COUNT = "SELECT count(*) FROM records WHERE crawl = %s AND id > %s"
_BEYOND_ALL = (1 << 63) - 1


class RecordReader(RowsOfOthers):
    """Reads each record of a crawl's other workers once, those of each worker in their order."""

    def __init__(self, crawl: int) -> None:
        super().__init__(crawl, "records", ("n_links", "model_version", "record"))

    def read(self, sql: Connection[Any], own: Collection[int], n_most: int) -> list[LearntRecord]:
        """Return the next records, at most so many, of workers but ``own``; fewer mean that there are no more."""
        return [LearntRecord(*about) for about in self.rows(sql, own, n_most)]

    def leave_out_old(self, sql: Connection[Any], max_links: int) -> int:
        """Leave out all but the latest records with so many links together; return how many records are left.

        Those of former versions of the model teach nothing any more.
        """
        n_links, before = 0, _BEYOND_ALL
        [(floor,)] = sql.execute(_OF_VERSION, (self.crawl,)).fetchall()
        self.floor = max(self.floor, int(floor))
        while rows := sql.execute(_BACKWARDS, (self.crawl, self.floor, before, _ROWS_AT_A_TIME)).fetchall():
            for number, n_links_of_page in rows:
                n_links += n_links_of_page
                if n_links > max_links:
                    self.floor = max(self.floor, number)
                    break
                before = number
            if n_links > max_links:
                break
        row = sql.execute(_COUNT, (self.crawl, self.floor)).fetchone()
        assert row is not None
        return int(row[0])
