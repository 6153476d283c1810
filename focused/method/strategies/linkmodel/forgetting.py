"""Forgetting: when a crawl remembers too many links, it forgets some with each page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Generator

    from focused.method.strategies.linkmodel.model import LinkModel

Integers = npt.NDArray[np.int64]

_FORGOTTEN_OF_PAGE, _FAR_TOO_MANY = 1_000, 9 / 8
"""Links forgotten with each page when there are too many. When there are far too many, it is a quarter more than the page
brought."""


class Forgetting:
    """Forgets links, page by page. It chooses an eighth of all links at once, and forgets them over several pages.

    Parameters
    ----------
    model : LinkModel
        Its memory is the one that forgets; no fit may be under way.
    """

    def __init__(self, model: LinkModel) -> None:
        self._model = model
        #: Links that are going to be forgotten, and whether they were waiting when they were chosen.
        self._chosen: Integers = np.zeros(0, dtype=np.int64)
        self._was_waiting = np.zeros(0, dtype=np.bool_)

    def steps(self, n_added: int) -> Generator[int, None, None]:
        """Forget some links if there are too many; in steps, as :meth:`LinkMemory.forgetting`.

        Parameters
        ----------
        n_added : int
            Links of the page before.
        """
        memory = self._model.memory
        if not len(self._chosen):
            if not memory.is_full:
                return
            self._chosen = memory.least_useful(self._model.scores(slice(None)), self._model.is_learnt_from())
            self._was_waiting = np.isnan(memory.links["outcome"][self._chosen])
        n = max(_FORGOTTEN_OF_PAGE, n_added + n_added // 4 if memory.share_in_use > _FAR_TOO_MANY else 0)
        forgotten, was_waiting = self._chosen[:n], self._was_waiting[:n]
        self._chosen, self._was_waiting = self._chosen[n:], self._was_waiting[n:]
        values = self._model.values()
        is_as_before = np.isnan(values[forgotten]) == was_waiting  # some were fetched meanwhile
        yield from memory.forgetting(forgotten[is_as_before], values)
