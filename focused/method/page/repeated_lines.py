"""Lines that stand on several pages of a host: its furniture, learnt while crawling.

What is counted lies in a table of fixed size. Two lines that want the same place compete for it: the one that comes more often
wins. A line is known by a hash that is secret and another one in each process, so no page can have lines that pass for
others. A resumed crawl therefore learns anew, from two pages of each host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from focused.method.page.lines import Flags, Lines

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
    """Counts on how many pages of its host each line stood."""

    def __init__(self, n_bits: int = N_BITS) -> None:
        self._shift = np.uint64(64 - n_bits)
        self._names = np.zeros(1 << n_bits, dtype=np.uint32)
        self._counts = np.zeros(1 << n_bits, dtype=np.uint16)

    def mark_and_learn(self, lines: Lines, host: str, *, learns: bool = True) -> Flags | None:
        """Return which lines of a page are furniture of its host, by the pages before it; then count its own.

        The result is of shape (n_lines,), and None while fewer than N_PAGES pages of the host are known. ``learns``: False
        where the page is a copy of one that was counted: its text is no furniture.
        """
        keys = _keys(lines, host)
        slots = (keys >> self._shift).astype(np.int64)
        names = keys.astype(np.uint32)
        counts = self._counts[slots].astype(np.int64)
        is_known = self._names[slots] == names
        if learns:
            is_free = ~is_known & (counts <= 1)
            self._names[slots[is_free]] = names[is_free]
            # A line that stands twice on a page counts once: both write the same.
            self._counts[slots] = np.where(is_known, np.minimum(counts, 65_534) + 1, np.maximum(counts - 1, 1))
        counts *= is_known
        n_pages = int(counts[-1])
        if n_pages < N_PAGES:
            return None
        enough = max(N_PAGES, min(ENOUGH_PAGES, SHARE * n_pages))
        is_long = lines.n_tokens - lines.n_linked >= LONG
        found: Flags = counts[:-1] >= np.where(is_long, max(LONG_PAGES, LONG_SHARE * n_pages), enough)
        return found


def _keys(lines: Lines, host: str) -> Keys:
    """Return a key for each line of a page, and last one for the page's host; shape (n_lines + 1,)."""
    found = np.fromiter(map(hash, (*lines.texts, "")), np.int64, len(lines) + 1).view(np.uint64)
    found ^= np.uint64(hash(host) & 0xFFFFFFFFFFFFFFFF)
    return found
