"""Writes people's verdicts into the collection: the column ``verdict``, and a mirror of the verdict files."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, NamedTuple

from focused.collection.schema import open_collection, transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


_DECIDED = "SELECT count(*) FROM pages WHERE verdict IS NOT NULL AND delivered != (relevant AND duplicate_of = '')"


class DeliveryChange(NamedTuple):
    """What a verdict changes: whether a page is delivered."""

    url: str
    is_delivered: bool


class Delivered(NamedTuple):
    """What is said of a page that is delivered; the fields are those of items."""

    #: Of people; None: they say nothing.
    verdict: bool | None
    relevance: float | None
    relevant: bool
    model_version: int


class VerdictRows:
    """Writes verdicts into a collection, beside the store that adds its pages; each call is one transaction.

    ``read_only``: the rows are only read.

    Raises
    ------
    CollectionFileError
        From the constructor, if the file is no collection.
    sqlite3.Error
        From all others, if it cannot be read or written.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.is_read_only = read_only
        self._sql = open_collection(path, read_only=read_only)

    def close(self) -> None:
        """Close the file."""
        self._sql.close()

    def addresses(self) -> Iterator[tuple[str, str]]:
        """Yield URL and location of all pages."""
        yield from self._sql.execute("SELECT url, location FROM pages")

    def addresses_of(self, urls: Iterable[str]) -> list[tuple[str, str]]:
        """Return URL and location of the pages of these URLs."""
        rows = (self._sql.execute("SELECT url, location FROM pages WHERE url = ?", (url,)).fetchone() for url in urls)
        return [row for row in rows if row is not None]

    def n_judged(self) -> int:
        """Return how many pages have a verdict."""
        return int(self._sql.execute("SELECT count(*) FROM pages WHERE verdict IS NOT NULL").fetchone()[0])

    def judged(self) -> list[str]:
        """Return the URLs of the pages that have a verdict."""
        return [url for (url,) in self._sql.execute("SELECT url FROM pages WHERE verdict IS NOT NULL")]

    def set_verdicts(self, verdicts: Iterable[tuple[str, bool | None]]) -> list[DeliveryChange]:
        """Set the verdicts of pages by their URLs; return those whose delivery changes. URLs of no page change nothing."""
        sql, changes = self._sql, list[DeliveryChange]()
        with transaction(sql):
            for url, relevant in verdicts:
                row = sql.execute("SELECT verdict, delivered FROM pages WHERE url = ?", (url,)).fetchone()
                if row is None or row[0] == (None if relevant is None else int(relevant)):
                    continue
                sql.execute("UPDATE pages SET verdict = ? WHERE url = ?", (relevant, url))
                [(delivered,)] = sql.execute("SELECT delivered FROM pages WHERE url = ?", (url,))
                if delivered != row[1]:
                    changes.append(DeliveryChange(url, bool(delivered)))
        return changes

    def holds(self, verdicts: Iterable[tuple[str, bool | None]]) -> bool:
        """Return whether the pages have these verdicts already, so that `set_verdicts` would change nothing."""
        for url, relevant in verdicts:
            row = self._sql.execute("SELECT verdict FROM pages WHERE url = ?", (url,)).fetchone()
            if row is not None and row[0] != (None if relevant is None else int(relevant)):
                return False
        return True

    def mirror(self, rows: Iterable[tuple[str, str, bool, str, str, str]]) -> None:
        """Replace the rows of the table ``verdicts``: canonical URL, person, relevant, at, drawn, note."""
        with transaction(self._sql):
            self._sql.execute("DELETE FROM verdicts")
            self._sql.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?)", rows)

    def n_pages(self) -> int:
        """Return how many pages there are."""
        return int(self._sql.execute("SELECT count(*) FROM pages").fetchone()[0])

    def n_decided(self) -> int:
        """Return how many pages are delivered, or not, against what the model says of them."""
        return int(self._sql.execute(_DECIDED).fetchone()[0])

    def n_delivered(self) -> int:
        """Return how many pages are delivered."""
        return int(self._sql.execute("SELECT count(*) FROM pages WHERE delivered = 1").fetchone()[0])

    def delivered(self) -> dict[str, Delivered]:
        """Return what is said of each page that is delivered, by its URL, in the order in which they were judged."""
        rows = self._sql.execute(
            "SELECT url, verdict, relevance, relevant, model_version FROM pages WHERE delivered = 1 ORDER BY number"
        )
        return {
            url: Delivered(None if verdict is None else bool(verdict), relevance, bool(relevant), version)
            for url, verdict, relevance, relevant, version in rows
        }

    def is_judged_again(self) -> bool:
        """Whether a later model has judged pages again, so that they may be delivered otherwise than when they came."""
        return self._sql.execute("SELECT 1 FROM about WHERE key = 'judged_again'").fetchone() is not None

    def row(self, url: str) -> sqlite3.Row | None:
        """Return all that is known of a page; None if there is no page of this URL."""
        cursor = self._sql.cursor()
        cursor.row_factory = sqlite3.Row
        found: sqlite3.Row | None = cursor.execute("SELECT * FROM pages WHERE url = ?", (url,)).fetchone()
        return found
