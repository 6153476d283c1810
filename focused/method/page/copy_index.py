"""Finds the earlier page that a page is a copy of, by their sketches (`focused.method.page.near_copies`).

Pages that may be alike are found by groups of three places of the sketch that are equal; then the sketches themselves are
compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from focused.method.page.text_sketch import LEAST_PAIRS, N_PLACES, N_WHOLE_PLACES

if TYPE_CHECKING:
    import numpy.typing as npt

    from focused.method.page.text_sketch import Hashes, Sketch, TextSketch

ROWS, N_BANDS = 3, 20
"""A text that has 0.6 of its pairs in common with another has none of 20 groups of three in common in one of 130 cases."""
WAYS = 4
"""Pages that are remembered for one group of places: of more the latest."""

MAX_PAGES = 100_000
"""Pages that are remembered: some 450 bytes each."""

_SAME_TITLE, _OTHER_TITLE, _NO_TITLE = 0.58, 0.66, 0.62
"""Share of pairs in common from which texts are copies, by their titles. Where one word in twenty was changed, 0.7 to 0.8 are
left in the mean (docs/results/near-duplicates.md). What is one form that speaks of two things has two titles."""

_WHOLE_ALIKE = 0.3
"""Share of the pairs of the whole pages, lists and all, that copies have in common at least. The own text of a list of links
is the frame of its site: of Python's manual 22 lists were called copies of one another. Another menu changes less."""

_PLACES = np.arange(N_PLACES)

_ROW_BITS = 17
"""The bits of a table's entry that hold the row of a page plus one; those above say what the group of places is."""
_ROW = np.uint32((1 << _ROW_BITS) - 1)
_POWERS = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64)
_BANDS = np.arange(N_BANDS, dtype=np.uint64) * np.uint64(0xD6E8FEB86659FD93)


class CopyIndex:
    """The sketches of the pages met, by number; the oldest are forgotten beyond ``max_pages``."""

    def __init__(self, max_pages: int = MAX_PAGES) -> None:
        if max_pages >= 1 << _ROW_BITS:
            raise ValueError(f"max_pages must be less than {1 << _ROW_BITS}. Got {max_pages}.")
        self._max_pages = max_pages
        # Memory that is not touched costs nothing: as many rows are taken as pages come.
        self._sketches: Sketch = np.zeros((max_pages, N_PLACES), dtype=np.uint16)
        self._whole: Sketch = np.zeros((max_pages, N_WHOLE_PLACES), dtype=np.uint8)
        self._sizes = np.zeros(max_pages, dtype=np.int32)
        self._titles = np.zeros(max_pages, dtype=np.uint32)
        n_bits = (max_pages * N_BANDS // 2 - 1).bit_length()
        self._shift = np.uint64(64 - n_bits)
        self._table: Hashes = np.zeros((1 << n_bits, WAYS), dtype=np.uint32)
        #: Pages ever added.
        self.n_added = 0

    def __len__(self) -> int:
        """Number of pages that are remembered."""
        return min(self.n_added, self._max_pages)

    def n_pairs(self, row: int) -> int:
        """Return how many different pairs the page of a row has."""
        return int(self._sizes[row])

    def find_or_add(self, text: TextSketch) -> tuple[int, bool]:
        """Return the number of the page that a text is a copy of, and True; or that of the text, remembered now, and False."""
        buckets, marks = self._buckets(text.places)
        held = self._table[buckets]
        row = self._find(text, held[(held & ~_ROW) == marks[:, None]])
        if row is not None:
            return self._number(row), True
        row = self.n_added % self._max_pages
        self._sketches[row], self._whole[row] = text.places, text.whole
        self._sizes[row], self._titles[row] = text.n_pairs, text.title
        # The latest of a bucket stand first; the oldest goes.
        held[:, 1:] = held[:, :-1]
        held[:, 0] = marks | np.uint32(row + 1)
        self._table[buckets] = held
        self.n_added += 1
        return self.n_added - 1, False

    def find(self, text: TextSketch) -> int | None:
        """Return the number of the page that a text is a copy of; None if it is new. Nothing is remembered."""
        buckets, marks = self._buckets(text.places)
        held = self._table[buckets]
        row = self._find(text, held[(held & ~_ROW) == marks[:, None]])
        return None if row is None else self._number(row)

    def _number(self, row: int) -> int:
        """Return the number of the page that a row holds now."""
        return row + (self.n_added - 1 - row) // self._max_pages * self._max_pages

    def _find(self, text: TextSketch, entries: Hashes) -> int | None:
        """Return the row of the page that a text is most surely a copy of; None if it is new."""
        if not len(entries):
            return None
        rows = [entry - 1 for entry in set((entries & _ROW).tolist()) if entry]
        if not rows:
            return None
        # Sketches of texts of other lengths differ anyway.
        shares = _alike(self._sketches[rows], text.places)
        best, most = None, 0.0
        for place in np.flatnonzero(shares >= _SAME_TITLE).tolist():
            row = rows[place]
            # Of two texts the shorter one says what is asked for.
            n_pairs = min(int(self._sizes[row]), text.n_pairs)
            over = float(shares[place]) - least_share(n_pairs, int(self._titles[row]), text.title)
            is_better = over >= most if best is None else over > most
            if is_better and _alike(self._whole[row : row + 1], text.whole)[0] >= _WHOLE_ALIKE:
                best, most = row, over
        return best

    def _buckets(self, places: Sketch) -> tuple[npt.NDArray[np.uint64], Hashes]:
        """Return for each band the place of its values in the table, and the mark of its entries there; shapes (N_BANDS,)."""
        if not places.all():  # an empty place takes the value of the next that is not
            taken = np.flatnonzero(places)
            places = places[taken[np.searchsorted(taken, _PLACES) % len(taken)]]
        keys = places[: N_BANDS * ROWS].astype(np.uint64).reshape(N_BANDS, ROWS) @ _POWERS + _BANDS
        keys ^= keys >> np.uint64(32)
        keys *= _POWERS[0]
        return keys >> self._shift, keys.astype(np.uint32) & ~_ROW


def _alike(known: Sketch, places: Sketch) -> npt.NDArray[np.float64]:
    """Return the share of pairs that each of some texts has in common with one; ``known`` of shape (n, n_places)."""
    found: npt.NDArray[np.float64] = np.count_nonzero((known == places) & (known != 0), axis=1) / np.count_nonzero(
        known | places, axis=1
    )
    return found


def least_share(n_pairs: int, title: int, other: int) -> float:
    """Return the share of pairs in common from which texts of so many pairs, and with these titles, are copies.

    >>> least_share(10, 7, 7), least_share(25, 7, 7), least_share(25, 7, 9), least_share(25, 7, 0)
    (1.0, 0.58, 0.66, 0.62)
    """
    if n_pairs < LEAST_PAIRS:
        return 1.0
    if not (title and other):
        return _NO_TITLE
    return _SAME_TITLE if title == other else _OTHER_TITLE
