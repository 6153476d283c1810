"""Which of the pages met before says the same as a page: near copies, by MinHash over pairs of neighbouring terms.

A page's sketch holds, for each of 128 parts of the range of a hash, the least hash among the pairs of its text that fall into
that part. Two texts have as large a share of these in common as of all their pairs (Jaccard). Pages that may be alike are
found by groups of three places of the sketch that are equal; then the sketches themselves are compared.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from focused.method.page.own_text import MIN_TERMS, OWN
from focused.method.text.analyzer import FIRST_TERM

if TYPE_CHECKING:
    from focused.method.page.page import Page
    from focused.method.text.analyzer import TermTable

Hashes = npt.NDArray[np.uint32]
Sketch = npt.NDArray[np.uint16]

N_PLACES = 128
ROWS, N_BANDS = 3, 20
"""A text that has 0.6 of its pairs in common with another has none of 20 groups of three in common in one of 130 cases."""
WAYS = 4
"""Pages that are remembered for one group of places: of more the latest."""

MAX_PAGES = 100_000
"""Pages that are remembered: some 450 bytes each."""

LEAST_PAIRS = 25
"""A text with fewer different pairs is a copy only of the very same text."""
_LONG_PAIRS = 45
_SIMILAR, _SIMILAR_SHORT = 0.6, 0.72
"""Share of pairs in common from which a text of 45 pairs or more, and one of 25, is a copy; between them in proportion. Where
one word in twenty was changed, 0.7 to 0.8 are left in the mean (docs/results/near-duplicates.md)."""

_FORMAT = 1
"""Of the bytes of a sketch; earlier ones (0) had other hashes."""
_MOST_PAIRS = (1 << 24) - 1
_PART_BITS = 32 - 7
_PARTS = np.arange(N_PLACES, dtype=np.uint32)
_FIRST_OF_PART = _PARTS << np.uint32(_PART_BITS)
_LOW = np.uint32(0xFFFF)
_PLACES = np.arange(N_PLACES)
_MULTIPLIER, _FIRST, _SECOND = np.uint32(0x9E3779B1), np.uint32(0x85EBCA6B), np.uint32(0xC2B2AE35)

_ROW_BITS = 17
"""Of an entry of the table: the row of a page plus one; above it stand bits of what the group of places is."""
_ROW = np.uint32((1 << _ROW_BITS) - 1)
_POWERS = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64)
_BANDS = np.arange(N_BANDS, dtype=np.uint64) * np.uint64(0xD6E8FEB86659FD93)


class TermHashes:
    """A hash of each term of a table: the same in every process, as the ids are not."""

    def __init__(self, table: TermTable) -> None:
        self._table = table
        self._hashes: Hashes = np.zeros(1024, dtype=np.uint32)
        self._n_known = FIRST_TERM

    def of(self, ids: npt.NDArray[np.int32]) -> Hashes:
        """Return the hash of each term; shape (n_terms,)."""
        if self._n_known < len(self._table):
            self._add_new()
        found: Hashes = self._hashes[ids]
        return found

    def _add_new(self) -> None:
        first, last = self._n_known, len(self._table)
        sums = (zlib.crc32(self._table.term(n).encode("utf-8", "replace")) for n in range(first, last))
        if last > len(
            self._hashes
        ):  # twice as many: to copy them for each page with a new term would cost more than all
            self._hashes = np.concatenate((self._hashes, np.zeros(last, dtype=np.uint32)))
        self._hashes[first:last] = _mixed(np.fromiter(sums, np.uint32, last - first))
        self._n_known = last


class TextSketch(NamedTuple):
    """What is remembered of a page's text."""

    #: Shape (N_PLACES,); 0: no pair fell into that part.
    places: Sketch
    #: Different pairs, about.
    n_pairs: int

    def to_bytes(self) -> bytes:
        """Return it as bytes of a fixed length."""
        n_pairs = min(self.n_pairs, _MOST_PAIRS)
        return n_pairs.to_bytes(3, "little") + bytes([_FORMAT]) + self.places.astype("<u2").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> TextSketch:
        """Return what ``to_bytes`` made bytes of; ValueError if it is something else."""
        if len(data) != 4 + 2 * N_PLACES:
            raise ValueError(f"A sketch must have {4 + 2 * N_PLACES} bytes. Got {len(data)}.")
        if data[3] != _FORMAT:
            raise ValueError(f"A sketch must have the format {_FORMAT}. Got {data[3]}, of another version.")
        return cls(np.frombuffer(data, "<u2", offset=4).astype(np.uint16), int.from_bytes(data[:3], "little"))


def sketch(page: Page, hashes: TermHashes) -> TextSketch | None:
    """Return the sketch of a page's own text; None if it has no words.

    The texts of link lists are left out (`focused.method.page.own_text`), so that other menus make no other page. Of a short
    text, and of a page that is links only, the sketch is of the whole text as it stands, numbers and stopwords included:
    pages of a few words often differ by a number only.
    """
    terms = page.judged_terms(OWN)
    if not len(terms):
        return None
    found = sketch_of_pairs(_pairs(hashes.of(terms)))
    if found.n_pairs >= LEAST_PAIRS and not _is_of_links(page):
        return found
    n_pairs = min(found.n_pairs, LEAST_PAIRS - 1)
    digest = hashlib.shake_128(f"{page.title}\n{page.text}".encode("utf-8", "replace")).digest(4 * N_PLACES)
    return TextSketch(sketch_of_pairs(np.frombuffer(digest, "<u4").astype(np.uint32)).places, n_pairs)


