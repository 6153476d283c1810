"""Work in steps: a generator that yields where others may have their turn, and returns what it has found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

T = TypeVar("T")


class Steps(Generic[T]):
    """Steps to be done one by one, each time round a loop.

    Attributes
    ----------
    found
        What came out; there when the loop is over.
    """

    found: T

    def __init__(self, steps: Generator[Any, Any, T]) -> None:
        self._steps = steps

    def __iter__(self) -> Iterator[Any]:
        """Do one step after the other."""
        self.found = yield from self._steps


def finish(steps: Generator[Any, Any, T]) -> T:
    """Do all steps in one go, and return what comes out.

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
    return work.found
