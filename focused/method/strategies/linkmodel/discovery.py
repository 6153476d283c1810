"""Learns for each kind of page what lies behind it: that is worth something, too (docs/method/, D87)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.strategies.linkmodel.memory_tables import KIND_GROUPS, NOT_WAITING

if TYPE_CHECKING:
    from focused.method.strategies.linkmodel.memory import LinkMemory

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

LEAST_BETWEEN, _WAITING_FOR_PAGE = 5, 1_000
"""Yields are learnt after so many pages, and after one for so many waiting links: all of them are scored then."""
_HOPS = 4
_OF_NEXT_HOP = 0.5
"""What a page found through a page that was found counts for, and so on."""
_MOST = 5.0
_STRENGTH = 3.0
"""Pages that what is known of all kinds counts as, in the yield of one; what is known of a kind, in that of its host's."""
_LOST = 0.5
"""Share of its best harvest that a crawl must have lost: before, there are better links than those that lead on."""
_LATE = 0.5
"""Part of the page budget from which on it counts less and less: what is found last is not fetched any more."""
_HOPE, _TRIES = 1.0, 3.0
"""Yield that an untried kind is given beside what is known of all, and how many tries bring that down to half."""


class Discovery:
    """Knows what pages of each kind have led to, and what may be expected of links of each kind.

    The *yield* of a page is by how much the pages first found on it are more relevant than the crawl's average page, summed
    up, and half of their own yields, over four hops; from 0 to 5. The yield of a kind is the mean of its pages, drawn to that
    of all pages.
    """

    def __init__(self, memory: LinkMemory, weight: float) -> None:
        self._memory = memory
        self._weight = weight
        #: Part of the page budget that is still to be spent, in [0, 1].
        self.part_left = 1.0
        #: What the yields count for now, in [0, weight], and the mean of all pages.
        self._urgency = self._mean = 0.0
        self._next_learning = 0

    @property
    def is_due(self) -> bool:
        """Whether it is time to learn again."""
        return self._weight > 0 and self._memory.n_pages >= self._next_learning

    @property
    def counts(self) -> bool:
        """Whether it counts now."""
        return self._urgency > 0

    def learn(self) -> int:
        """Compute the yields of all kinds again; return about how many rows of a table that took."""
        if not self._weight:
            return 1
        memory = self._memory
        n_waiting = int(np.count_nonzero(memory.links["frontier"] != NOT_WAITING))
        self._next_learning = memory.n_pages + max(LEAST_BETWEEN, n_waiting // _WAITING_FOR_PAGE)
        lost = max(0.0, (memory.harvest.share_lost - _LOST) / (1 - _LOST))
        self._urgency = self._weight * lost * min(1.0, self.part_left / _LATE)
        rows, yields = self._pages()
        self._mean = float(yields.mean()) if len(yields) else 0.0
        for name, groups in memory.kinds.items():
            numbers, size = memory.links[name][rows], groups.table.size
            groups.table["sum"][:] = groups.table["past_sum"] + np.bincount(numbers, yields, minlength=size)
            groups.table["count"][:] = groups.table["past_count"] + np.bincount(numbers, minlength=size)
        return memory.links.size + 20 * len(rows)

    def expected_yields(self, links: Integers) -> Floats:
        """Return the yields that are expected behind links, by number: 0 while the crawl does as well as ever.

        The yield of a kind that was tried little is overestimated, but only for its first links: so some of them come forward,
        and the others wait for what these bring.
        """
        if not self._urgency:
            return np.zeros(len(links))
        memory, found = self._memory, np.full(len(links), self._mean)
        for name in KIND_GROUPS:
            table, numbers = memory.kinds[name].table, memory.links[name][links]
            found = (table["sum"][numbers] + _STRENGTH * found) / (table["count"][numbers] + _STRENGTH)
        n_tried = memory.kinds["kind"].table["count"][memory.links["kind"][links]]
        before = np.maximum(n_tried, memory.links["ordinal"][links])
        expected: Floats = self._urgency * (found + _HOPE * _TRIES / (before + _TRIES))
        return expected

    def with_expected_yields(self, log_odds: Floats, links: Integers) -> Floats:
        """Return the log-odds of links, by number, raised by the yields that are expected behind them."""
        return add_yields(log_odds, self.expected_yields(links)) if self.counts else log_odds

    def observed_yields(self) -> Floats:
        """Return the yield of the page behind each link, shape (n_links,); NaN of links that were not fetched."""
        found = np.full(self._memory.links.size, np.nan)
        rows, yields = self._pages()
        found[rows] = yields
        return found

    # --- Inside

    def _pages(self) -> tuple[Integers, Floats]:
        """Return the first of the links that led to each page, and the yield of that page."""
        links = self._memory.links
        done = np.flatnonzero(~np.isnan(links["outcome"]) & (links["page"] >= 0))
        pages, first = np.unique(links["page"][done], return_index=True)
        rows = done[first]
        finders, surplus = links["discoverer"][rows], links["outcome"][rows] - self._memory.mean_relevance
        is_found = (finders >= 0) & (finders != pages)
        finders, found, surplus = finders[is_found], pages[is_found], surplus[is_found]
        yields = np.zeros(self._memory.n_pages + self._memory.n_sources)
        for _ in range(_HOPS):
            worth = surplus + _OF_NEXT_HOP * yields[found]
            yields = np.clip(np.bincount(finders, worth, minlength=len(yields)), 0.0, _MOST)
        return rows, yields[pages]


def add_yields(log_odds: Floats, yields: Floats) -> Floats:
    """Return the log-odds of 1 - (1 - p) exp(-yield), where p is the probability that the given log-odds stand for.

    So a link with yield 0 keeps its log-odds, and no yield raises a link above one that is certainly relevant.

    >>> add_yields(np.array([-2.0, -2.0, 3.0]), np.array([0.0, 1.0, 1.0])).round(2).tolist()
    [-2.0, 0.74, 4.03]
    """
    # 1 - (1 - p) exp(-y) has the odds (1 + e^z) e^y - 1.
    found: Floats = np.where(yields > 0, np.log(np.expm1(np.logaddexp(0.0, log_odds) + yields)), log_odds)
    return found
