"""Finds the seeds that links were reached from, for a session that learns anew from pages of several workers.

Its own pages are there at once, those of other workers come again one by one. Their links are found anew by then, but not the
seeds that they were reached from: a page may come before the one that links to it. And pages count for their seed once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from focused.method.strategies.linkmodel.key_numbers import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from focused.method.strategies.linkmodel.growing_table import GrowingTable
    from focused.method.strategies.linkmodel.key_numbers import KeyNumbers


class FormerSeeds:
    """Keeps the columns ``start`` and ``branch`` of links that are to come, by their keys, and which pages were counted."""

    def __init__(self) -> None:
        self._seeds: dict[int, tuple[int, int]] = {}
        self._counted: set[int] = set()

    def keep(self, known: KeyNumbers, former: KeyNumbers, links: GrowingTable, earlier: FormerSeeds) -> None:
        """Keep those of a former memory's ``links`` that are not ``known`` yet, and what that memory kept itself."""
        keys, rows = former.items()
        to_come = known.numbers(keys.tolist()) == UNKNOWN
        seeds = zip(links["start"][rows[to_come]].tolist(), links["branch"][rows[to_come]].tolist(), strict=True)
        self._seeds = earlier._seeds | dict(zip(keys[to_come].tolist(), seeds, strict=True))
        self._counted = earlier._counted | set(keys[~np.isnan(links["outcome"][rows])].tolist())

    def restore(self, keys: Iterable[int], rows: npt.NDArray[np.int64], links: GrowingTable) -> None:
        """Set the columns of new links, which are not kept any longer."""
        if self._seeds:
            for key, row in zip(keys, rows.tolist(), strict=True):
                if (seeds := self._seeds.pop(key, None)) is not None:
                    links["start"][row], links["branch"][row] = seeds

    def has_counted(self, urls: Iterable[str]) -> bool:
        """Tell whether a page that some URLs led to was counted for its seed before."""
        return bool(self._counted) and not self._counted.isdisjoint(map(hash, urls))
