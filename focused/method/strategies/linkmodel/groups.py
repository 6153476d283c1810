"""Groups that links belong to. Each has a number and a key, and is forgotten together with its last member."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.strategies.linkmodel.growing_table import GrowingTable
from focused.method.strategies.linkmodel.key_numbers import UNKNOWN, KeyNumbers

if TYPE_CHECKING:
    from collections.abc import Mapping

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

PRIOR_OUTCOMES = 3.0
"""Outcomes that the crawl's mean counts as in the rate of each group: shrinkage."""


class Groups:
    """Groups of one kind. A group's number is its row of ``table``; it is reused when the group is forgotten.

    Further columns of the table are as of :class:`GrowingTable`. Groups without members are kept if `keeps_empty`.
    """

    def __init__(self, *, reserve: int = 1024, keeps_empty: bool = False, **columns: tuple[Any, float, int]) -> None:
        #: ``past_sum`` and ``past_count`` are of the outcomes of forgotten links. ``rate`` is of the model's last fit, a
        #: difference of logits. ``prior_rate`` and ``prior_count`` were known before the crawl.
        self.table = GrowingTable(
            reserve, key=(np.int64, 0, 0), n_members=(np.int32, 0, 0), rate=(np.float64, 0, 0),
            past_sum=(np.float64, 0, 0), past_count=(np.float64, 0, 0),
            prior_rate=(np.float64, 0, 0), prior_count=(np.float64, 0, 0), **columns,
        )  # fmt: skip
        #: What was known of groups before the crawl, by key: their rate, and how many outcomes that counts as.
        self.prior_rates: Mapping[int, tuple[float, float]] = {}
        self._keeps_empty = keeps_empty
        self._numbers = KeyNumbers()

    def add(self, n_groups: int) -> Integers:
        """Return the numbers of new groups without keys."""
        return self.table.add(n_groups)

    def numbers(self, keys: list[int]) -> Integers:
        """Return the numbers of groups by their keys; unknown groups are added."""
        numbers = self._numbers.numbers(keys)
        unknown = np.flatnonzero(numbers == UNKNOWN).tolist()
        if unknown:
            new = list(dict.fromkeys([keys[place] for place in unknown]))
            rows = self.table.add(len(new), {"key": new})
            self._numbers.add(new, rows)
            if self.prior_rates:
                self._set_prior_rates(new, rows)
            numbers[unknown] = self._numbers.numbers([keys[place] for place in unknown])
        return numbers

    def _set_prior_rates(self, keys: list[int], rows: Integers) -> None:
        table = self.table
        for key, row in zip(keys, rows.tolist(), strict=True):
            if (known := self.prior_rates.get(key)) is not None:
                rate, count = known
                table["prior_rate"][row], table["prior_count"][row] = rate, count
                # Valid until the next fit, which draws it towards the crawl's rate like all others.
                table["rate"][row] = rate * count / (count + PRIOR_OUTCOMES)

    def add_members(self, groups: Integers) -> None:
        """Count one more member of each of these groups."""
        np.add.at(self.table["n_members"], groups, 1)

    def remove_members(self, groups: Integers, outcomes: Floats) -> None:
        """Count one member less of each of these groups; keep its outcome among those of forgotten links, if it has one."""
        table, has_outcome = self.table, ~np.isnan(outcomes)
        np.add.at(table["past_sum"], groups[has_outcome], outcomes[has_outcome])
        np.add.at(table["past_count"], groups[has_outcome], 1.0)
        members = table["n_members"]
        np.subtract.at(members, groups, 1)
        if not self._keeps_empty:
            empty = np.unique(groups[members[groups] == 0])
            if len(self._numbers):  # some kinds have no keys
                self._numbers.remove(table["key"][empty])
            table.free(empty)