def _is_of_links(page: Page) -> bool:
    """Tell whether a page has hardly a word outside its links: it is another page if its links are others."""
    start, linked = page.chunk_start, page.linked_chunks
    n_terms = start[1 : len(linked) + 1] - start[: len(linked)]
    return len(page.terms) - int(n_terms.dot(linked)) < MIN_TERMS


def _pairs(hashes: Hashes) -> Hashes:
    """Return a hash of each pair of neighbours; shape (n_terms - 1,), of one term (1,)."""
    return hashes[:-1] * _MULTIPLIER + hashes[1:] if len(hashes) > 1 else hashes * _MULTIPLIER


def _mixed(values: Hashes) -> Hashes:
    """Return 32 well mixed bits of each value: the finaliser of MurmurHash3."""
    values = (values ^ (values >> np.uint32(16))) * _FIRST
    values = (values ^ (values >> np.uint32(13))) * _SECOND
    return values ^ (values >> np.uint32(16))


def sketch_of_pairs(pairs: Hashes) -> TextSketch:
    """Return the sketch of some hashes, shape (n,), one or more."""
    pairs = np.sort(pairs)
    n_different = 1 + int(np.count_nonzero(pairs[1:] != pairs[:-1]))
    first = pairs.searchsorted(_FIRST_OF_PART)
    if first[-1] == len(pairs):
        first = np.minimum(first, len(pairs) - 1)
    least = pairs[first]
    # The high bits of the least hash of many are alike: its low ones tell texts apart.
    places = ((least & _LOW) | 1).astype(np.uint16)
    places *= least >> np.uint32(_PART_BITS) == _PARTS  # 0 where the least hash lies in another part
    return TextSketch(places, n_different)


class CopyIndex:
    """The sketches of the pages met, by number; the oldest are forgotten beyond ``max_pages``."""

    def __init__(self, max_pages: int = MAX_PAGES) -> None:
        if max_pages >= 1 << _ROW_BITS:
            raise ValueError(f"max_pages must be less than {1 << _ROW_BITS}. Got {max_pages}.")
        self._max_pages = max_pages
        # Memory that is not touched costs nothing: as many rows are taken as pages come.
        self._sketches: Sketch = np.zeros((max_pages, N_PLACES), dtype=np.uint16)
        self._sizes = np.zeros(max_pages, dtype=np.int64)
        n_bits = (max_pages * N_BANDS // 2 - 1).bit_length()
        self._shift = np.uint64(64 - n_bits)
        self._table: Hashes = np.zeros((1 << n_bits, WAYS), dtype=np.uint32)
        #: Pages ever added.
        self.n_added = 0

    def __len__(self) -> int:
        """Number of pages that are remembered."""
        return min(self.n_added, self._max_pages)

    def meet(self, text: TextSketch) -> tuple[int, bool]:
        """Return the number of the page that a text is a copy of, and True; or that of the text, remembered now, and False."""
        buckets, marks = self._buckets(text.places)
        held = self._table[buckets]
        row = self._find(text, held[(held & ~_ROW) == marks[:, None]])
        if row is not None:
            return row + (self.n_added - 1 - row) // self._max_pages * self._max_pages, True
        row = self.n_added % self._max_pages
        self._sketches[row] = text.places
        self._sizes[row] = text.n_pairs
        # The latest of a bucket stand first; the oldest goes.
        held[:, 1:] = held[:, :-1]
        held[:, 0] = marks | np.uint32(row + 1)
        self._table[buckets] = held
        self.n_added += 1
        return self.n_added - 1, False

    def _find(self, text: TextSketch, entries: Hashes) -> int | None:
        """Return the row of the page that a text is most surely a copy of; None if it is new."""
        if not len(entries):
            return None
        rows = [entry - 1 for entry in set((entries & _ROW).tolist()) if entry]
        if not rows:
            return None
        known = self._sketches[rows]
        n_equal = np.count_nonzero((known == text.places) & (known != 0), axis=1)
        n_there = np.count_nonzero(known | text.places, axis=1)
        # Sketches of texts of other lengths differ anyway; of two the shorter one says what is asked for.
        wanted = least_share(np.minimum(self._sizes[rows], text.n_pairs))
        over = n_equal / n_there - wanted
        best = int(over.argmax())
        return rows[best] if over[best] >= 0 else None

    def _buckets(self, places: Sketch) -> tuple[npt.NDArray[np.uint64], Hashes]:
        """Return for each band the place of its values in the table, and the mark of its entries there; shapes (N_BANDS,)."""
        if not places.all():  # an empty place takes the value of the next that is not
            taken = np.flatnonzero(places)
            places = places[taken[np.searchsorted(taken, _PLACES) % len(taken)]]
        keys = places[: N_BANDS * ROWS].astype(np.uint64).reshape(N_BANDS, ROWS) @ _POWERS + _BANDS
        keys ^= keys >> np.uint64(32)
        keys *= _POWERS[0]
        return keys >> self._shift, keys.astype(np.uint32) & ~_ROW


def least_share(n_pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the share of pairs in common from which texts of so many pairs are copies.

    >>> least_share(np.array([10, 25, 45, 500])).round(2).tolist()
    [1.0, 0.72, 0.6, 0.6]
    """
    found: npt.NDArray[np.float64] = np.interp(n_pairs, [LEAST_PAIRS, _LONG_PAIRS], [_SIMILAR_SHORT, _SIMILAR])
    found[n_pairs < LEAST_PAIRS] = 1.0
    return found
