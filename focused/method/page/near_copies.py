"""Sketches a page's text, to know near copies of it: MinHash over pairs of neighbouring terms.

A page's sketch holds, for each of 128 parts of the range of a hash, the least hash among the pairs of its text that fall into
that part. Two texts have as large a share of these in common as of all their pairs (Jaccard).
"""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.page.own_text import MIN_TERMS, OWN
from focused.method.page.text_sketch import LEAST_PAIRS, N_PLACES, N_WHOLE_PLACES, Hashes, Sketch, TextSketch
from focused.method.page.triples import kept_triples
from focused.method.text.analyzer import FIRST_TERM
from focused.utils.numbers import NUMBERS

if TYPE_CHECKING:
    from focused.method.page.page import Page
    from focused.method.text.analyzer import TermTable

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


def sketch(page: Page, hashes: TermHashes, own_title: str | None = None) -> TextSketch | None:
    """Return the sketch of a page's own text; None if it has no words.

    The texts of link lists are left out (`focused.method.page.own_text`), so that other menus make no other page. Of a short
    text, and of a page that is links only, the sketch is of the whole text as it stands, numbers and stopwords included:
    pages of a few words often differ by a number only. ``own_title``: its title but for what that says of another page, see
    `focused.method.page.titles`.
    """
    terms = page.judged_terms(OWN)
    if not len(terms):
        return None
    hashed = hashes.of(terms)
    pairs = _pairs(hashed)
    is_of_links = _is_of_links(page)
    title_form = _title_hash(NUMBERS.sub("", page.title if own_title is None else own_title))
    found = sketch_of_pairs(pairs)._replace(title=_title_hash(page.title), title_form=title_form)
    if not is_of_links:
        found = found._replace(kept=kept_triples(pairs, hashed))
    if found.n_pairs >= LEAST_PAIRS and not is_of_links:
        if len(terms) == len(page.terms):
            return found
        return found._replace(whole=_whole(np.sort(_pairs(hashes.of(page.terms)))))
    n_pairs = min(found.n_pairs, LEAST_PAIRS - 1)
    digest = hashlib.shake_128(f"{page.title}\n{page.text}".encode("utf-8", "replace")).digest(4 * N_PLACES)
    of_digest = sketch_of_pairs(np.frombuffer(digest, "<u4").astype(np.uint32))
    return found._replace(places=of_digest.places, whole=of_digest.whole, n_pairs=n_pairs)


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
