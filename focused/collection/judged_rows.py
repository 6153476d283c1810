"""Judges a collection's pages again: writes relevance, decision, threshold and version to their rows."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

from focused.collection.page import unpack_terms
from focused.collection.schema import open_collection, transaction
from focused.collection.verdict_rows import DeliveryChange

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_KEY = "judged_again"
_ROWS = "SELECT id, relevance, terms FROM pages WHERE id > ? AND terms IS NOT NULL ORDER BY id LIMIT ?"
_CAME = """
SELECT count(*), coalesce(sum(model_version > 1), 0), coalesce(sum(relevant), 0),
       coalesce(sum(model_version > 1 AND relevant), 0), coalesce(max(number), 0)
FROM pages WHERE number > ?
"""
_WRITE = "UPDATE pages SET relevance = ?, relevant = ?, threshold = ?, model_version = ? WHERE id = ?"
_DELIVERED = "SELECT url, delivered FROM pages WHERE id = ?"


@dataclass(frozen=True, slots=True)
class FirstJudged:
    """How many pages there are, and how many the models called relevant when they came."""

    n_pages: int = 0
    #: How many of these pages were judged by a model that the crawl had trained.
    n_later: int = 0
    n_relevant: int = 0
    n_later_relevant: int = 0
    #: Number of the last of these pages.
    to: int = 0
    #: The version that judged all of these pages again; 0: none has, or one has judged only a part.
    version: int = 0
    #: The name that verdict lines give to the model of that version (`focused.collection.learnt_verdicts.name_of_model`).
    model: str = ""


class TermsRow(NamedTuple):
    """A page whose terms are kept."""

    id: int
    #: The relevance that the row has now.
    relevance: float
    terms: dict[str, int]


class JudgedRows:
    """Reads the terms of pages and writes what a version of the model says of them. Each write is one transaction.

    Raises
    ------
    CollectionFileError
        From the constructor, if the file is no collection.
    sqlite3.Error
        From all others, if it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._sql = open_collection(path)

    def close(self) -> None:
        """Close the file."""
        self._sql.close()

    def first_judged(self) -> FirstJudged:
        """Return how the pages were judged when they were fetched; this stays known when they are judged again."""
        row = self._sql.execute("SELECT value FROM about WHERE key = ?", (_KEY,)).fetchone()
        before = FirstJudged(**json.loads(row[0])) if row else FirstJudged()
        new = self._sql.execute(_CAME, (before.to,)).fetchone()
        if not new[0]:
            return before
        return FirstJudged(
            before.n_pages + new[0],
            before.n_later + new[1],
            before.n_relevant + new[2],
            before.n_later_relevant + new[3],
            new[4],
        )

    def is_judged_again(self) -> bool:
        """Whether pages were judged again before."""
        return self._sql.execute("SELECT 1 FROM about WHERE key = ?", (_KEY,)).fetchone() is not None

    def slices(self, n_most: int) -> Iterator[list[TermsRow]]:
        """Yield the pages whose terms are kept, in lists of at most ``n_most``. Rows with damaged terms are left out."""
        last = 0
        while rows := self._sql.execute(_ROWS, (last, n_most)).fetchall():
            last = rows[-1][0]
            found = []
            for number, relevance, data in rows:
                try:
                    found.append(TermsRow(number, float(relevance or 0.0), unpack_terms(data)))
                except ValueError:
                    continue  # its row keeps the relevance that it has
            yield found

    def judge(self, found: Iterable[tuple[int, float]], threshold: float, known: FirstJudged) -> list[DeliveryChange]:
        """Write the relevances of pages by their ids, as of ``known.version``; return those whose delivery changes.

        The same transaction keeps how the pages were judged first: these writes replace it in their rows.
        """
        sql, changes = self._sql, list[DeliveryChange]()
        with transaction(sql):
            self._know(FirstJudged(**(asdict(known) | {"version": 0})))
            for number, relevance in found:
                before = sql.execute(_DELIVERED, (number,)).fetchone()
                if before is None:
                    continue
                sql.execute(_WRITE, (relevance, relevance >= threshold, threshold, known.version, number))
                url, after = sql.execute(_DELIVERED, (number,)).fetchone()
                if after != before[1]:
                    changes.append(DeliveryChange(url, bool(after)))
        return changes

    def note_done(self, known: FirstJudged) -> None:
        """Note that all pages are judged again by a version."""
        self._know(known)

    def n_former(self, version: int) -> int:
        """Return how many pages an earlier version has judged."""
        return int(self._sql.execute("SELECT count(*) FROM pages WHERE model_version < ?", (version,)).fetchone()[0])

    def _know(self, known: FirstJudged) -> None:
        self._sql.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (_KEY, json.dumps(asdict(known))))
