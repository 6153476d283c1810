"""Rates of groups: how often links of each group led to relevant pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from focused.method.strategies.linkmodel.groups import PRIOR_OUTCOMES
from focused.method.strategies.linkmodel.memory_tables import EVIDENCE_GROUPS, LINK_GROUPS
from focused.method.strategies.linkmodel.page_links import logit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.method.strategies.linkmodel.memory import LinkMemory

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

ROWS_AT_A_TIME = 2**15


def slices(start: int, stop: int) -> Iterator[slice]:
    """Yield slices of some ten thousand rows."""
    for first in range(start, stop, ROWS_AT_A_TIME):
        yield slice(first, min(first + ROWS_AT_A_TIME, stop))


class Rates:
    """How often links of each group led to relevant pages, from the outcome of each link, NaN of links without.

    The memory must be held while this is in use. `mean` is the crawl's mean outcome, in (0, 1). Each outcome counts as
    `certainty` of one, above 0 and at most 1.
    """

    def __init__(self, memory: LinkMemory, values: Floats, mean: float, certainty: float = 1.0) -> None:
        self._memory = memory
        self._strength = PRIOR_OUTCOMES / certainty
        self._values = values
        self._mean = mean
        self.n_rows = memory.evidence.size
        #: Of each kind of group: sums and numbers of outcomes.
        self._sums: dict[str, tuple[Floats, Floats]] = {}
        #: Of each kind of group: by how much the logit of its rate differs from the crawl's.
        self.of_groups: dict[str, Floats] = {}

    def count(self) -> Iterator[int]:
        """Sum up outcomes by group; yields the number of rows that a step has dealt with."""
        memory, values = self._memory, self._values
        for name, groups in memory.groups.items():
            early, count = groups.table["prior_rate"], groups.table["prior_count"]
            sums = groups.table["past_sum"] + count * expit(early + logit(self._mean))
            self._sums[name] = sums, groups.table["past_count"] + count
        done = ~np.isnan(values) & (memory.links["n_referrers"][: len(values)] > 0)
        numbers = np.flatnonzero(done)
        for name in LINK_GROUPS:
            self._add(name, memory.links[name][numbers], values[numbers])
        yield len(values)
        for part in slices(0, self.n_rows):
            links = memory.evidence["link"][part]
            rows = np.flatnonzero(done[links])
            of_rows = values[links[rows]]
            for name in EVIDENCE_GROUPS:
                self._add(name, memory.evidence[name][part][rows], of_rows)
            yield 4 * len(rows) + len(links)
        for name, (sums, counts) in self._sums.items():
            self.of_groups[name] = self.rate(sums, counts)
            yield len(sums)

    def _add(self, name: str, groups: Integers, values: Floats) -> None:
        sums, counts = self._sums[name]
        np.add.at(sums, groups, values)
        np.add.at(counts, groups, 1.0)

    def rate(self, sums: Floats, counts: Floats) -> Floats:
        """Return how the logit of a group's rate, drawn towards the crawl's, differs from the crawl's."""
        rate = (sums + self._strength * self._mean) / (counts + self._strength)
        return logit(rate) - logit(self._mean)

    def known(self, name: str) -> tuple[Floats, Floats]:
        """Return by how much the logit of each group's plain rate differs, and the group's number of outcomes."""
        sums, counts = self._sums[name]
        plain = np.divide(sums, counts, out=np.full(len(sums), self._mean), where=counts > 0)
        return logit(plain) - logit(self._mean), counts

    def leave_one_out(self, name: str, groups: Integers, own: Floats) -> Floats:
        """Return the rates of groups without one outcome each."""
        sums, counts = self._sums[name]
        return self.rate(sums[groups] - own, counts[groups] - 1)
