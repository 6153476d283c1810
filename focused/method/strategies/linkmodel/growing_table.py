"""Tables of numbers that grow row by row: arrays with spare rows at the end, whose freed rows are reused."""

from __future__ import annotations

import math
import mmap
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Integers = npt.NDArray[np.int64]

_MAX_RESERVE = 500_000
_PAGES_OF_ITS_OWN = 1 << 16
"""Bytes from which a column is mapped. A smaller one may take memory that was freed before, which is then filled with zeros
at once; of a large one that would be memory for rows that may never come. Most columns of a crawl's first rows have between
this and a megabyte: 17 MB together, which a crawl of 26 pages filled for nothing (4,400 of its 15,000 page faults)."""


class GrowingTable:
    """Named columns of one length: of each its type, the value of a new row, and its width, 0 for single numbers.

    Reserved rows take no memory before they are used, and nothing is copied until there are more. New rows take the places of
    freed ones while ``reuses`` is true; else all are added at the end.
    """

    def __init__(self, reserve: int = 1024, **columns: tuple[Any, float, int]) -> None:
        self._kinds = columns
        self._n = 0
        self._columns = {name: self._zeros(name, min(max(reserve, 1024), _MAX_RESERVE)) for name in columns}
        # Columns as far as rows are in use, as they were asked for since rows were added last.
        self._in_use: dict[str, npt.NDArray[Any]] = {}
        self._free: list[int] = []
        # The columns whose new rows are not zero, and what they hold instead; NaN is not zero either.
        self._empty = [(name, empty) for name, (_, empty, _) in columns.items() if empty != 0]
        self.reuses = True

    def __len__(self) -> int:
        """Return how many rows are in use."""
        return self._n - len(self._free)

    @property
    def size(self) -> int:
        """Length of the columns: rows in use and free ones."""
        return self._n

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """Return a column, shape (size,) or (size, width), to read and to write; free rows hold what new ones do."""
        found = self._in_use.get(name)
        if found is None:
            found = self._in_use[name] = self._columns[name][: self._n]
        return found

    def at(self, name: str, row: int) -> Any:
        """Return what a row has in a column, as a plain number: a third of the time of a look at the column."""
        return self._columns[name].item(row)

    def row(self, name: str, row: int) -> npt.NDArray[Any]:
        """Return what a row has in a column that holds several numbers, shape (width,)."""
        found: npt.NDArray[Any] = self._columns[name][row]
        return found

    def add(self, n_rows: int, values: Mapping[str, npt.ArrayLike] | None = None) -> Integers:
        """Add rows and return their numbers; columns that are not named hold what new rows hold."""
        n_reused = min(n_rows, len(self._free)) if self.reuses else 0
        start, self._n = self._n, self._n + n_rows - n_reused
        if self._n > start:
            self._in_use.clear()
        columns = self._columns
        capacity = len(next(iter(columns.values())))
        if self._n > capacity:
            for name, column in columns.items():
                larger = self._zeros(name, max(capacity + capacity // 2, self._n))
                larger[:start] = column[:start]
                columns[name] = larger
        for name, empty in self._empty:
            columns[name][start : self._n] = empty
        added = np.arange(start, self._n)
        at: Integers | slice = slice(start, self._n)  # cheaper than numbers
        if n_reused:
            reused = np.array(self._free[-n_reused:], dtype=np.int64)
            del self._free[-n_reused:]
            at = added = np.concatenate((reused, added))
        for name, value in (values or {}).items():
            columns[name][at] = value
        return added

    def free(self, rows: Integers) -> None:
        """Free rows that are in use, so that they can be reused."""
        for name, (_, value, _) in self._kinds.items():
            self._columns[name][rows] = value
        self._free.extend(rows.tolist())

    def _zeros(self, name: str, n_rows: int) -> npt.NDArray[Any]:
        kind, _, width = self._kinds[name]
        shape = (n_rows, width) if width else (n_rows,)
        n_bytes = math.prod(shape) * np.dtype(kind).itemsize
        if n_bytes < _PAGES_OF_ITS_OWN or not hasattr(mmap, "MAP_PRIVATE"):  # Windows
            return np.zeros(shape, dtype=kind)
        pages = mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        return np.frombuffer(pages, dtype=kind).reshape(shape)


def padded(columns: Sequence[Sequence[int]], width: int) -> tuple[npt.NDArray[np.int32], Integers]:
    """Return lists of columns as the rows of a table, filled up with 0, and their lengths, at least 1."""
    lengths = np.fromiter(map(len, columns), np.int64, len(columns))
    found = np.zeros((len(columns), width), dtype=np.int32)
    found[np.arange(width) < lengths[:, None]] = np.fromiter(chain.from_iterable(columns), np.int32, lengths.sum())
    return found, np.maximum(lengths, 1)
