"""Work that takes longer than one page may: a portion of it is done with each page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PORTION = 1_000_000
"""Rows of tables that are dealt with after each page: some 30 ms. It counts rows, not time, so that the same pages teach the
same. In a crawl of up to some thousand pages a fit is done within one page."""


class WorkInPortions:
    """At most one piece of work is under way: an iterator whose steps each yield about how many rows it dealt with."""

    def __init__(self) -> None:
        self._steps: Iterator[int] | None = None

    @property
    def is_under_way(self) -> bool:
        """Whether some of the work is left."""
        return self._steps is not None

    def begin(self, steps: Iterator[int]) -> None:
        """Begin a piece of work; nothing of it is done yet."""
        self._steps = steps

    def do_portion(self) -> None:
        """Do one portion of the work under way, if there is any."""
        n_rows = 0
        for n in self._steps or ():
            n_rows += n
            if n_rows >= PORTION:
                return
        self._steps = None
