"""Explores: some waiting links are fetched to learn from them, whatever their scores are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.strategies.linkmodel.memory_tables import NOT_WAITING

if TYPE_CHECKING:
    from focused.method.strategies.linkmodel.growing_table import GrowingTable


class LinkExploration:
    """Draws links that come first, and marks them in the column ``explores`` of the table of links.

    A `share` of the pages that are fetched, in [0, 1].
    """

    def __init__(self, share: float, seed: int) -> None:
        self._share = share
        self._random = np.random.default_rng(seed)
        #: Links still to be drawn: a share of few pages is less than one link, so fractions add up.
        self._owed = 0.0

    def draw(self, links: GrowingTable, n_pages: int) -> None:
        """Draw links from all that wait; they come first among the next `n_pages` pages of the crawl."""
        self._owed += self._share * n_pages
        waiting = _waiting(links)
        n_drawn = min(int(self._owed), len(waiting))
        if n_drawn:
            self._owed -= n_drawn
            links["explores"][self._random.choice(waiting, n_drawn, replace=False)] = True

    def draw_from_folders(self, links: GrowingTable, n_links: int) -> None:
        """Draw links from the folders with the fewest known pages; they come first (docs/method/, D69)."""
        waiting = self._random.permutation(_waiting(links))
        fetched = np.flatnonzero(~np.isnan(links["outcome"]))
        folders = links["folder"][waiting].astype(np.int64)
        n_known = np.bincount(links["folder"][fetched], minlength=int(folders.max(initial=0)) + 1)
        order = np.argsort(folders, kind="stable")
        first = np.flatnonzero(np.diff(folders[order], prepend=-1))
        before = np.empty(len(waiting), dtype=np.int64)
        before[order] = np.arange(len(waiting)) - np.repeat(first, np.diff([*first, len(waiting)]))
        links["explores"][waiting[np.argsort(n_known[folders] + before, kind="stable")[:n_links]]] = True


def _waiting(links: GrowingTable) -> npt.NDArray[np.int64]:
    return np.flatnonzero((links["frontier"] != NOT_WAITING) & ~links["explores"])
