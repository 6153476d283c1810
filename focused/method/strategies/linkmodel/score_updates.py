"""Chooses the waiting links whose new scores the frontier must be told: some with every page, the best first.

Small changes are not told. They add up: a link is compared with what the frontier was told last, so its place there is never
wrong by more than a hundredth of the scale.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.strategies.linkmodel.memory_tables import NOT_WAITING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from focused.method.strategies.linkmodel.memory import LinkMemory

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# After a fit a frontier is told of the best links at once, five for each page until the next fit. Of the rest it is told of a
# few with every page, for moving a link costs 8 us. After a change of model it is told of all: where the former one believed
# nearly everything, hundreds of links with its high scores would be fetched before the best by the new one. It is never told
# of more than a thousand at a time: one page may have changed thousands.
_N_BEST, _BEST_FOR_PAGE, _N_REST = 1_000, 5, 5

_LEVELS = 1_000
_LEAST_MOVE, _LEAST_PART = 10, 10
"""Levels by which a score must have changed, or a tenth of the score if that is less: each move is a row that is written, and
half of all would be smaller."""


class ScoreUpdates:
    """Knows the numbers and scores with which links wait in the frontier, and collects those whose scores have changed.

    The columns ``frontier`` and ``level`` of the memory's links say where; `score` returns the scores of links as they are
    now.
    """

    def __init__(self, memory: LinkMemory, score: Callable[[Integers], Floats]) -> None:
        self._memory = memory
        self._score = score
        #: Links whose scores may have changed since the frontier was told, with these scores; the last ones count.
        self._changed: list[tuple[Integers, Floats]] = []
        self._rest: Integers = np.zeros(0, dtype=np.int64)
        self._is_rest_urgent = False
        #: Whether a former model gave the waiting links their scores, and nothing has been found out about them since.
        self.are_of_former_model = False
        #: How many of the crawl's pages other workers have fetched: they move the links of these.
        self.n_pages_of_others = 0

    def note_waiting(self, url: str, number: int, score: float) -> None:
        """Note the number and the score with which the frontier has taken in a link."""
        link = self._memory.number(url)
        if link is not None:
            self._memory.links["frontier"][link] = number
            self._memory.links["level"][link] = round(score * _LEVELS)

    def note_not_waiting(self, numbers: Sequence[int]) -> None:
        """Note that links wait no longer."""
        column = self._memory.links["frontier"]
        column[np.isin(column, numbers)] = NOT_WAITING

    def changed(self, links: Integers, scores: Floats) -> None:
        """Note that the scores of links may have changed."""
        self._changed.append((links, scores))

    def all_changed(self, next_fit: int, least_pages: int) -> Iterator[int]:
        """Note that the scores of all links may have changed; in steps, each yields about how many rows it dealt with.

        The best links must be in their places until the next fit, at the page of that number, and for at least `least_pages`.
        Where several workers crawl, each moves its part of them.
        """
        links = self._memory.links
        waiting = np.flatnonzero(links["frontier"] != NOT_WAITING)
        scores = self._score(waiting)
        yield 20 * len(waiting)
        levels = _levels(scores)
        # The frontier uses the score that a link was placed with. So a link that has become worse is moved as early as
        # one that has become better by as much.
        before = links["level"][waiting]
        better, rows = np.maximum(levels, before), np.flatnonzero(_are_elsewhere(before, levels))
        rows = rows[np.argsort(-better[rows], kind="stable")]
        n_pages = max(next_fit - self._memory.n_pages, least_pages)
        own_share = 1 - self.n_pages_of_others / max(self._memory.n_pages, 1)
        first = rows[: min(math.ceil(_BEST_FOR_PAGE * n_pages * own_share), _N_BEST)]
        self._changed.append((waiting[first], scores[first]))
        self._is_rest_urgent = self.are_of_former_model or (self._is_rest_urgent and len(self._rest) > 0)
        self.are_of_former_model = False
        self._rest = waiting[rows[len(first) :]]

    def due(self, *, is_last: bool, only_urgent: bool = False) -> list[tuple[int, float]]:
        """Return the numbers in the frontier and the new scores of links that should move now; with ``is_last``, of all.

        Those that a page has changed; after a fit the best; and of the rest a few each time, best first, unless only those
        are asked for that are urgent. After a change of model all are.
        """
        links, found = self._memory.links, dict[int, float]()
        changed, self._changed = self._changed, []
        n_usual = _N_BEST if self._is_rest_urgent else 0 if only_urgent else _N_REST
        n_rest = len(self._rest) if is_last else n_usual
        rest, self._rest = self._rest[:n_rest], self._rest[n_rest:]
        if len(rest):
            changed.append((rest, self._score(rest)))
        for ids, scores in changed:
            # Most of a page's links wait no longer, or are in their places.
            before, after = links["level"][ids], _levels(scores)
            rows = np.flatnonzero(_are_elsewhere(before, after) & (links["frontier"][ids] != NOT_WAITING))
            if len(rows) > (n_left := _N_BEST - len(found)) and not is_last:
                rows = rows[np.argsort(-np.maximum(before, after)[rows], kind="stable")]
                self._changed.append((ids[rows[n_left:]], scores[rows[n_left:]]))
                rows = rows[:n_left]
            if len(rows):
                links["level"][ids[rows]] = after[rows]
                found.update(zip(links["frontier"][ids[rows]].tolist(), scores[rows].tolist(), strict=True))
        return list(found.items())


def _are_elsewhere(before: npt.NDArray[np.int32], after: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Return which links belong into another place than that which the frontier was told last, by their levels."""
    least = np.clip(np.maximum(before, after) // _LEAST_PART, 1, _LEAST_MOVE)
    are_elsewhere: npt.NDArray[np.bool_] = np.abs(before - after) >= least
    return are_elsewhere


def _levels(scores: Floats) -> npt.NDArray[np.int32]:
    return np.rint(scores * _LEVELS).astype(np.int32)
