"""Counts the share of a crawl's pages that each seed has had; with a single seed, each of its links."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from focused.method.strategies.linkmodel.growing_table import GrowingTable

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_PATIENCE = 5.0
"""Pages added to each seed's count, so that few pages at the start mean little."""

UNKNOWN_START = -1
"""In place of the number of a start: it is not known from which one a link was reached."""
NOT_FETCHED = -2
"""In place of the number of a start: the link becomes a start itself when its page is fetched."""


class SeedShares:
    """Counts the pages that were reached from each page that a crawl, or a part of it, started from.

    A model favours the sites that it has learnt from. Without a counterweight a crawl that does well behind one seed stays
    there until nothing is left, and never sees what lies two clicks behind another.
    """

    def __init__(self) -> None:
        self._n_pages = np.zeros(16)
        self.n_starts = 0

    def add(self, start: int) -> int:
        """Count a page that was reached from a start, by number; if below 0 the page is one. Return the number."""
        if start < 0:
            start = self.n_starts
            self.n_starts += 1
            if self.n_starts > len(self._n_pages):
                self._n_pages = np.concatenate((self._n_pages, np.zeros(len(self._n_pages))))
        self._n_pages[start] += 1
        return start

    def advantage(self, start: int) -> float:
        """Return what `advantages` has for one start, in a fifth of the time."""
        if start == UNKNOWN_START:
            return 0.0
        equal = float(self._n_pages.sum()) / max(self.n_starts, 1)
        n_pages = 0.0 if start == NOT_FETCHED else float(self._n_pages[start])
        return max(math.log((_PATIENCE + equal) / (_PATIENCE + n_pages)), 0.0)

    def advantages(self, starts: Integers) -> Floats:
        """Return how much less than an equal share each start has had: max(0, ln((5 + N / K) / (5 + n))).

        N pages were reached from K starts, n of them from this one: none if it is ``NOT_FETCHED``. For ``UNKNOWN_START`` the
        advantage is 0.

        >>> shares = SeedShares()
        >>> first, second = shares.add(UNKNOWN_START), shares.add(UNKNOWN_START)
        >>> for _ in range(28):
        ...     _ = shares.add(first)
        >>> shares.advantages(np.array([first, second, UNKNOWN_START])).round(2).tolist()
        [0.0, 1.2, 0.0]
        >>> [round(shares.advantage(start), 2) for start in (first, second, UNKNOWN_START)]
        [0.0, 1.2, 0.0]
        """
        equal = self._n_pages.sum() / max(self.n_starts, 1)
        n_pages = np.where(starts == NOT_FETCHED, 0.0, self._n_pages[starts])
        gained = np.log((_PATIENCE + equal) / (_PATIENCE + n_pages))
        found: Floats = np.where(starts == UNKNOWN_START, 0.0, np.maximum(gained, 0.0))
        return found


class Fairness:
    """Counts pages by the seed they were reached from and by the seed's link, in the columns ``start`` and ``branch``."""

    def __init__(self, links: GrowingTable) -> None:
        self._links = links
        self.starts, self.branches = SeedShares(), SeedShares()

    def count(self, led: Integers, first: Integers, *, may_be_seed: bool) -> None:
        """Count a page for the seed that it was reached from: links that led there, and links first found there."""
        starts, branches = self._links["start"], self._links["branch"]
        start = int(starts[led].max(initial=UNKNOWN_START))
        if start == UNKNOWN_START and not may_be_seed:
            return
        starts[led] = starts[first] = self.starts.add(start)
        of_led = branches[led]
        known = of_led[of_led != UNKNOWN_START]
        if start == UNKNOWN_START:
            branches[first] = NOT_FETCHED
        elif len(known):
            branches[led] = branches[first] = self.branches.add(int(known.max()))

    def copy_counts(self, other: Fairness) -> None:
        """Go on from the counts of another one."""
        self.starts, self.branches = other.starts, other.branches

    def advantage(self, link: int) -> float:
        """Return what `advantages` has for one link."""
        shares, column = self._counted()
        return shares.advantage(self._links.at(column, link))

    def advantages(self, links: Integers) -> Floats:
        """Return the advantages of links, see `SeedShares.advantages`."""
        shares, column = self._counted()
        return shares.advantages(self._links[column][links])

    def _counted(self) -> tuple[SeedShares, str]:
        # A single seed is a portal: its links are the places to begin at.
        return (self.starts, "start") if self.starts.n_starts > 1 else (self.branches, "branch")
