"""Copies the delivered pages of a run into a PostgreSQL database, during the crawl and after each resume.

The collection is the truth, and the copy follows it. New rows are copied, and rows on which people changed their minds. When a
later model has judged all pages again, all rows are copied again. The transaction that writes rows also notes how far the run
has been copied. So if the crawl or the database dies in between, no row is lost and none is there twice.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from focused.collection.joined import RECORD_FIELDS, record_of
from focused.collection.view import CollectionView
from focused.utils.database import cannot_be_used, connect, import_psycopg

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ROWS_AT_A_TIME = 100
_SETTING = "FOCUSED_POSTGRESQL"
_KINDS = {
    **dict.fromkeys(("relevance", "link_score"), "double precision"),
    **dict.fromkeys(("model_version", "depth"), "integer"),
    **dict.fromkeys(("relevant", "verdict", "delivered", "noindex"), "boolean"),
    "headings": "jsonb",
}
_COLUMNS = ("topic", *RECORD_FIELDS)
_TABLES = f"""
CREATE TABLE IF NOT EXISTS focused_pages (
    {", ".join(f"{name} {_KINDS.get(name, 'text')}" for name in _COLUMNS)}, PRIMARY KEY (topic, url));
CREATE TABLE IF NOT EXISTS focused_runs (
    id text PRIMARY KEY, topic text NOT NULL, run text NOT NULL, copied_to bigint NOT NULL);
ALTER TABLE focused_runs ADD COLUMN IF NOT EXISTS judged_again text NOT NULL DEFAULT '';
"""
_UPSERT = (
    f"INSERT INTO focused_pages ({', '.join(_COLUMNS)}) VALUES ({', '.join(['%s'] * len(_COLUMNS))}) "
    f"ON CONFLICT (topic, url) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in RECORD_FIELDS)}"
)
_UPDATE = (
    f"UPDATE focused_pages SET {', '.join(f'{name} = %s' for name in RECORD_FIELDS)} WHERE topic = %s AND url = %s"
)
_COPIED = """
INSERT INTO focused_runs VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (id) DO UPDATE SET copied_to = excluded.copied_to, judged_again = excluded.judged_again
"""
_NEW = "SELECT * FROM pages WHERE id > ? ORDER BY id LIMIT ?"
_JUDGED = "SELECT id, verdict FROM pages WHERE verdict IS NOT NULL"


def check_database(url: str) -> None:
    """Refuse a database that a crawl could not copy its pages to; make the tables if they are not there.

    Raises
    ------
    ValueError
        If the URL names no PostgreSQL database or holds a password, psycopg is not installed, or the database cannot be
        used. One sentence.
    """
    _connect(url).close()


def _connect(url: str) -> Any:
    """Return a connection to a database that has the tables; ValueErrors as of `check_database`."""
    psycopg, connection = import_psycopg(_SETTING), connect(_SETTING, url)
    try:
        connection.execute(_TABLES)
    except psycopg.Error as error:
        connection.close()
        raise ValueError(cannot_be_used(_SETTING, error)) from None
    return connection


class PostgresCopy:
    """Copies the collection of one run. The database knows the run by the identity that its collection has.

    A `psycopg.Error` from any method says that the database cannot be reached now. A later call copies the rows that
    are missing.
    """

    def __init__(self, url: str, run_dir: Path, topic: str) -> None:
        self._url, self._run_dir, self._topic = url, run_dir, topic
        self._identity = ""
        self._connection: Any = None
        self._copied_to = 0
        #: The judging again after which the copied rows were read, as the collection notes it.
        self._judged_again = ""
        self._verdicts: dict[int, int] = {}
        #: Number of pages written; a page that is written again counts again.
        self.n_written = 0

    def step(self) -> int:
        """Copy some rows. Return how many were read: 0 if there is nothing new.

        Raises
        ------
        ValueError
            If the database cannot be used.
        """
        if self._connection is None:
            with CollectionView(self._run_dir) as view:
                self._identity = view.about()["id"]
            self._connection = _connect(self._url)
            row = self._connection.execute(
                "SELECT copied_to, judged_again FROM focused_runs WHERE id = %s", (self._identity,)
            ).fetchone()
            self._copied_to, self._judged_again = row or (0, "")
        try:
            with CollectionView(self._run_dir) as view:
                return self._copy(view)
        except BaseException:
            self.close()  # a later call opens another connection
            raise

    def _copy(self, view: CollectionView) -> int:
        if (judged_again := view.about().get("judged_again", "")) != self._judged_again:
            self._copied_to, self._judged_again = 0, judged_again
        new = list(view.rows(_NEW, [self._copied_to, ROWS_AT_A_TIME]))
        said = {row["id"]: row["verdict"] for row in view.rows(_JUDGED)}
        changed = [
            number for number in said.keys() | self._verdicts.keys() if said.get(number) != self._verdicts.get(number)
        ]
        changed = [number for number in sorted(changed)[:ROWS_AT_A_TIME] if number <= self._copied_to]
        changed_pages = [row for number in changed for row in view.rows("SELECT * FROM pages WHERE id = ?", [number])]
        if not new and not changed_pages:
            return 0
        copied_to = new[-1]["id"] if new else self._copied_to
        # A page that is not delivered any more stays in the table, and its row says so.
        rows = [*(row for row in new if row["delivered"]), *changed_pages]
        # A page that is not delivered is written only if the table has it: it was delivered before a later model judged it.
        gone = [row for row in new if not row["delivered"]] if judged_again else []
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.executemany(_UPSERT, list(self._values(rows)))
            cursor.executemany(_UPDATE, [(*values[1:], values[0], values[1]) for values in self._values(gone)])
            cursor.execute(_COPIED, (self._identity, self._topic, self._run_dir.name, copied_to, judged_again))
        self._copied_to = copied_to
        for row in (*new, *changed_pages):
            if row["verdict"] is None:
                self._verdicts.pop(row["id"], None)
            else:
                self._verdicts[row["id"]] = row["verdict"]
        self.n_written += len(rows)
        return len(new) + len(changed_pages)

    def _values(self, rows: Iterable[Any]) -> Iterable[tuple[Any, ...]]:
        for row in rows:
            record = record_of(row, self._run_dir.name)
            record["headings"] = json.dumps(record["headings"])
            # PostgreSQL's texts hold neither NUL nor halves of characters.
            yield self._topic, *(_text(value) if isinstance(value, str) else value for value in record.values())

    def n_left(self) -> int:
        """Return how many rows have not been looked at yet."""
        with CollectionView(self._run_dir) as view:
            return int(next(view.rows("SELECT count(*) FROM pages WHERE id > ?", [self._copied_to]))[0])

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _text(value: str) -> str:
    return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
