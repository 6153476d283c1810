"""Forgets: when a crawl remembers too many links, some go with each page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.strategies.linkmodel.memory_tables import EVIDENCE_OF_LINK

if TYPE_CHECKING:
    from collections.abc import Generator

    from focused.method.strategies.linkmodel.discovery import Discovery
    from focused.method.strategies.linkmodel.model import LinkModel

Integers = npt.NDArray[np.int64]

_FORGOTTEN_OF_PAGE, _FAR_TOO_MANY = 1_000, 9 / 8
"""Links forgotten with each page when there are too many. When there are far too many, it is a quarter more than the page
brought."""
_KEPT_SHARE = 7 / 8


class Forgetting:
    """Forgets links, page by page. It chooses an eighth of all links at once, and forgets them over several pages.

    They are those of the model's memory; no fit may be under way. What lay behind them is kept for their kinds.
    """

    def __init__(self, model: LinkModel, discovery: Discovery) -> None:
        self._model = model
        self._discovery = discovery
        #: Links that are going to be forgotten, and whether they were waiting when they were chosen.
        self._chosen: Integers = np.zeros(0, dtype=np.int64)
        self._was_waiting = np.zeros(0, dtype=np.bool_)

    def steps(self, n_added: int) -> Generator[int, None, None]:
        """Forget some links if there are too many; ``n_added``: how many the page before added."""
        memory = self._model.memory
        if not len(self._chosen):
            if memory.share_in_use <= 1:
                return
            self._chosen = self._least_useful()
            self._was_waiting = np.isnan(memory.links["outcome"][self._chosen])
        n = max(_FORGOTTEN_OF_PAGE, n_added + n_added // 4 if memory.share_in_use > _FAR_TOO_MANY else 0)
        forgotten, was_waiting = self._chosen[:n], self._was_waiting[:n]
        self._chosen, self._was_waiting = self._chosen[n:], self._was_waiting[n:]
        values = self._model.outcomes_with_credit()
        is_as_before = np.isnan(values[forgotten]) == was_waiting  # some were fetched meanwhile
        yield from memory.forget_in_steps(forgotten[is_as_before], values, self._discovery.observed_yields())

    def _least_useful(self) -> Integers:
        """Return which links should be forgotten so that an eighth more can be remembered, in this order.

        Fetched ones that are not learnt from any more, then of the waiting ones those with the lowest scores.
        """
        memory, links = self._model.memory, self._model.memory.links
        is_waiting, scores = np.isnan(links["outcome"]), self._model.scores(slice(None))
        done = np.flatnonzero(~is_waiting & ~self._model.is_learnt_from())
        waiting = np.flatnonzero(is_waiting & (links["n_referrers"] > 0))
        share = _KEPT_SHARE * min(1.0, EVIDENCE_OF_LINK * memory.max_links / max(len(memory.evidence), 1))
        n_surplus = len(links) - int(share * min(memory.max_links, len(links)))
        order = np.concatenate(
            (done[np.argsort(links["page"][done], kind="stable")], waiting[np.argsort(scores[waiting], kind="stable")])
        )
        return order[:n_surplus]
