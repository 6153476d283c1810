"""Shares the texts of pages among workers, so that copies of another worker's pages are found.

What it is for one process: `focused.frontier.store.texts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from focused.frontier.shared.outputs import clean
from focused.frontier.shared.rows_of_others import RowsOfOthers

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from psycopg import Connection

    from focused.frontier.shared.page import PageOutputs

_COLUMNS = ("url", "copy_of", "referrer", "relevant", "sketch")
# Of a page that the transaction turns out not to count, nothing is said.
_ADD = (
    f"INSERT INTO texts (crawl, worker, {', '.join(_COLUMNS)}) SELECT %(crawl)s, %(worker)s, %(url)s::text, "
    "%(copy_of)s::text, %(referrer)s::text, %(relevant)s::boolean, %(sketch)s::bytea WHERE %(page)s::bigint IS NOT NULL"
)
_AT_A_TIME = 64
"""Pages that a worker hears of at once: some milliseconds of its reactor."""


class OtherText(NamedTuple):
    """A page of another worker; the fields are those of `focused.frontier.store.texts.StoredTexts.add`."""

    url: str
    copy_of: str
    referrer: str
    relevant: bool
    sketch: bytes


class TextReader(RowsOfOthers):
    """Reads what other workers say of each of their pages, once."""

    def __init__(self, crawl: int) -> None:
        super().__init__(crawl, "texts", _COLUMNS)

    def read(self, sql: Connection[Any], own: Collection[int], n_most: int = _AT_A_TIME) -> list[OtherText]:
        """Return the next pages, at most so many, of workers but ``own``; fewer mean that there are no more."""
        return [OtherText(*about) for about in self.rows(sql, own, n_most)]


class SharedTexts:
    """Takes what a worker's pages say, and passes on what the pages of others do.

    ``draft`` is the page that ends next; ``earlier`` returns what is known of at most so many pages, the latest.
    """

    def __init__(self, draft: PageOutputs, earlier: Callable[[int], Iterator[list[OtherText]]]) -> None:
        self._draft, self._earlier = draft, earlier
        #: Called with pages of others; None: they are not read.
        self.on_received: Callable[[list[OtherText]], None] | None = None

    def subscribe(self, on_received: Callable[[list[OtherText]], None], max_pages: int) -> None:
        """Receive the latest pages of other workers now, and all later ones when they come. It waits for the database."""
        for texts in self._earlier(max_pages):
            on_received(texts)
        self.on_received = on_received

    def receive(self, texts: list[OtherText]) -> None:
        """Receive pages of other workers."""
        if self.on_received is not None:
            self.on_received(texts)

    def add(self, url: str, copy_of: str, referrer: str, sketch: bytes, relevant: bool) -> None:
        """Add a page's text to the transaction of the page that ends now."""
        values = {"url": clean(url), "copy_of": clean(copy_of), "referrer": clean(referrer)}
        self._draft.add_output(_ADD, {**values, "relevant": relevant, "sketch": sketch})

    def pages(self) -> Iterator[tuple[str, str, str, int, bytes]]:
        """Return none: `subscribe` passes them on."""
        return iter(())

    def sketches(self) -> Iterator[tuple[str, bytes, int]]:
        """Return none: `subscribe` passes them on."""
        return iter(())
