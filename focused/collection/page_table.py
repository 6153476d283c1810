"""The judged pages of a crawl as columns, in some 130 bytes a page: many people may judge a large crawl at once."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.collection.random_order import place

if TYPE_CHECKING:
    from collections.abc import Iterator

    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]
    Integers = npt.NDArray[np.int64]

_FEW_NEW = 1_000
_SHARE_NEW = 8
"""New URLs are merged into the sorted ones when there are ``_FEW_NEW`` of them, and more than one in ``_SHARE_NEW`` of all."""


@dataclass(frozen=True, slots=True)
class QueuedPage:
    """A page that may be shown: no copy of another, and free to be indexed."""

    #: Place among the judged pages of the crawl, from 1.
    number: int
    url: str
    relevance: float
    threshold: float
    #: What the model says.
    relevant: bool
    #: Whether its text was kept: a person cannot judge a page without reading it.
    has_text: bool = True


class PageTable:
    """Pages in the order in which they came, each once; a row is a page's place in that order, from 0."""

    def __init__(self) -> None:
        self._number, self._relevance, self._threshold = array("q"), array("d"), array("d")
        self._relevant, self._has_text, self._is_shown = array("b"), array("b"), array("b")
        self._urls, self._ends = bytearray(), array("q", [0])
        self._places, self._seed = array("d"), ""
        # Rows by the hashes of their URLs: most of them sorted, the new ones not yet.
        self._hashes: Integers = np.zeros(0, dtype=np.int64)
        self._rows: Integers = np.zeros(0, dtype=np.int64)
        self._new: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._number)

    def __contains__(self, url: str) -> bool:
        return self.row_of(url) is not None

    def put(self, page: QueuedPage, *, is_shown: bool = True) -> int:
        """Add a page, or update the one with its URL; return its row."""
        row = self.row_of(page.url)
        if row is None:
            row = self._add(page.url)
        self._number[row], self._relevance[row], self._threshold[row] = page.number, page.relevance, page.threshold
        self._relevant[row], self._has_text[row] = page.relevant, page.has_text
        self._is_shown[row] = is_shown
        return row

    def row_of(self, url: str) -> int | None:
        """Return a page's row; None if it is not there."""
        key = hash(url)
        row = self._new.get(key)
        if row is None:
            at = int(np.searchsorted(self._hashes, key))
            if at == len(self._hashes) or self._hashes[at] != key:
                return None
            row = int(self._rows[at])
        return row if self.url(row) == url else None

    def url(self, row: int) -> str:
        """Return the URL of a page."""
        return self._urls[self._ends[row] : self._ends[row + 1]].decode("utf-8", "surrogatepass")

    def urls(self) -> Iterator[str]:
        """Yield the URLs of all pages, row by row."""
        return map(self.url, range(len(self)))

    def page(self, row: int) -> QueuedPage:
        """Return a page."""
        numbers = self._number[row], self.url(row), self._relevance[row], self._threshold[row]
        return QueuedPage(*numbers, bool(self._relevant[row]), bool(self._has_text[row]))

    # --- Columns, of shape (n_pages,). An array that is held over the next ``put`` is a copy of what was.

    @property
    def number(self) -> Integers:
        """Places among the judged pages of the crawl."""
        return np.array(self._number, dtype=np.int64)

    @property
    def relevance(self) -> Floats:
        """Relevances, in [0, 1]."""
        return np.array(self._relevance, dtype=np.float64)

    @property
    def threshold(self) -> Floats:
        """Thresholds of the models that judged, in [0, 1]."""
        return np.array(self._threshold, dtype=np.float64)

    @property
    def relevant(self) -> Flags:
        """Which pages the model calls relevant."""
        return np.array(self._relevant, dtype=np.bool_)

    @property
    def has_text(self) -> Flags:
        """Of which pages the text was kept."""
        return np.array(self._has_text, dtype=np.bool_)

    @property
    def is_shown(self) -> Flags:
        """Which pages may be judged."""
        return np.array(self._is_shown, dtype=np.bool_)

    def places(self, seed: str) -> Floats:
        """Return the places of the pages in a random order, in [0, 1)."""
        if seed != self._seed:
            self._places, self._seed = array("d"), seed
        self._places.extend(place(self.url(row), seed) for row in range(len(self._places), len(self)))
        return np.array(self._places, dtype=np.float64)

    def _add(self, url: str) -> int:
        row = len(self)
        for column in (self._number, self._relevance, self._threshold, self._relevant, self._has_text, self._is_shown):
            column.append(0)
        self._urls += url.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._urls))
        self._new[hash(url)] = row
        if len(self._new) > _FEW_NEW and len(self._new) * _SHARE_NEW > row:
            hashes = np.concatenate([self._hashes, np.fromiter(self._new, np.int64, len(self._new))])
            rows = np.concatenate([self._rows, np.fromiter(self._new.values(), np.int64, len(self._new))])
            order = np.argsort(hashes, kind="stable")
            self._hashes, self._rows, self._new = hashes[order], rows[order], {}
        return row
