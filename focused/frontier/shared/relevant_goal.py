"""`RelevantGoal`: how many relevant pages a crawl is to find, and whether it may have them already."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.frontier.shared.leasing import Totals


class RelevantGoal:
    """Compares the crawl's relevant pages, as the database last counted them, and this worker's since, with the goal.

    ``max_relevant``: the goal; 0: there is none.
    """

    def __init__(self, max_relevant: int) -> None:
        self.max_relevant = max_relevant
        #: Returns how many relevant pages this worker has found, those that were refused included.
        self.n_found: Callable[[], int] = lambda: 0
        self._n_counted = 0

    def note_counted(self) -> None:
        """Note that the database has counted all that this worker has found so far."""
        self._n_counted = self.n_found()

    def may_be_reached(self, totals: Totals | None) -> bool:
        """Tell whether nothing more should be asked for until the database has counted again.

        >>> goal = RelevantGoal(5); goal.n_found = lambda: 3
        >>> goal.may_be_reached(None)
        False
        >>> goal.n_found = lambda: 5; goal.may_be_reached(None)
        True
        """
        n_known = 0 if totals is None else totals.n_relevant
        return 0 < self.max_relevant <= n_known + self.n_found() - self._n_counted
