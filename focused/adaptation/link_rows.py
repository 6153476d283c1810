"""Tables of numbers that grow row by row: arrays with room at the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


class Rows:
    """Named columns of one length.

    Parameters
    ----------
    **columns
        Of each column its type, what a new row holds, and how many numbers that are: 0 for one that is no array.
    """

    def __init__(self, **columns: tuple[Any, float, int]) -> None:
        self._kinds = columns
        self._n = 0
        self._columns = {name: self._empty(name, 1024) for name in columns}

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """Return a column, shape (n_rows,) or (n_rows, width), to read and to write."""
        return self._columns[name][: self._n]

    def add(self, n_rows: int, **values: npt.ArrayLike) -> slice:
        """Add rows and return where they are; columns that are not named hold what new rows hold."""
        start, self._n = self._n, self._n + n_rows
        room = len(next(iter(self._columns.values())))
        if self._n > room:
            for name, column in self._columns.items():
                larger = self._empty(name, max(2 * room, self._n))
                larger[:start] = column[:start]
                self._columns[name] = larger
        added = slice(start, self._n)
        for name, value in values.items():
            self._columns[name][added] = value
        return added

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Keep some rows only."""
        n_rows = int(kept.sum())
        for name, column in self._columns.items():
            smaller = self._empty(name, max(n_rows, 1024))
            smaller[:n_rows] = column[: self._n][kept]
            self._columns[name] = smaller
        self._n = n_rows

    def _empty(self, name: str, n_rows: int) -> npt.NDArray[Any]:
        kind, value, width = self._kinds[name]
        return np.full((n_rows, width) if width else n_rows, value, dtype=kind)
