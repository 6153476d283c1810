"""How much of a crawl each of its seeds has had; or, of a single seed, each of its links."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_PATIENCE = 5.0
"""Pages: below so many nothing is concluded from how few a seed has had."""

NOBODY = -1
"""In place of the number of a start: nobody knows from where a link was reached."""
UNOPENED = -2
"""In place of the number of a start: a link that will be one when its page is fetched."""


class SeedShares:
    """Counts the pages that were reached from each page that a crawl, or a part of it, started from.

    What has been learnt favours the sites that it was learnt on. Without a counterweight a crawl that does well behind
    one seed digs there until nothing is left, and never sees what lies two clicks behind another.
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

    def advantages(self, starts: Integers) -> Floats:
        """Return how much less than an equal share each start has had: max(0, ln((5 + N / K) / (5 + n))).

        N pages were reached from K starts, n of them from this one: none if it is ``UNOPENED``. Of ``NOBODY`` it is 0.

        Parameters
        ----------
        starts : ndarray of shape (n,)
            Numbers of starts, ``UNOPENED`` or ``NOBODY``.

        Returns
        -------
        ndarray of shape (n,)

        Examples
        --------
        >>> shares = SeedShares()
        >>> first, second = shares.add(NOBODY), shares.add(NOBODY)
        >>> for _ in range(28):
        ...     _ = shares.add(first)
        >>> shares.advantages(np.array([first, second, NOBODY])).round(2).tolist()
        [0.0, 1.2, 0.0]
        """
        equal = self._n_pages.sum() / max(self.n_starts, 1)
        n_pages = np.where(starts == UNOPENED, 0.0, self._n_pages[starts])
        gained = np.log((_PATIENCE + equal) / (_PATIENCE + n_pages))
        found: Floats = np.where(starts == NOBODY, 0.0, np.maximum(gained, 0.0))
        return found
