"""Reproducible random numbers for the demo web: the same on every platform and Python version."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")
_MASK = (1 << 64) - 1


def mix(seed: int, *numbers: int) -> int:
    """Hash integers to 64 bits (the finaliser of splitmix64, once a number).

    Python's own ``hash`` does not serve: its result may change with the version.
    """
    state = seed & _MASK
    for number in numbers:
        state = (state ^ (number * 0x9E3779B97F4A7C15)) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        state ^= state >> 31
    return state


def share(state: int) -> float:
    """Turn a 64-bit hash into a number in [0, 1)."""
    return (state >> 11) / 9007199254740992.0


class Dice:
    """A stream of random numbers from one hash.

    Of ``random.Random`` it uses only ``random()``, the one method whose sequence Python guarantees.
    """

    __slots__ = ("random",)

    def __init__(self, state: int) -> None:
        self.random = Random(state).random

    def below(self, n: int) -> int:
        """Draw an integer in [0, n)."""
        return int(self.random() * n)

    def pick(self, items: Sequence[T]) -> T:
        """Draw one item."""
        return items[int(self.random() * len(items))]

    def chance(self, probability: float) -> bool:
        """Say yes with the given probability."""
        return self.random() < probability

    def sample(self, items: Sequence[T], n: int) -> list[T]:
        """Draw up to n different items, in random order."""
        pool = list(items)
        size = len(pool)
        for i in range(min(n, size)):
            j = i + int(self.random() * (size - i))
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:n]

    def permutation(self, n: int) -> Iterator[int]:
        """Iterate over 0 to n - 1 in random order; memory grows with the number drawn, not with n."""
        moved: dict[int, int] = {}
        for i in range(n):
            j = i + int(self.random() * (n - i))
            yield moved.get(j, j)
            moved[j] = moved.pop(i, i)
