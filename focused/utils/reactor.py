"""Turns of the reactor: what takes long is done in steps, and everything else that is due happens in between."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from focused.utils.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Generator

T = TypeVar("T")


async def yield_to_reactor() -> None:
    """Let everything else happen that is due."""
    is_over: Deferred[None] = Deferred()
    call_later(0, is_over.callback, None)
    await maybe_deferred_to_future(is_over)


async def in_turns(steps: Generator[Any, Any, T]) -> T:
    """Do one step in each turn of the reactor, and return what comes out."""
    work = Steps(steps)
    for _ in work:
        await yield_to_reactor()
    return work.found


class FifoLock:
    """What is done ``async with`` it is done by one at a time, in the order in which they came, however many turns it takes.

    Who finds it free is not made to wait a turn.

    Attributes
    ----------
    is_taken : bool
        Whether somebody is at it.
    """

    def __init__(self) -> None:
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
        except BaseException:  # whoever waits no more: the crawl ends
            if mine in self._waiting:
                self._waiting.remove(mine)
            else:
                self._leave()
            raise

    async def __aexit__(self, *exception: object) -> None:
        self._leave()

    async def free(self) -> None:
        """Wait until nobody is at it, nor is about to be."""
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
