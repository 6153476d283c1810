"""Which of the pages met before says the same as a page: near copies, by MinHash over pairs of neighbouring terms.

A page's sketch holds, for each of 128 parts of the range of a hash, the least hash among the pairs of its text that fall into
that part. Two texts have as large a share of these in common as of all their pairs (Jaccard). Pages that may be alike are
found by groups of three places of the sketch that are equal; then the sketches themselves are compared.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from focused.method.page.own_text import MIN_TERMS, OWN, chunks_inside
from focused.method.text.analyzer import FIRST_TERM

if TYPE_CHECKING:
    from focused.method.page.page import Page
    from focused.method.text.analyzer import TermTable

Hashes = npt.NDArray[np.uint64]
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

_PLACE_BITS = 7
_SHIFT = np.uint64(64 - _PLACE_BITS)
_MULTIPLIER, _FIRST, _SECOND = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)
_S30, _S27, _S31, _S8 = (np.uint64(n) for n in (30, 27, 31, 8))
_LOW = np.uint64(0xFFFF)
_PLACES = np.arange(N_PLACES)
_BANDS = np.arange(N_BANDS, dtype=np.uint64) * np.uint64(0x2545F4914F6CDD1D)
_POWERS = np.array([1, 0x10001, 0x100020001], dtype=np.uint64)


class TermHashes:
    """A hash of each term of a table: the same in every process, as the ids are not."""

    def __init__(self, table: TermTable) -> None:
        self._table = table
        self._hashes: Hashes = np.zeros(FIRST_TERM, dtype=np.uint64)

    def of(self, ids: npt.NDArray[np.int32]) -> Hashes:
        """Return the hash of each term; shape (n_terms,)."""
        if len(ids) and int(ids.max()) >= len(self._hashes):
            new = (self._hash(number) for number in range(len(self._hashes), len(self._table)))
            self._hashes = np.concatenate((self._hashes, np.fromiter(new, np.uint64)))
        found: Hashes = self._hashes[ids]
        return found

    def _hash(self, number: int) -> int:
        digest = hashlib.blake2b(self._table.term(number).encode("utf-8", "replace"), digest_size=8).digest()
        return int.from_bytes(digest, "little")


class TextSketch(NamedTuple):
    """What is remembered of a page's text."""

    #: Shape (N_PLACES,); 0: no pair fell into that part.
    places: Sketch
    #: Different pairs, about.
    n_pairs: int

    def to_bytes(self) -> bytes:
        """Return it as bytes of a fixed length."""
        return self.n_pairs.to_bytes(4, "little") + self.places.astype("<u2").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> TextSketch:
        """Return what ``to_bytes`` made bytes of; ValueError if it is something else."""
        if len(data) != 4 + 2 * N_PLACES:
            raise ValueError(f"A sketch must have {4 + 2 * N_PLACES} bytes. Got {len(data)}.")
        return cls(np.frombuffer(data, "<u2", offset=4).astype(np.uint16), int.from_bytes(data[:4], "little"))


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
    digest = hashlib.blake2b(f"{page.title}\n{page.text}".encode("utf-8", "replace"), digest_size=8).digest()
    start = np.uint64(int.from_bytes(digest, "little"))
    return TextSketch(sketch_of_pairs(_mixed(start + np.arange(N_PLACES, dtype=np.uint64))).places, n_pairs)


def _is_of_links(page: Page) -> bool:
    """Tell whether a page has hardly a word outside its links: it is another page if its links are others."""
    n_terms = np.diff(page.chunk_start)
    linked = chunks_inside(page.outline, page.outline.link_nodes, len(n_terms))
    return int(n_terms[~linked].sum()) < MIN_TERMS


def _pairs(hashes: Hashes) -> Hashes:
    """Return a hash of each pair of neighbours; shape (n_terms - 1,), of one term (1,)."""
    return _mixed(hashes[:-1] * _MULTIPLIER + hashes[1:] if len(hashes) > 1 else hashes * _MULTIPLIER)


def _mixed(values: Hashes) -> Hashes:
    """Return 64 well mixed bits of each value: the finaliser of splitmix64."""
    values = (values ^ (values >> _S30)) * _FIRST
    values = (values ^ (values >> _S27)) * _SECOND
    return values ^ (values >> _S31)


