"""Finds the earlier page that a page is an excerpt of, how much of a text is known from earlier pages, and of how many.

By the triples that are kept of each text (`focused.method.page.triples`). What stands on many pages, the frame of a site, says
nothing of either text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from focused.method.page.text_sketch import Hashes

SHARE = 0.65
"""The least share of an excerpt's triples, without those of a frame, that stand in its original."""
SHARE_OF_ALL = 0.5
"""The same, of all its triples: a page that is mostly frame is no excerpt."""
LEAST_TRIPLES = 5
"""Kept triples that an excerpt has at least: of some fifteen words."""
PART = 3
"""Triples that a page has in common with another one at least, to have a part of it: of some ten words, as a third is kept."""
MANY_PARTS, SHARE_OF_PARTS = 3, 0.3
"""A collage has parts of so many other pages, and they are such a share of it: a list of the beginnings of pages, results of a
search. The rest of it is likely to be parts of pages that were not met yet."""
FRAME_PAGES = 4
"""A triple that so many further pages have belongs to the frame of a site."""

MAX_TRIPLES = 1 << 21
"""Triples that are remembered, in 16 MB: those of some 20,000 pages."""
_ROW_BITS = 17
_COUNT_BITS = 3
_ROW = np.uint32((1 << _ROW_BITS) - 1)
_ONE = np.uint32(1 << _ROW_BITS)
_FRAME = np.uint32(FRAME_PAGES << _ROW_BITS)
_MARK = ~np.uint32((1 << (_ROW_BITS + _COUNT_BITS)) - 1)
_COUNT = ~(_ROW | _MARK)
_TAKEN = _COUNT + _ONE & _MARK
"""A bit of the mark that each entry has, so that an empty one is known for none."""


class Found(NamedTuple):
    """What is known of the triples of a text."""

    #: Row of the page that the text is an excerpt of; None: of none.
    row: int | None
    #: Share of the triples that no page before had, in [0, 1].
    new_share: float
    #: Where the triples stand in the table, and what they are there; shape (n_triples,).
    places: Hashes
    marks: Hashes
    #: The triples that it has in common with that page; shape (n_shared,), of no excerpt (0,).
    shared: Hashes
    #: Whether it is put together of parts of other pages; what stands on many pages is no part.
    is_collage: bool = False


class ExcerptIndex:
    """The triples of pages, each with the rows of the first page that had it and of the latest.

    Newer triples replace older ones. A row is a number in [0, 131,070] that stands for a page. ``max_triples``: a power
    of two.
    """

    def __init__(self, max_triples: int = MAX_TRIPLES) -> None:
        # Of an entry: the row plus one, how many further pages have the triple (of the first), and 12 bits of what it is.
        self._first: Hashes = np.zeros(max_triples, dtype=np.uint32)
        self._latest: Hashes = np.zeros(max_triples, dtype=np.uint32)
        self._last_place = np.uint32(max_triples - 1)

    def find(self, triples: Hashes) -> Found:
        """Look for the triples that are kept of a text (`focused.method.page.triples.kept_triples`)."""
        mixed = triples * np.uint32(0x9E3779B1)  # kept triples have low hashes: their high bits are alike
        places = (mixed ^ (mixed >> np.uint32(15))) & self._last_place
        marks = triples * np.uint32(0x85EBCA6B) & _MARK | _TAKEN
        if not len(triples):
            return Found(None, 1.0, places, marks, triples)
        first = self._first.take(places)
        known = ((first & _MARK) == marks).nonzero()[0]
        entries = first.take(known)
        row, is_shared = self._original(len(triples), entries, places.take(known))
        shared = triples[known[is_shared]]
        return Found(row, 1 - len(known) / len(triples), places, marks, shared, _is_collage(entries, len(triples)))

    def add(self, found: Found, row: int) -> None:
        """Remember the text that was looked for: that of the page in a row."""
        own = found.marks | np.uint32(row + 1)
        first = self._first.take(found.places)
        is_known = (first & _MARK) == found.marks
        first += _ONE * (first & _COUNT < _FRAME)
        self._first[found.places] = np.where(is_known, first, own)
        self._latest[found.places] = own

    def forget(self, row: int, n_rows: int) -> None:
        """Forget the pages of so many rows, from one on: other pages are going to take them. What is frame stays it."""
        first, latest = self._first, self._latest
        latest[(latest & _ROW) - np.uint32(row + 1) < n_rows] = 0  # less than 0 is far more, without a sign
        gone = ((first & _ROW) - np.uint32(row + 1) < n_rows) & (first & _COUNT < _FRAME)
        first[gone] = latest[gone]

    def _original(self, n_triples: int, first: Hashes, places: Hashes) -> tuple[int | None, npt.NDArray[np.bool_]]:
        """Return the row of the page that a text is an excerpt of, and which of its known triples stand there.

        By the entries of its known triples and their places, shape (n_known,).
        """
        is_shared = np.zeros(len(first), dtype=np.bool_)
        if len(first) < max(LEAST_TRIPLES, SHARE_OF_ALL * n_triples):
            return None, is_shared
        is_own = (first & _COUNT) < _FRAME
        n_own = int(np.count_nonzero(is_own))
        least = max(LEAST_TRIPLES, SHARE * (n_triples - len(first) + n_own), SHARE_OF_ALL * n_triples)
        if n_own < least:
            return None, is_shared
        firsts, latest = first[is_own] & _ROW, self._latest.take(places[is_own]) & _ROW
        is_other = (latest != firsts) & (latest > 0)  # one page is not counted twice
        rows = np.sort(np.concatenate((firsts, latest[is_other])))
        begins = np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))
        sizes = np.diff(begins, append=len(rows))
        most = int(sizes.argmax())
        if sizes[most] < least:
            return None, is_shared
        is_shared[is_own] = (firsts == rows[begins[most]]) | (latest == rows[begins[most]])
        return int(rows[begins[most]]) - 1, is_shared


def _is_collage(entries: Hashes, n_triples: int) -> bool:
    """Tell whether a text is put together of parts of other pages, by the entries of its known triples, shape (n_known,)."""
    is_own = (entries & _COUNT) < _FRAME
    _, sizes = np.unique(entries[is_own] & _ROW, return_counts=True)
    parts = sizes[sizes >= PART]
    n_own = n_triples - len(entries) + int(np.count_nonzero(is_own))
    return len(parts) >= MANY_PARTS and int(parts.sum()) >= SHARE_OF_PARTS * n_own
