"""`BackgroundWork`: does work that takes seconds in a thread, while the view that wants it answers."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

ANSWER_SECS = 0.12
"""Seconds for which a view waits for such work: enough for most runs; 100,000 pages take some seconds."""

ONE = Lock()
"""Held while a run is read: two at a time would take no less time, and twice the memory."""

T = TypeVar("T")


class BackgroundWork(Generic[T]):
    """Does work in a thread, one piece after the other, and each once at a time: more threads would only slow the views."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="background")
        self._under_way: dict[Hashable, Future[T]] = {}
        self._lock = Lock()

    def get(self, key: Hashable, work: Callable[[], T]) -> T | None:
        """Return what the work returns, or raise what it raises; None while it is under way: ask again in a moment."""
        with self._lock:
            future = self._under_way.get(key)
            if future is None:
                future = self._under_way[key] = self._executor.submit(_alone, work)
        if not wait([future], ANSWER_SECS).done:
            return None
        with self._lock:
            if self._under_way.get(key) is future:
                del self._under_way[key]
        return future.result()


def _alone(work: Callable[[], T]) -> T:
    with ONE:
        return work()
