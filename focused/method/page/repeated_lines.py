"""Lines that stand on several pages of a host: its furniture, learnt while crawling.

A line is known by its terms, whatever their order: "Page 3 of 7" and "Page 4 of 7" are one line. What is counted lies in a
table of fixed size. Two lines that want the same place compete for it: the one that comes more often wins.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.page.near_copies import TermHashes, mixed

if TYPE_CHECKING:
    from focused.method.page.lines import Flags, Lines
    from focused.method.page.page import Page

N_BITS = 19
"""Of the places in the table: 2^19 of 6 bytes, 3 MB."""
N_PAGES = 2
"""Pages of a host that a line must have stood on before."""
SHARE, ENOUGH_PAGES = 1 / 20, 20
"""And of a host of more than 40 pages this share of them; 20 pages are enough in any case."""
LONG, LONG_PAGES, LONG_SHARE = 15, 5, 1 / 2
"""Tokens outside links from which a line is a paragraph: pages about parts of one thing share some. It must have stood on five
pages and on half of all."""

Keys = npt.NDArray[np.uint64]


class RepeatedLines:
    """Counts on how many pages of its host each line stood.

    ``hashes``: of the terms of the pages that will be looked at.
    """

    def __init__(self, hashes: TermHashes, n_bits: int = N_BITS) -> None:
        self._hashes = hashes
        self._shift = np.uint64(64 - n_bits)
        self._keys = np.zeros(1 << n_bits, dtype=np.uint32)
        self._counts = np.zeros(1 << n_bits, dtype=np.uint16)

    def look(self, page: Page, lines: Lines, host: str, *, learns: bool = True) -> Flags | None:
        """Return which lines of a page are furniture of its host, by the pages before it; then count its own.

        The result is of shape (n_lines,), and None while fewer than N_PAGES pages of the host are known. ``learns``: False
        where the page is a copy of one that was counted: its text is no furniture.
        """
        keys = self._line_keys(page, lines, host)
        counts = self._find(keys)
        if learns:
            self._count(np.unique(keys))
        n_pages = int(counts[-1])
        if n_pages < N_PAGES:
            return None
        is_long = lines.n_tokens - lines.n_linked >= LONG
        enough = max(N_PAGES, min(ENOUGH_PAGES, SHARE * n_pages))
        found: Flags = counts[:-1] >= np.where(is_long, max(LONG_PAGES, LONG_SHARE * n_pages), enough)
        return found

    def _line_keys(self, page: Page, lines: Lines, host: str) -> Keys:
        """Return a key for each line of a page, and last one for the page's host; shape (n_lines + 1,)."""
        n_chunks = len(page.chunk_start) - 2
        sums = np.zeros(len(page.terms) + 1, dtype=np.uint64)
        self._hashes.of(page.terms).cumsum(out=sums[1:])
        start, stop = page.chunk_start[lines.first], page.chunk_start[np.minimum(lines.last, n_chunks)]
        found = np.zeros(len(lines) + 1, dtype=np.uint64)
        found[:-1] = sums[stop] - sums[start]
        # Stopwords and numbers are no terms, and in a heading a number may be all that is new.
        for number in ((start == stop) | (lines.level > 0)).nonzero()[0].tolist():
            text = page.marked_text.joined(int(lines.first[number]), int(lines.last[number]))
            found[number] = _hash(text)
        return mixed(found ^ np.uint64(_hash(host)))

    def _find(self, keys: Keys) -> npt.NDArray[np.int64]:
        slots = (keys >> self._shift).astype(np.int64)
        return np.where(self._keys[slots] == keys.astype(np.uint32), self._counts[slots], 0).astype(np.int64)

    def _count(self, keys: Keys) -> None:
        slots = (keys >> self._shift).astype(np.int64)
        names = keys.astype(np.uint32)
        counts = self._counts[slots]
        is_known = self._keys[slots] == names
        is_free = ~is_known & (counts <= 1)
        self._keys[slots[is_free]] = names[is_free]
        self._counts[slots] = np.where(is_known, np.minimum(counts, 65_534) + 1, np.maximum(counts, 2) - 1)


@lru_cache(maxsize=4096)
def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")
