"""Groups that links belong to: numbered, known by a key, forgotten with the last that belongs to them."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.strategies.linkmodel.growing_arrays import Rows

if TYPE_CHECKING:
    from collections.abc import Mapping

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

PRIOR_OUTCOMES = 3.0
"""Outcomes that the crawl's mean counts as, in the rate of each group."""


class Groups:
    """Groups of one kind; a number is a row of ``table`` and is used again when its group is forgotten.

    Parameters
    ----------
    reserve : int
        Groups to have room for from the start.
    lasting : bool
        Whether groups that nothing belongs to any more are kept.
    **columns
        What is known of each beside, see :class:`Rows`.
    """

    def __init__(self, *, reserve: int = 1024, lasting: bool = False, **columns: tuple[Any, float, int]) -> None:
        #: Of outcomes of links that are forgotten: ``past_sum`` and ``past_count``; ``rate`` as of the model's last fit;
        #: ``early_rate`` (a difference of logits, as ``rate``) and ``early_count`` are of before the crawl.
        self.table = Rows(
            reserve, key=(np.int64, 0, 0), n_members=(np.int32, 0, 0), rate=(np.float64, 0, 0),
            past_sum=(np.float64, 0, 0), past_count=(np.float64, 0, 0),
            early_rate=(np.float64, 0, 0), early_count=(np.float64, 0, 0), **columns,
        )  # fmt: skip
        #: Of groups, by key, what was known before the crawl: their rate, and how many outcomes that counts as.
        self.early: Mapping[int, tuple[float, float]] = {}
        self._is_lasting = lasting
        self._numbers: dict[int, int] = {}

    def add(self, n_groups: int) -> Integers:
        """Return the numbers of new groups without keys."""
        return self.table.add(n_groups)

    def numbers(self, keys: list[int]) -> Integers:
        """Return the numbers of groups by their keys; those that are not known are added."""
        numbers = self._numbers
        with suppress(KeyError):  # most often all are known
            return np.array([numbers[key] for key in keys], dtype=np.int64)
        new = dict.fromkeys([key for key in keys if key not in numbers])
        if new:
            rows = self.table.add(len(new), {"key": list(new)})
            numbers.update(zip(new, rows.tolist(), strict=True))
            if self.early:
                self._remember(list(new), rows)
        return np.array([numbers[key] for key in keys], dtype=np.int64)

    def _remember(self, keys: list[int], rows: Integers) -> None:
        table = self.table
        for key, row in zip(keys, rows.tolist(), strict=True):
            if (known := self.early.get(key)) is not None:
                rate, count = known
                table["early_rate"][row], table["early_count"][row] = rate, count
                # Until the next fit; then it is drawn towards the crawl's rate as all others are.
                table["rate"][row] = rate * count / (count + PRIOR_OUTCOMES)

    def join(self, groups: Integers) -> None:
        """Count members."""
        np.add.at(self.table["n_members"], groups, 1)

    def leave(self, groups: Integers, outcomes: Floats) -> None:
        """Count members off, and keep what came of them: the outcome of each, NaN of those without."""
        table, has_outcome = self.table, ~np.isnan(outcomes)
        np.add.at(table["past_sum"], groups[has_outcome], outcomes[has_outcome])
        np.add.at(table["past_count"], groups[has_outcome], 1.0)
        members = table["n_members"]
        np.subtract.at(members, groups, 1)
        if not self._is_lasting:
            empty = np.unique(groups[members[groups] == 0])
            if self._numbers:  # some kinds have no keys
                deque(map(self._numbers.pop, table["key"][empty].tolist()), maxlen=0)
            table.free(empty)
