"""Finds pages of a collection by words, verdicts, hosts and other properties."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from focused.collection.marking import snippet
from focused.collection.page import unpack_terms
from focused.collection.schema import CollectionFileError, advice, open_collection
from focused.collection.search_words import as_they_stand
from focused.utils.file_names import COLLECTION_FILE
from focused.utils.sqlite_files import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from typing_extensions import Self


_MAX_RANKED = 3_000
_MAX_SNIPPED = 5_000
"""Characters of a text that SQLite cuts snippets from: 2,500 hits take a tenth of a second, twice as many four times that."""
BRACKETS = ("[", "]")
_FOUND = "pages_fts JOIN pages ON pages.id = pages_fts.rowid"


@dataclass(frozen=True, slots=True)
class PageFilter:
    """Which pages are wanted. What is None does not matter."""

    #: Whether the pages are delivered: relevant by the model or by people's word, free to be shown, no copies.
    delivered: bool | None = None
    least_relevance: float | None = None
    #: Codes without regions, such as ``en``.
    languages: tuple[str, ...] = ()
    #: ISO 8601: pages published then or later, and before; pages without a date are left out by either.
    since: str | None = None
    before: str | None = None
    #: Host names; those of subdomains count.
    hosts: tuple[str, ...] = ()
    #: True: only pages without a date.
    undated: bool = False
    #: Words to be found, in the syntax of SQLite's FTS5; what it does not understand is taken word by word.
    words: str = ""

    def condition(self) -> tuple[str, list[Any]]:
        """Return an SQL condition on ``pages``, and its values."""
        parts, values = ["1"], list[Any]()
        if self.delivered is not None:
            parts.append("delivered = ?")
            values.append(int(self.delivered))
        if self.least_relevance is not None:
            parts.append("relevance >= ?")
            values.append(self.least_relevance)
        if self.languages:
            parts.append(
                f"lower(substr(language || '-', 1, instr(language || '-', '-') - 1)) IN ({_marks(self.languages)})"
            )
            values += [code.lower() for code in self.languages]
        for sign, date in ((">=", self.since), ("<", self.before)):
            if date is not None:
                parts.append(f"date != '' AND date {sign} ?")
                values.append(date)
        if self.undated:
            parts.append("date = ''")
        if self.hosts:
            # Most URLs do not even hold the name, which is quicker to see.
            either = " OR ".join("url LIKE ? AND ('.' || host_of(url)) LIKE ?" for _ in self.hosts)
            parts.append(f"({either})")
            for host in (each.lower().lstrip(".") for each in self.hosts):
                values += [f"%{host}%", f"%.{host}"]
        if self.words:
            parts.append("id IN (SELECT rowid FROM pages_fts WHERE pages_fts MATCH ?)")
            values.append(self.words)
        return " AND ".join(parts), values


class CollectionView:
    """A collection, to be read while its crawl may go on.

    Raises
    ------
    CollectionFileError
        If there is no collection, it cannot be read, or what is sought for holds no word.
    """

    def __init__(self, run_dir: Path) -> None:
        self.path = run_dir / COLLECTION_FILE
        self._sql = open_collection(self.path, read_only=True)
        self._sql.row_factory = sqlite3.Row
        self._sql.create_function("snippet_of", 4, snippet, deterministic=True)
        self._sql.create_function("host_of", 1, host_of, deterministic=True)

    def __enter__(self) -> Self:
        """Nothing to do: it is open."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._sql.close()

    def pages(
        self,
        wanted: PageFilter | None = None,
        *,
        order: str = "number",
        limit: int = -1,
        offset: int = 0,
        columns: str = "*",
    ) -> Iterator[sqlite3.Row]:
        """Yield rows of the table ``pages``, in the order of a column or an SQL expression over columns.

        ``headings`` and ``terms`` are as the file has them: see `headings_of` and `terms_of`.
        """
        condition, values = self._understood(wanted).condition()
        if limit < 0:
            yield from self.rows(
                f"SELECT {columns} FROM pages WHERE {condition} ORDER BY {order} LIMIT -1 OFFSET ?", [*values, offset]
            )
            return
        # An index holds what most lists are sorted by: only the pages that are shown are read.
        chosen = f"SELECT id FROM pages WHERE {condition} ORDER BY {order} LIMIT ? OFFSET ?"
        for number in [row["id"] for row in self.rows(chosen, [*values, limit, offset])]:
            yield from self.rows(f"SELECT {columns} FROM pages WHERE id = ?", [number])

    def part(
        self, wanted: PageFilter, *, order: str, limit: int, offset: int, columns: str = "*"
    ) -> tuple[int, int, list[sqlite3.Row]]:
        """Return how many pages there are, and some of them; beyond the end the last ones, which begin at the offset returned.

        Where no index holds what is asked for, all pages are looked at once, in the order of the file: half of what a list
        and a count take.
        """
        has_index = replace(wanted, delivered=None, least_relevance=None) == PageFilter()
        condition, values = self._understood(wanted).condition()
        found = list[int]()
        if not has_index:
            statement = f"SELECT id FROM pages NOT INDEXED WHERE {condition} ORDER BY {order}"
            found = [row["id"] for row in self.rows(statement, values)]
        n_all = self.count(wanted) if has_index else len(found)
        offset = min(offset, max(n_all - 1, 0) // limit * limit)
        if has_index:
            return n_all, offset, list(self.pages(wanted, order=order, limit=limit, offset=offset, columns=columns))
        shown = found[offset : offset + limit]
        statement = f"SELECT {columns} FROM pages WHERE id = ?"
        return n_all, offset, [row for each in shown for row in self.rows(statement, [each])]

    def count(self, wanted: PageFilter | None = None) -> int:
        """Return how many pages there are."""
        condition, values = self._understood(wanted).condition()
        return int(next(self.rows(f"SELECT count(*) FROM pages WHERE {condition}", values))[0])

    def search(
        self,
        words: str,
        *,
        delivered: bool | None = True,
        wanted: PageFilter | None = None,
        limit: int = 20,
        marks: tuple[str, str] = BRACKETS,
        columns: str = "pages.*",
    ) -> list[sqlite3.Row]:
        """Return the best pages for words, the best first, with ``snippet``: where the words stand, between two ``marks``.

        ``wanted``: which pages, in the place of ``delivered``; its own words do not matter here.

        If more than 3,000 pages hold the words, the first of them are ranked: words that stand everywhere tell little, and a
        crawl fetches the most promising pages first.
        """
        words = self.understood(words)
        condition, values = replace(wanted or PageFilter(delivered=delivered), words="").condition()
        beyond = "SELECT rowid FROM pages_fts WHERE pages_fts MATCH ? ORDER BY rowid LIMIT 1 OFFSET ?"
        end = next((row["rowid"] for row in self.rows(beyond, [words, _MAX_RANKED])), None)
        if end is not None:
            condition, values = f"{condition} AND pages_fts.rowid < ?", [*values, end]
        # First the best rows by the index alone; a snippet is cut only for those that are shown.
        ranked = (
            f"SELECT pages.id AS hit FROM {_FOUND} WHERE pages_fts MATCH ? AND {condition} "
            "ORDER BY bm25(pages_fts, 4.0, 1.0) LIMIT ?"
        )
        found = [row["hit"] for row in self.rows(ranked, [words, *values, limit])]
        shown = (
            f"SELECT {columns}, CASE WHEN length(pages.text) > {_MAX_SNIPPED} THEN snippet_of(pages.text, ?1, ?3, ?4) "
            "ELSE snippet(pages_fts, -1, ?3, ?4, ' ... ', 24) END AS snippet "
            f"FROM {_FOUND} WHERE pages_fts MATCH ?1 AND pages_fts.rowid = ?2"
        )
        return [row for number in found for row in self.rows(shown, [words, number, *marks])]

    def understood(self, words: str) -> str:
        """Return words as FTS5 understands them: as they are, or else each as it stands (`x-ray`, `c++`)."""
        try:
            self._sql.execute("SELECT 1 FROM pages_fts WHERE pages_fts MATCH ? LIMIT 1", [words]).fetchone()
        except sqlite3.OperationalError as error:
            if any(what in str(error) for what in ("locked", "no such table", INTERRUPTED)):
                raise CollectionFileError(advice(self.path, error)) from None
            plain = as_they_stand(words)
            if not plain:
                raise CollectionFileError(
                    f"Give a word of letters or digits to be found. Got {words[:100]!r}"
                ) from None
            return plain
        except sqlite3.DatabaseError as error:
            raise CollectionFileError(advice(self.path, error)) from None
        return words

    def _understood(self, wanted: PageFilter | None) -> PageFilter:
        if wanted is None or not wanted.words:
            return wanted or PageFilter()
        return replace(wanted, words=self.understood(wanted.words))

    def about(self) -> dict[str, str]:
        """Return what the file says of itself."""
        return {row["key"]: row["value"] for row in self.rows("SELECT key, value FROM about", [])}

    def rows(self, statement: str, values: Sequence[Any] = ()) -> Iterator[sqlite3.Row]:
        """Yield what a statement selects; a `CollectionFileError` if it cannot be read."""
        try:
            # No `yield from`: if the caller stops early, it would close the cursor, perhaps after the file was closed.
            for row in self._sql.execute(statement, values):  # noqa: UP028
                yield row
        except sqlite3.DatabaseError as error:
            raise CollectionFileError(advice(self.path, error)) from None


def headings_of(row: sqlite3.Row) -> list[tuple[int, str]]:
    """Return level and text of a page's headings."""
    return [(int(level), str(text)) for level, text in json.loads(row["headings"] or "[]")]


def terms_of(row: sqlite3.Row) -> dict[str, int]:
    """Return how often each term stands in a page; empty if they were left out."""
    return unpack_terms(row["terms"])


def host_of(url: str) -> str:
    """Return the host of a URL, without a port.

    >>> host_of("https://User@News.Example.org:8080/a?b")
    'news.example.org'
    """
    host = url.partition("://")[2].split("/", 1)[0].split("?", 1)[0].rpartition("@")[2].lower()
    return host if host.startswith("[") else host.partition(":")[0]


def _marks(values: tuple[str, ...]) -> str:
    return ", ".join("?" * len(values))
