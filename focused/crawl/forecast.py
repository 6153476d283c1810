"""How many relevant pages a crawl will have when its budgets are spent: pure functions of what it has seen so far.

Two readings are averaged. The links that wait are taken from the best on, as many as pages are left, and each counts as often
as links of such scores have proved relevant in this crawl. And the links that led to the latest pages have scores, too.
Crawls change: what they find next is often unlike what they found last. So this share is drawn to the one that crawls usually
have in their rest, the more the younger this crawl is, and the interval is as wide as crawls have strayed
(docs/method/forecast.md).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST_PAGES = 20
"""With fewer pages nothing is foretold."""
_USUAL, _SPREAD = 0.35, 0.2
"""Share of relevant pages in the rest of crawls, and its standard deviation between crawls."""
_YOUNG = 2.0
"""This over the number of its pages is the variance of what the links of a crawl say of its rest."""
_LINKS_AS_PAGES = 150.0
"""The scores of the latest links count as much as what has come true, and less after so many pages: n / (n + pages)."""
_STRAYS = 0.035
"""Crawls stray by this variance more than these two together say."""
_DEVIATIONS = 1.2816
"""Standard deviations on each side of an 80 % interval."""
_MOST_STRETCHES = 16
_FIRST_STRETCH = 5
_N_LEVELS = 20
_WIDTH = 0.1
"""Scores so far apart tell little of each other."""
_AS_PAGES = 2.0
"""Pages like the latest that are added to those of each level."""


class Forecast(NamedTuple):
    """Relevant pages in the end, with an 80 % interval: counts of pages, those found so far included."""

    n_relevant: int
    low: int
    high: int

    def __str__(self) -> str:
        """Return it as people read it.

        >>> str(Forecast(1240, 1160, 1320))
        '1,240 (1,160 to 1,320)'
        """
        return f"{self.n_relevant:,} ({self.low:,} to {self.high:,})"


class Forecaster:
    """Takes in pages one by one; some 20 numbers are kept, however long the crawl is."""

    def __init__(self) -> None:
        self.n_pages = self.n_relevant = 0
        #: By level of score, links below the threshold first: pages, and how many of them were relevant.
        self._of_level = np.zeros((2, 1 + _N_LEVELS))
        #: Of each stretch of the crawl: relevant pages, pages that a link led to, sum of these links' scores. All stretches
        #: but the last have ``_length`` pages.
        self._stretches = [np.zeros(3)]
        self._length = _FIRST_STRETCH
        self._in_last = 0

    def add(self, level: float | None, *, is_relevant: bool) -> None:
        """Count a page. ``level``: its link's score in [0, 1], less 1 below the threshold; None of a seed."""
        self.n_pages += 1
        self.n_relevant += is_relevant
        if self._in_last == self._length:
            if len(self._stretches) == _MOST_STRETCHES:
                self._stretches = [first + second for first, second in zip(*[iter(self._stretches)] * 2, strict=True)]
                self._length *= 2
            self._stretches.append(np.zeros(3))
            self._in_last = 0
        self._in_last += 1
        self._stretches[-1][0] += is_relevant
        if level is not None:
            self._of_level[:, _place(level)] += (1, is_relevant)
            self._stretches[-1][1:] += (1, level % 1 if level < 0 else level)

    def forecast(self, waiting: Iterable[tuple[float, int]], n_left: float) -> Forecast | None:
        """Return what the crawl will have after ``n_left`` further pages; None while it is too young to tell.

        ``waiting``: level and number of the links that wait, the best first; where they are not known, no link.
        """
        if self.n_pages < LEAST_PAGES:
            return None
        n_relevant, n_linked, scores = np.sum(latest := self._latest(), axis=0)
        of_late = n_relevant / self._n_pages_of(len(latest))
        of_waiting = self._of_waiting(waiting, n_left, of_late)
        weight = _LINKS_AS_PAGES / (_LINKS_AS_PAGES + max(self.n_pages, _LINKS_AS_PAGES)) if n_linked else 0.0
        own = (1 - weight) * of_waiting + weight * float(scores / max(n_linked, 1))
        own_variance, usual_variance = _YOUNG / self.n_pages, _SPREAD**2
        trust = usual_variance / (usual_variance + own_variance)
        share = trust * own + (1 - trust) * _USUAL
        half = _DEVIATIONS * math.sqrt(trust * own_variance + _STRAYS)
        low, middle, high = (min(max(each, 0.0), 1.0) for each in (share - half, share, share + half))
        return Forecast(*(self.n_relevant + round(n_left * each) for each in (middle, low, high)))

    def _latest(self) -> list[np.ndarray]:
        """Return the stretches of the latest quarter, at least two."""
        return self._stretches[-max(2, len(self._stretches) // 4) :]

    def _n_pages_of(self, n_stretches: int) -> int:
        """Return how many pages the last stretches have."""
        return self._length * (min(n_stretches, len(self._stretches)) - 1) + self._in_last

    def _of_waiting(self, waiting: Iterable[tuple[float, int]], n_left: float, latest: float) -> float:
        """Return the expected share of relevant pages among the best waiting links; missing links get the recent share."""
        n_pages, n_relevant = self._of_level @ _KERNEL
        of_level = (n_relevant + _AS_PAGES * latest) / (n_pages + _AS_PAGES)
        total, left = 0.0, float(n_left)
        for level, n_links in waiting:
            n_taken = min(left, n_links)
            total += n_taken * of_level[_place(level)]
            left -= n_taken
            if left <= 0:
                break
        return float(total + left * latest) / n_left if n_left else 0.0


def _place(level: float) -> int:
    return 0 if level < 0 else 1 + min(int(level * _N_LEVELS), _N_LEVELS - 1)


def _kernel() -> np.ndarray:
    """Return how much pages of each level say of links of each; those below the threshold say nothing of the others."""
    middles = (np.arange(_N_LEVELS) + 0.5) / _N_LEVELS
    kernel = np.zeros((1 + _N_LEVELS, 1 + _N_LEVELS))
    kernel[0, 0] = 1.0
    kernel[1:, 1:] = np.exp(-(((middles[:, None] - middles) / _WIDTH) ** 2) / 2)
    return kernel


_KERNEL = _kernel()
