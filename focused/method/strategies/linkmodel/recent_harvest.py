"""Compares how a crawl fares now with its best time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

WINDOW = 28
"""Pages whose mean relevance says how a crawl fares."""
_MAX_PAGES = 10_000
"""Latest pages that are remembered one by one; of earlier ones the best time."""


class RecentHarvest:
    """The mean relevance of the latest pages, and the highest that it has ever been.

    Pages stand in the order in which the crawl fetched them. When another model judges them anew, they come in any order:
    those of many workers one worker after the other. Then each takes its place again (`take_order`).
    """

    def __init__(self) -> None:
        self._places: dict[int, int] = {}
        #: NaN of pages that have not been judged anew yet.
        self._relevances = np.full(WINDOW, np.nan)
        self._best_before = 0.0

    def add(self, url: str, relevance: float) -> None:
        """Count a page; one that is known keeps its place."""
        if len(self._places) >= _MAX_PAGES:
            self._forget()
        place = self._places.setdefault(hash(url), len(self._places))
        if place == len(self._relevances):
            self._relevances = np.concatenate((self._relevances, np.full(place, np.nan)))
        self._relevances[place] = relevance

    def take_order(self, former: RecentHarvest) -> None:
        """Let pages stand in the order in which the harvest by a former model has them; pages that it lacks come last."""
        known = {page: self._relevances[place] for page, place in self._places.items()}
        self._places = {page: place for place, page in enumerate(dict.fromkeys((*former._places, *known)))}
        self._relevances = np.full(max(len(self._places), WINDOW), np.nan)
        for page, relevance in known.items():
            self._relevances[self._places[page]] = relevance

    @property
    def mean(self) -> float:
        """Mean relevance of the latest pages; 0 if there are none."""
        latest = self._known()[-WINDOW:]
        return float(latest.mean()) if len(latest) else 0.0

    @property
    def share_lost(self) -> float:
        """By how much the latest pages are less relevant than those of the best time were, in [0, 1].

        >>> harvest = RecentHarvest()
        >>> for n in range(42):
        ...     harvest.add(f"http://h.org/{n}", 0.8 if n < 28 else 0.2)
        >>> round(harvest.share_lost, 3)
        0.375
        """
        best = self._best()
        return max(1 - self.mean / best, 0.0) if best else 0.0

    # --- Inside

    def _known(self) -> npt.NDArray[np.float64]:
        known: npt.NDArray[np.float64] = self._relevances[~np.isnan(self._relevances)]
        return known

    def _best(self) -> float:
        """Return the highest mean of as many pages in a row as a window has; 0 if there were fewer."""
        sums = np.concatenate(([0.0], np.cumsum(self._known())))
        return max(self._best_before, float((sums[WINDOW:] - sums[:-WINDOW]).max(initial=0.0)) / WINDOW)

    def _forget(self) -> None:
        """Forget the earlier half of the pages, but how good their best time was."""
        self._best_before = self._best()
        kept = list(self._places)[len(self._places) // 2 :]
        self._relevances = self._relevances[len(self._places) - len(kept) :]
        self._places = {page: place for place, page in enumerate(kept)}