def sketch_of_pairs(pairs: Hashes) -> TextSketch:
    """Return the sketch of some hashes, shape (n,), one or more."""
    pairs = np.sort(pairs)
    parts = (pairs >> _SHIFT).astype(np.int64)
    is_new = np.empty(len(pairs), dtype=np.bool_)
    is_new[0] = True
    np.not_equal(parts[1:], parts[:-1], out=is_new[1:])
    places = np.zeros(N_PLACES, dtype=np.uint16)
    places[parts[is_new]] = ((pairs[is_new] >> _S8) & _LOW).astype(np.uint16) | 1
    return TextSketch(places, 1 + int(np.count_nonzero(pairs[1:] != pairs[:-1])))


class CopyIndex:
    """The sketches of the pages met, by number; the oldest are forgotten beyond ``max_pages``."""

    def __init__(self, max_pages: int = MAX_PAGES) -> None:
        self._max_pages = max_pages
        self._sketches: Sketch = np.zeros((min(1024, max_pages), N_PLACES), dtype=np.uint16)
        self._sizes = np.zeros(len(self._sketches), dtype=np.int64)
        #: Pages ever added.
        self.n_added = 0
        self._make_table()

    def __len__(self) -> int:
        """Number of pages that are remembered."""
        return min(self.n_added, self._max_pages)

    def meet(self, text: TextSketch) -> tuple[int, bool]:
        """Return the number of the page that a text is a copy of, and True; or that of the text, remembered now, and False."""
        buckets = self._buckets(text.places)
        row = self._find(text, buckets)
        if row is not None:
            return row + (self.n_added - 1 - row) // self._max_pages * self._max_pages, True
        row = self.n_added % self._max_pages
        if row == len(self._sketches):
            self._grow()
            buckets = self._buckets(text.places)
        self._sketches[row] = text.places
        self._sizes[row] = text.n_pairs
        self._enter(buckets, row)
        self.n_added += 1
        return self.n_added - 1, False

    def _find(self, text: TextSketch, buckets: npt.NDArray[np.int64]) -> int | None:
        """Return the row of the page that a text is most surely a copy of; None if it is new."""
        found = set(self._table[buckets].ravel().tolist())
        found.discard(-1)
        if not found:
            return None
        rows = list(found)
        known = self._sketches[rows]
        n_equal = np.count_nonzero((known == text.places) & (known != 0), axis=1)
        n_there = np.count_nonzero(known | text.places, axis=1)
        # Sketches of texts of other lengths differ anyway; of two the shorter one says what is asked for.
        wanted = least_share(np.minimum(self._sizes[rows], text.n_pairs))
        over = n_equal / n_there - wanted
        best = int(over.argmax())
        return rows[best] if over[best] >= 0 else None

    def _buckets(self, places: Sketch) -> npt.NDArray[np.int64]:
        """Return for each band the place in the table of its values; shape (N_BANDS,)."""
        found = places
        if not places.all():  # an empty place takes the value of the next that is not
            taken = np.flatnonzero(places)
            found = places[taken[np.searchsorted(taken, _PLACES) % len(taken)]]
        rows = found[: N_BANDS * ROWS].reshape(N_BANDS, ROWS).astype(np.uint64)
        keys = _mixed((rows * _POWERS).sum(axis=1) + _BANDS)
        return (keys & self._mask).astype(np.int64)

    def _enter(self, buckets: npt.NDArray[np.int64], row: int) -> None:
        """The latest of a bucket stand first; the oldest goes."""
        held = self._table[buckets]
        self._table[buckets, 1:] = held[:, :-1]
        self._table[buckets, 0] = row

    def _make_table(self) -> None:
        n_buckets = 1 << (len(self._sketches) * N_BANDS // 2 - 1).bit_length()
        self._mask = np.uint64(n_buckets - 1)
        self._table = np.full((n_buckets, WAYS), -1, dtype=np.int32)

    def _grow(self) -> None:
        n_rows = min(2 * len(self._sketches), self._max_pages)
        more = n_rows - len(self._sketches)
        n_known = len(self._sketches)
        self._sketches = np.concatenate((self._sketches, np.zeros((more, N_PLACES), dtype=np.uint16)))
        self._sizes = np.concatenate((self._sizes, np.zeros(more, dtype=np.int64)))
        self._make_table()
        for row in range(n_known):
            self._enter(self._buckets(self._sketches[row]), row)


def least_share(n_pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the share of pairs in common from which texts of so many pairs are copies.

    >>> least_share(np.array([10, 25, 45, 500])).round(2).tolist()
    [1.0, 0.72, 0.6, 0.6]
    """
    found: npt.NDArray[np.float64] = np.interp(n_pairs, [LEAST_PAIRS, _LONG_PAIRS], [_SIMILAR_SHORT, _SIMILAR])
    found[n_pairs < LEAST_PAIRS] = 1.0
    return found
