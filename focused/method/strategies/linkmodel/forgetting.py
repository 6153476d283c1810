"""Room in a crawl's memory of links: where there are too many, some are forgotten with each page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Generator

    from focused.method.strategies.linkmodel.model import LinkModel

Integers = npt.NDArray[np.int64]

_FORGOTTEN_OF_PAGE, _FAR_TOO_MANY = 1_000, 9 / 8
"""Links forgotten with each page where there are too many; where there are far too many, a quarter more than came."""


class Forgetting:
    """Forgets links, page by page: which, is settled for an eighth of all at once.

    Parameters
    ----------
    model : LinkModel
        Its memory is what has too little room; not while a fit is under way.
    """

    def __init__(self, model: LinkModel) -> None:
        self._model = model
        #: Links about to be forgotten, and whether they were waiting when that was settled.
        self._going: Integers = np.zeros(0, dtype=np.int64)
        self._was_waiting = np.zeros(0, dtype=np.bool_)

    def make(self, n_came: int) -> Generator[int, None, None]:
        """Forget some links if there are too many; in steps, as :meth:`LinkMemory.forgetting`.

        Parameters
        ----------
        n_came : int
            Links of the page before.
        """
        memory = self._model.memory
        if not len(self._going):
            if not memory.is_full:
                return
            self._going = memory.first_to_go(self._model.scores(slice(None)), self._model.is_learnt_from())
            self._was_waiting = np.isnan(memory.links["outcome"][self._going])
        n = max(_FORGOTTEN_OF_PAGE, n_came + n_came // 4 if memory.share_in_use > _FAR_TOO_MANY else 0)
        gone, was_waiting = self._going[:n], self._was_waiting[:n]
        self._going, self._was_waiting = self._going[n:], self._was_waiting[n:]
        values = self._model.values()
        is_as_before = np.isnan(values[gone]) == was_waiting  # some were fetched meanwhile
        yield from memory.forgetting(gone[is_as_before], values)
