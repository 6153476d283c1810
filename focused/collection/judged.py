"""The pages of a collection with people's verdicts: the queue chooses from them, and figures are computed from them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from focused.collection.figures import Figures, figures
from focused.collection.learnt_verdicts import LearntVerdicts
from focused.collection.page import unpack_terms
from focused.collection.page_table import PageTable, QueuedPage
from focused.collection.queue_kinds import RANDOM
from focused.collection.sample import Group
from focused.collection.verdict_folder import ASSESSOR, FolderLimits, Opinion, VerdictFolder
from focused.collection.view import CollectionView
from focused.utils.file_names import VERDICTS_FOLDER
from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from typing_extensions import Self

_NEW = """
SELECT id, number, url, location, relevance, threshold, relevant, noindex, duplicate_of, text_left_out, fetched_at
FROM pages WHERE id > ? ORDER BY id
"""


class JudgedCollection:
    """A collection, which its crawl may be adding to, and the verdicts on its pages.

    Raises
    ------
    CollectionFileError
        If there is no collection, or it cannot be read.
    """

    def __init__(self, run_dir: Path, *, most: FolderLimits | None = None) -> None:
        self.run_dir = run_dir
        self.folder = VerdictFolder(run_dir / VERDICTS_FOLDER, most)
        self._view = CollectionView(run_dir)
        #: What has judged the pages anew since people judged some.
        self.learnt = LearntVerdicts.read(self._view.about())
        self._begin()

    def _begin(self) -> None:
        self._last_id = 0
        #: All pages; those that may be judged are shown.
        self.pages = PageTable()
        #: URL of the page that a copy repeats, as it was found; and pages that ask not to be indexed.
        self._copy_of: dict[str, str] = {}
        self._hidden: set[str] = set()
        self._other_names: dict[str, str] = {}
        self._forms: dict[str, str] = {}
        self._copies: defaultdict[str, list[str]] = defaultdict(list)
        self._first = ""
        #: Number of the last page.
        self.last_number = 0
        #: What has been said, in the order of the files' names and lines.
        self.opinions: list[Opinion] = []

    def __enter__(self) -> Self:
        """Nothing to do: it is open."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self._view.close()

    @property
    def seed(self) -> str:
        """What decides the random order: the crawl's first page, when it was fetched, and the model that learnt from verdicts.

        With each such model another random order begins: the first pages of the old one have been judged.
        """
        return f"{self._first} {self.learnt.model}".rstrip()

    def refresh(self) -> None:
        """Read what is new. Pages may be judged that are no copies, and free to be indexed.

        If a model that has learnt from verdicts has judged all pages meanwhile, ``pages`` is another table.
        """
        learnt = LearntVerdicts.read(self._view.about())
        if learnt != self.learnt:
            self.learnt = learnt
            self._begin()
        n_before = len(self.pages)
        for row in self._view.rows(_NEW, [self._last_id]):
            self._last_id = row["id"]
            self._first = self._first or f"{row['url']} {row['fetched_at']}"
            self.last_number = max(self.last_number, row["number"])
            page = _queued(row)
            self.pages.put(page, is_shown=not (row["noindex"] or row["duplicate_of"]))
            if row["location"] not in ("", row["url"]):
                self._other_names[row["location"]] = row["url"]
            self._copy_of.pop(page.url, None)
            self._hidden.discard(page.url)
            if row["noindex"]:
                self._hidden.add(page.url)
            if row["duplicate_of"]:
                self._copy_of[page.url] = row["duplicate_of"]
                self._copies[row["duplicate_of"]].append(page.url)
        if len(self.pages) > n_before:
            self._forms.clear()
        self.opinions = self.folder.read()

    def url_of(self, url: str) -> str:
        """Return the URL that the collection has for a page that may be judged; empty if it is not there.

        A verdict on a copy is one on the page that it is a copy of.
        """
        found = self._name_of(url)
        if found in self._copy_of:
            found = self._name_of(self._copy_of[found])
        return found if found in self.pages and self._is_shown(found) else ""

    def _is_shown(self, url: str) -> bool:
        """Whether a page may be judged: it is no copy, and may be indexed."""
        return url not in self._copy_of and url not in self._hidden

    def copies_of(self, url: str) -> list[str]:
        """Return the pages that say the same."""
        return self._copies.get(url, [])

    def terms_of(self, url: str) -> dict[str, int]:
        """Return a page's term counts; empty if they were not kept, or are damaged."""
        try:
            for row in self._view.rows("SELECT terms FROM pages WHERE url = ?", [url]):
                return unpack_terms(row["terms"])
        except ValueError:
            pass
        return {}

    def row_of(self, url: str) -> sqlite3.Row | None:
        """Return a page's row; None if it is not there any more."""
        return next(iter(self._view.rows("SELECT * FROM pages WHERE url = ?", [url])), None)

    def about(self, key: str) -> str:
        """Return what the collection says of itself; empty if nothing."""
        return self._view.about().get(key, "")

    def verdicts(self, *, of: str | None = None) -> dict[str, float]:
        """Return by URL which share of the people who judged a page calls it relevant; or what one person says."""
        said = self.opinions_on_pages()
        chosen = {url: [relevant for who, relevant in each.items() if _counts(who, of)] for url, each in said.items()}
        return {url: sum(each) / len(each) for url, each in chosen.items() if each}

    def opinions_on_pages(self) -> dict[str, dict[str, bool]]:
        """Return the last verdict of each person, or program, on each page, by URL; withdrawn ones are left out."""
        last: dict[tuple[str, str], bool | None] = {}
        for opinion in self.opinions:
            last[opinion.person, self.url_of(opinion.url)] = opinion.relevant
        said = defaultdict[str, dict[str, bool]](dict)
        for (person, url), relevant in last.items():
            if url and relevant is not None:
                said[url][person] = relevant
        return dict(said)

    def figures(self) -> Figures:
        """Return what people's verdicts on random pages say of the collection."""
        pages, drawn_at = self.pages, np.zeros(len(self.pages), dtype=np.int64)
        is_learnt, n_learnt = np.zeros(len(pages), dtype=np.bool_), 0
        for opinion in self.opinions:
            row = None if opinion.person.startswith(ASSESSOR) else pages.row_of(self.url_of(opinion.url))
            if row is None:
                continue
            if self.learnt.model and opinion.model != self.learnt.model:
                n_learnt += int(opinion.drawn == RANDOM and opinion.relevant is not None and not is_learnt[row])
                is_learnt[row] = True
            elif opinion.drawn == RANDOM:
                # Nobody draws from more pages than there are: a line that says so was not written by `scrapy judge`.
                drawn_at[row] = max(drawn_at[row], min(opinion.pages, self.last_number))
        said = np.full(len(pages), np.nan)
        for url, share in self.verdicts().items():
            said[pages.row_of(url)] = share
        is_learnt &= np.abs(said - 0.5) > 0  # where people contradict each other the model has learnt nothing
        number = pages.number
        by_number = np.argsort(number, kind="stable")
        shown = by_number[pages.is_shown[by_number]]
        open_ = shown[~is_learnt[shown]]
        group = Group(number[open_], pages.places(self.seed)[open_], said[open_], drawn_at[open_])
        found = figures(group, pages.relevant[open_], number[shown[is_learnt[shown] & (said[shown] > 0.5)]])
        former = self.learnt
        return replace(found, former_precision=former.precision, former_recall=former.recall, n_learnt=n_learnt)

    def believed_precision(self) -> float | None:
        """Return what the model believes of the pages that it calls relevant: their mean relevance; None of none."""
        found = self.pages.relevance[self.pages.relevant & self.pages.is_shown]
        return float(found.mean()) if len(found) else None

    def _name_of(self, url: str) -> str:
        if url in self.pages:
            return url
        if url in self._other_names:
            return self._other_names[url]
        if not self._forms:  # rarely needed, and slow: files that `scrapy judge` wrote have the URLs as they are
            names = {**self._other_names, **{each: each for each in self.pages.urls()}}
            self._forms = {canonical_form(name) or name: name_of for name, name_of in names.items()}
        return self._forms.get(canonical_form(url) or url, "")


def _counts(person: str, wanted: str | None) -> bool:
    """Tell whether an opinion is asked for: that of one person, or those of all but programs."""
    return person == wanted if wanted is not None else not person.startswith(ASSESSOR)


def _queued(row: sqlite3.Row) -> QueuedPage:
    relevance = 0.5 if row["relevance"] is None else float(row["relevance"])
    threshold = 0.5 if row["threshold"] is None else float(row["threshold"])
    return QueuedPage(row["number"], row["url"], relevance, threshold, bool(row["relevant"]), not row["text_left_out"])
