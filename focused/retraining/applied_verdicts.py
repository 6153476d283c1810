"""Applies verdicts to a collection: finds the page that each verdict means, and sets the verdict in its row."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from focused.collection.schema import CollectionFileError, advice
from focused.collection.verdict_rows import VerdictRows
from focused.collection.verdict_words import about_not_fetched
from focused.retraining.feedback_files import FeedbackFiles
from focused.retraining.verdict_reader import MAX_PAGES
from focused.retraining.verdict_table import VerdictTable
from focused.utils.file_names import COLLECTION_FILE, VERDICTS_FOLDER
from focused.utils.sqlite_files import may_be_written
from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from focused.collection.verdict_rows import DeliveryChange

_MAX_OTHER_FORMS = 500_000
"""Pages that are remembered because a verdict may name them in another form than their URL's, some 300 bytes each."""


class KnownForms:
    """The canonical forms of pages' URLs, and back; only of pages whose URL is not its only form is anything kept."""

    def __init__(self) -> None:
        self._url_of: dict[str, str] = {}
        self._forms_of: dict[str, list[str]] = {}

    def remember(self, url: str, location: str) -> list[str]:
        """Return the canonical forms of a page's URLs, each once, and remember them."""
        forms = list(dict.fromkeys(filter(None, map(canonical_form, dict.fromkeys((url, location))))))
        if forms != [url] and len(self._forms_of) < _MAX_OTHER_FORMS:
            self._forms_of[url] = forms
            self._url_of.update(dict.fromkeys(forms, url))
        return forms

    def url_of(self, form: str) -> str:
        """Return the URL of the page that a verdict means; the form itself where no other is known."""
        return self._url_of.get(form, form)

    def of(self, url: str) -> list[str]:
        """Return the canonical forms of a page's URLs."""
        return self._forms_of.get(url) or [canonical_form(url) or url]


class PagesByForm:
    """Tells whether a collection has a page, by any canonical form of its URLs."""

    def __init__(self, rows: VerdictRows, forms: KnownForms) -> None:
        self._rows, self._forms = rows, forms
        self._is_read = False

    def __call__(self, form: str) -> bool:
        """Tell whether the collection has the page of a form. The first call reads all pages, which is slow."""
        if not self._is_read:
            self._is_read = True
            for url, location in self._rows.addresses():
                self._forms.remember(url, location)
        return bool(self._rows.addresses_of([self._forms.url_of(form)]))


def write_all_verdicts(rows: VerdictRows, table: VerdictTable, forms: KnownForms) -> list[DeliveryChange]:
    """Write the verdicts to a collection: to its pages and its table ``verdicts``. Return what changes in its delivery."""
    changes = rows.set_verdicts(_said(rows, table, forms))
    rows.mirror(
        (each.url, each.person, each.relevant, each.at, each.drawn, each.note)
        for each in table
        if each.relevant is not None
    )
    return changes


def _said(rows: VerdictRows, table: VerdictTable, forms: KnownForms) -> list[tuple[str, bool | None]]:
    """Return the verdict on each page that has one, or had one; None where people withdrew it or contradict each other."""
    urls: dict[str, None] = dict.fromkeys(rows.judged())
    urls |= {forms.url_of(each.url): None for each in table}
    return [(url, table.relevant(forms.of(url))) for url in urls]


def apply_verdicts(run_dir: Path, *further: Path, say: Callable[[str], object] = str) -> list[DeliveryChange]:
    """Apply the verdict files of a run, which may be under way, to its collection; return the pages whose delivery changes.

    ``further`` files or folders are read beside ``RUN_DIR/verdicts/``. What cannot be read there is left out; ``say`` is told
    of it, and of verdicts on pages that are not in the collection, in sentences. Nothing happens where there is no collection.

    Raises
    ------
    CollectionFileError
        If the collection cannot be read, or does not follow them yet and cannot be written.
    """
    path = run_dir / COLLECTION_FILE
    if not path.is_file():
        return []
    files, forms = FeedbackFiles(*further, optional=run_dir / VERDICTS_FOLDER), KnownForms()
    rows = VerdictRows(path, read_only=not may_be_written(path))
    try:
        table = VerdictTable(MAX_PAGES, PagesByForm(rows, forms))
        for line in filter(None, (*_read(files, table), table.about_forgotten())):
            say(line)
        if not len(table) and not rows.judged():
            return []
        # Most verdicts name pages as the collection does: others are looked for among the forms of all pages, which is slow.
        named = {each.url for each in table}
        found = rows.addresses_of(named)
        for url, location in found if len(found) == len(named) else rows.addresses():
            forms.remember(url, location)
        if n := n_not_fetched(rows, table, forms):
            say(about_not_fetched(n))
        if rows.is_read_only:
            if rows.holds(_said(rows, table, forms)):
                return []
            raise CollectionFileError(f"{path} may not be written")
        return write_all_verdicts(rows, table, forms)
    except sqlite3.Error as error:
        raise CollectionFileError(advice(path, error)) from None
    finally:
        rows.close()


def _read(files: FeedbackFiles, table: VerdictTable) -> list[str]:
    """Read all verdicts; return what is wrong with the files."""
    faults = list[str]()
    while True:
        for verdict in files.read_new():
            table.add(verdict)
        faults += files.faults()
        if not files.has_more:
            return [*faults, files.summary()]


def n_not_fetched(rows: VerdictRows, table: VerdictTable, forms: KnownForms) -> int:
    """Return how many verdicts are on pages that the collection does not have."""
    urls = [forms.url_of(each.url) for each in table if each.relevant is not None]
    there = {url for url, _ in rows.addresses_of(dict.fromkeys(urls))}
    return sum(url not in there for url in urls)
