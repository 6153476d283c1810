"""Find pages of a WARC file in its index."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, NamedTuple

from focused.utils.url_forms import canonical_form, tolerant_form
from focused.webs.recorded.answer import Match, WebError
from focused.webs.recorded.byte_source import BytePosition
from focused.webs.recorded.index_rows import hash_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

COLUMNS = "url, status, offset, skip, coalesce(body_offset, offset), coalesce(body_skip, skip)"
COUNTS = ("n_pages", "n_damaged", "n_superseded", "n_unresolved")


class RecordedPage(NamedTuple):
    """The position of a page: of its record, and of the record with its body (another one for a revisit)."""

    url: str
    status: int
    place: BytePosition
    body_place: BytePosition


class PageIndex:
    """The index of one WARC file, open for reading.

    ``n_pages``: URLs with an answer. ``n_damaged``: damaged places of the file; each may have held several records.
    ``n_superseded``: earlier answers of URLs recorded more than once. ``n_unresolved``: revisits of pages that the file does
    not hold.
    """

    def __init__(self, path: Path, identity: str) -> None:
        self.path = path
        self._db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            meta = dict(self._db.execute("SELECT name, value FROM meta"))
            if meta.get("identity") != identity:
                raise ValueError("of another file, or of another version of it")
            self.n_pages, self.n_damaged, self.n_superseded, self.n_unresolved = (int(meta[n]) for n in COUNTS)
            if self._db.execute("SELECT count(*) FROM page").fetchone() != (self.n_pages,):
                raise ValueError("incomplete")
        except BaseException:
            self._db.close()
            raise

    def find(self, url: str) -> tuple[RecordedPage, Match] | None:
        """Find the page that answers a URL: by the URL itself, else its canonical, else its tolerant form.

        If several pages have the same form, a page of status 200 comes first, then one whose path agrees in case, then the
        first by alphabet. No URL raises.
        """
        try:
            url.encode()
        except UnicodeEncodeError:  # lone surrogates: no URL, and SQLite refuses them
            return None
        if page := next(self._select("url = ?", url), None):
            return page, "exact"
        canonical = canonical_form(url)
        if canonical is None:
            return None
        if page := self._best("canonical", canonical, canonical_form):
            return page, "canonical"
        wanted = tolerant_form(canonical)
        if wanted is None:
            return None

        def is_near(url: str) -> bool:
            return _tolerant(url, fold_case=False) == tolerant_form(canonical, fold_case=False)

        page = self._best("tolerant", wanted, _tolerant, is_near)
        return (page, "tolerant") if page else None

    def _best(
        self, column: str, wanted: str, form: Callable[[str], str | None], is_near: Callable[[str], bool] = bool
    ) -> RecordedPage | None:
        # Different forms may have equal hashes.
        pages = [page for page in self._select(f"{column} = ?", hash_of(wanted)) if form(page.url) == wanted]
        return min(pages, key=lambda page: (page.status != 200, not is_near(page.url), page.url), default=None)

    def pages(self) -> Iterator[RecordedPage]:
        """Iterate over all pages in the order of the file."""
        yield from self._select("1 ORDER BY id")

    def _select(self, condition: str, *values: str | int | None) -> Iterator[RecordedPage]:
        try:
            for row in self._db.execute(f"SELECT {COLUMNS} FROM page WHERE {condition}", values):
                yield RecordedPage(row[0], row[1], BytePosition(row[2], row[3]), BytePosition(row[4], row[5]))
        except sqlite3.DatabaseError as error:
            raise WebError(f"{self.path} is damaged ({error}). Delete it: the next start makes it anew.") from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def _tolerant(url: str, *, fold_case: bool = True) -> str | None:
    canonical = canonical_form(url)
    return None if canonical is None else tolerant_form(canonical, fold_case=fold_case)
