"""Numbers of keys in a tenth of the memory of a dictionary: the newest in a dictionary, all others in sorted arrays."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable

Integers = npt.NDArray[np.int64]

MAX_RECENT = 16_384
"""Keys in the dictionary, about 110 bytes each, before they are sorted in with the others, 12 bytes each."""

UNKNOWN = -1
"""The number of a key that has none."""


class KeyNumbers:
    """Numbers from 0 to 2^31 - 1 of keys that fit 64 bits, as a dictionary has them."""

    def __init__(self) -> None:
        self._recent: dict[int, int] = {}
        self._keys = np.empty(0, dtype=np.int64)  # sorted, each once
        self._numbers = np.empty(0, dtype=np.int32)  # of these keys; UNKNOWN where one was removed
        self._n_removed = 0

    def __len__(self) -> int:
        """Return how many keys have a number."""
        return len(self._recent) + len(self._keys) - self._n_removed

    def get(self, key: int) -> int | None:
        """Return the number of a key; None if it has none."""
        number = self._recent.get(key)
        if number is None and len(self._keys):
            [found] = self._sorted_numbers(np.array([key], dtype=np.int64)).tolist()
            number = None if found == UNKNOWN else found
        return number

    def numbers(self, keys: list[int]) -> Integers:
        """Return the number of each key, shape (n_keys,); ``UNKNOWN`` for a key that has none."""
        recent = self._recent
        with suppress(KeyError):  # most often all are recent
            return np.array([recent[key] for key in keys], dtype=np.int64)
        numbers = np.array([recent.get(key, UNKNOWN) for key in keys], dtype=np.int64)
        if len(self._keys):
            others = np.flatnonzero(numbers == UNKNOWN)
            numbers[others] = self._sorted_numbers(np.array(keys, dtype=np.int64)[others])
        return numbers

    def add(self, keys: Iterable[int], numbers: Integers) -> None:
        """Give numbers to keys that have none; each key is named once."""
        self._recent.update(zip(keys, numbers.tolist(), strict=True))
        # The sorted ones are copied once for each eighth by which they grow: the time for each key does not grow with them.
        if len(self._recent) > max(MAX_RECENT, len(self._keys) // 8):
            self._sort_in()

    def remove(self, keys: Integers) -> None:
        """Forget keys. Each has a number, and is named once."""
        recent = self._recent
        is_sorted = np.array([recent.pop(key, None) is None for key in keys.tolist()], dtype=np.bool_)
        places = np.searchsorted(self._keys, keys[is_sorted])
        self._numbers[places] = UNKNOWN
        self._n_removed += len(places)

    def items(self) -> tuple[Integers, Integers]:
        """Return all keys, and the number of each: arrays of one length."""
        is_kept = self._numbers != UNKNOWN
        recent = np.array(list(self._recent.items()), dtype=np.int64).reshape(-1, 2)
        return (
            np.concatenate([self._keys[is_kept], recent[:, 0]]),
            np.concatenate([self._numbers[is_kept], recent[:, 1].astype(np.int32)]).astype(np.int64),
        )

    def _sorted_numbers(self, keys: Integers) -> Integers:
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[places] == keys, self._numbers[places], UNKNOWN).astype(np.int64)

    def _sort_in(self) -> None:
        keys, numbers = self.items()
        order = np.argsort(keys)
        self._keys, self._numbers = keys[order], numbers[order].astype(np.int32)
        self._recent, self._n_removed = {}, 0
