"""Work in steps: a generator yields between steps, so that other work can run, and returns its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

T = TypeVar("T")


class Steps(Generic[T]):
    """Iterates over the steps of a generator and keeps its result, which is there when the loop ends."""

    result: T

    def __init__(self, steps: Generator[Any, Any, T]) -> None:
        self._steps = steps

    def __iter__(self) -> Iterator[Any]:
        """Do the steps one by one."""
        self.result = yield from self._steps


def finish(steps: Generator[Any, Any, T]) -> T:
    """Do all steps at once, and return the result.

    >>> def halves(n):
    ...     first = n // 2
    ...     yield
    ...     return first, n - first
    >>> finish(halves(5))
    (2, 3)
    """
    work = Steps(steps)
    for _ in work:
        pass
    return work.result
