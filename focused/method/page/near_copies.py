"""Sketches a page's text, to know near copies of it: MinHash over pairs of neighbouring terms.

A page's sketch holds, for each of 128 parts of the range of a hash, the least hash among the pairs of its text that fall into
that part. Two texts have as large a share of these in common as of all their pairs (Jaccard).
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
Sketch = npt.NDArray[np.uint16] | npt.NDArray[np.uint8]

N_PLACES = 128
LEAST_PAIRS = 25
"""A text with fewer different pairs is a copy only of the very same text."""
N_WHOLE_PLACES = 64

_FORMAT = 2
"""Of the bytes of a sketch; earlier ones had other hashes (0), or no title (1)."""
_N_HEAD, _N_TITLE = 4, 4
_MOST_PAIRS = (1 << 24) - 1
_PARTS = {n_places: np.arange(n_places, dtype=np.uint32) for n_places in (N_PLACES, N_WHOLE_PLACES)}
_SHIFTS = {n_places: np.uint32(33 - n_places.bit_length()) for n_places in _PARTS}
_FIRSTS = {n_places: parts << _SHIFTS[n_places] for n_places, parts in _PARTS.items()}
_LOW = np.uint32(0xFFFF)
_MULTIPLIER, _FIRST, _SECOND = np.uint32(0x9E3779B1), np.uint32(0x85EBCA6B), np.uint32(0xC2B2AE35)


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

    #: Of the page's own text, shape (N_PLACES,); 0: no pair fell into that part.
    places: Sketch
    #: Of the whole page, shape (N_WHOLE_PLACES,).
    whole: Sketch
    #: Different pairs, about.
    n_pairs: int
    #: A hash of the page's title; 0: it has none, or it is not known.
    title: int = 0

    def to_bytes(self) -> bytes:
        """Return it as bytes of a fixed length."""
        head = min(self.n_pairs, _MOST_PAIRS).to_bytes(3, "little") + bytes([_FORMAT])
        title = self.title.to_bytes(_N_TITLE, "little")
        return head + title + self.places.astype("<u2").tobytes() + self.whole.tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> TextSketch:
        """Return what ``to_bytes`` made bytes of; ValueError if it is something else."""
        version = data[3] if len(data) > 3 else _FORMAT
        if version != _FORMAT:
            raise ValueError(f"A sketch must have the format {_FORMAT}. Got {version}, of another version.")
        first = _N_HEAD + _N_TITLE
        n_bytes = first + 2 * N_PLACES + N_WHOLE_PLACES
        if len(data) != n_bytes:
            raise ValueError(f"A sketch must have {n_bytes} bytes. Got {len(data)}.")
        places = np.frombuffer(data, "<u2", N_PLACES, first).astype(np.uint16)
        whole = np.frombuffer(data, np.uint8, N_WHOLE_PLACES, first + 2 * N_PLACES)
        title = int.from_bytes(data[_N_HEAD:first], "little")
        return cls(places, whole, int.from_bytes(data[:3], "little"), title)


def sketch(page: Page, hashes: TermHashes) -> TextSketch | None:
    """Return the sketch of a page's own text; None if it has no words.

    The texts of link lists are left out (`focused.method.page.own_text`), so that other menus make no other page. Of a short
    text, and of a page that is links only, the sketch is of the whole text as it stands, numbers and stopwords included:
    pages of a few words often differ by a number only.
    """
    terms = page.judged_terms(OWN)
    if not len(terms):
        return None
    found = sketch_of_pairs(_pairs(hashes.of(terms)))._replace(title=_title_hash(page.title))
    if found.n_pairs >= LEAST_PAIRS and not _is_of_links(page):
        if len(terms) == len(page.terms):
            return found
        return found._replace(whole=_whole(np.sort(_pairs(hashes.of(page.terms)))))
    n_pairs = min(found.n_pairs, LEAST_PAIRS - 1)
    digest = hashlib.shake_128(f"{page.title}\n{page.text}".encode("utf-8", "replace")).digest(4 * N_PLACES)
    return sketch_of_pairs(np.frombuffer(digest, "<u4").astype(np.uint32))._replace(n_pairs=n_pairs)


def _title_hash(title: str) -> int:
    """Return a hash of a title, whatever its case and its spaces are; 0 of none."""
    words = title.casefold().split()
    return zlib.crc32(" ".join(words).encode("utf-8", "replace")) | 1 if words else 0


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
    """Return the sketch of a text that is the whole page, by the hashes of its pairs, shape (n,), one or more."""
    pairs = np.sort(pairs)
    n_different = 1 + int(np.count_nonzero(pairs[1:] != pairs[:-1]))
    return TextSketch(_places(pairs, N_PLACES), _whole(pairs), n_different)


def _whole(pairs: Hashes) -> Sketch:
    """Return the sketch of a whole page: of each least hash 8 bits, for that two pages are alike by a third needs no more."""
    return _places(pairs, N_WHOLE_PLACES).astype(np.uint8)


def _places(pairs: Hashes, n_places: int) -> Sketch:
    """Return the least hash of each part of the range, 16 bits of it, by all hashes in order; 0: there is none."""
    first = pairs.searchsorted(_FIRSTS[n_places])
    if first[-1] == len(pairs):
        first = np.minimum(first, len(pairs) - 1)
    least = pairs[first]
    # The high bits of the least hash of many are alike: its low ones tell texts apart.
    places: Sketch = ((least & _LOW) | 1).astype(np.uint16)
    places *= least >> _SHIFTS[n_places] == _PARTS[n_places]  # 0 where the least hash lies in another part
    return places
