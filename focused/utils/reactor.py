"""Share the reactor: long work is done in steps, and other events are handled in between."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy.utils.asyncio import call_later, is_asyncio_available
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

from focused.utils.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

T = TypeVar("T")


async def yield_to_reactor() -> None:
    """Let the reactor handle all other due events."""
    is_over: Deferred[None] = Deferred()
    call_later(0, is_over.callback, None)
    await maybe_deferred_to_future(is_over)


async def in_turns(steps: Generator[Any, Any, T]) -> T:
    """Do one step in each turn of the reactor, and return the generator's result."""
    work = Steps(steps)
    for _ in work:
        await yield_to_reactor()
    return work.result


def in_thread(function: Callable[..., T], *arguments: Any) -> Deferred[T]:
    """Call a function in a thread. Not always in one of Twisted's: evaluations run a loop whose reactor starts none."""
    if is_asyncio_available():
        return deferred_from_coro(asyncio.to_thread(function, *arguments))
    return deferToThread(function, *arguments)


class LaterCall:
    """Calls a coroutine function some seconds after it is scheduled. Until then, scheduling it again changes nothing."""

    def __init__(self, secs: float, function: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._secs, self._function = secs, function
        self._call: Any = None

    def schedule(self) -> None:
        """Schedule the call, unless it is scheduled already."""
        if self._call is None:
            self._call = call_later(self._secs, self._begin)

    def cancel(self) -> None:
        """Cancel the call, if it is scheduled."""
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _begin(self) -> None:
        self._call = None
        deferred_from_coro(self._function())


class FifoLock:
    """An asynchronous lock that is granted in the order of requests; if it is free, without a turn of the reactor."""

    def __init__(self) -> None:
        #: Whether the lock is held.
        self.is_taken = False
        self._waiting: deque[Deferred[None]] = deque()
        self._watching: list[Deferred[None]] = []

    async def __aenter__(self) -> None:
        if not self.is_taken:
            self.is_taken = True
            return
        mine: Deferred[None] = Deferred()
        self._waiting.append(mine)
        try:
            await maybe_deferred_to_future(mine)
        except BaseException:  # the waiting was cancelled: the crawl ends
            if mine in self._waiting:
                self._waiting.remove(mine)
            else:
                self._leave()
            raise

    async def __aexit__(self, *exception: object) -> None:
        self._leave()

    async def wait_free(self) -> None:
        """Wait until the lock is neither held nor waited for."""
        while self.is_taken:
            mine: Deferred[None] = Deferred()
            self._watching.append(mine)
            await maybe_deferred_to_future(mine)

    def _leave(self) -> None:
        if self._waiting:
            self._waiting.popleft().callback(None)
            return
        self.is_taken = False
        watching, self._watching = self._watching, []
        for each in watching:
            each.callback(None)
