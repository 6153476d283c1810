"""Hands what other workers of a crawl have learnt to this worker's session, between its own pages."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from focused.utils.reactor import yield_to_reactor
from focused.utils.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.statscollectors import StatsCollector

    from focused.method.scoring.session import Session
    from focused.utils.reactor import FifoLock

_MOST_WAITING = 128
"""Records in memory. As long as more than half of them wait, no more are read."""
_AT_ONCE = 16
"""Records that a session learns from together: two thirds of the time of one after the other, and some milliseconds."""
_SLICE_SECS = 0.01
_SHARE = 0.2
"""The most of the reactor's time that learning takes. A page of the demo web takes a tenth of what its own worker needs."""
_HEARD = "focused/workers/heard_count"
_NOT_HEARD = "focused/workers/not_heard_count"


class LearningFromOthers:
    """Lets a session learn from records of other workers: some milliseconds at a time, never while a page is judged.

    ``turn`` is held while a page is judged, or a record learnt.

    Stats: ``focused/workers/heard_count``, ``focused/workers/not_heard_count``.
    """

    def __init__(self, session: Session, turn: FifoLock, stats: StatsCollector) -> None:
        self._session, self._turn, self._stats = session, turn, stats
        self._records: deque[bytes] = deque()
        self._is_learning = self._is_closed = False
        self._rest: Deferred[None] | None = None
        self._has_learnt = False

    @property
    def n_wanted(self) -> int:
        """How many more records are wanted."""
        n_free = _MOST_WAITING - len(self._records)
        return n_free if n_free >= _MOST_WAITING // 2 and not self._is_closed else 0

    @property
    def is_idle(self) -> bool:
        """Whether the session has learnt from all records that have come."""
        return not (self._records or self._is_learning or self._is_closed)

    def put(self, records: Iterable[bytes]) -> None:
        """Add records; the session learns from them in later turns of the reactor."""
        self._records.extend(records)
        if self._records and not (self._is_learning or self._is_closed):
            self._is_learning = True
            deferred_from_coro(self._learn())

    def leave_out(self) -> None:
        """Count a record that this worker cannot learn from."""
        self._stats.inc_value(_NOT_HEARD)

    def forget(self) -> None:
        """Forget what has not been learnt: it is of another version of the model."""
        self._records.clear()

    def take_news(self) -> bool:
        """Tell, once, whether the session has learnt anything since the last call."""
        has_learnt, self._has_learnt = self._has_learnt, False
        return has_learnt

    def close(self) -> None:
        """Learn nothing more."""
        self._is_closed = True
        self._records.clear()
        self._end_pause()

    async def _learn(self) -> None:
        try:
            while self._records:
                async with self._turn:
                    began, secs = time.perf_counter(), 0.0
                    while self._records and secs < _SLICE_SECS:
                        n_records = min(_AT_ONCE, len(self._records))
                        await self._learn_from([self._records.popleft() for _ in range(n_records)])
                        secs = time.perf_counter() - began
                await self._pause(secs * (1 / _SHARE - 1))
        finally:
            self._is_learning = False

    async def _learn_from(self, records: list[bytes]) -> None:
        """Learn from some records; if these have many links, in several turns of the reactor."""
        began = time.perf_counter()
        hearing = Steps(self._session.learn_from_others(records))
        for _ in hearing:
            if time.perf_counter() - began >= _SLICE_SECS:
                await yield_to_reactor()
                began = time.perf_counter()
        n_bad = hearing.result
        if n_bad:
            self._stats.inc_value(_NOT_HEARD, n_bad)
        if n_bad < len(records):
            self._has_learnt = True
            self._stats.inc_value(_HEARD, len(records) - n_bad)

    async def _pause(self, secs: float) -> None:
        if self._is_closed:
            return
        self._rest = Deferred()
        call = call_later(secs, self._end_pause)
        await maybe_deferred_to_future(self._rest)
        call.cancel()

    def _end_pause(self) -> None:
        rest, self._rest = self._rest, None
        if rest is not None:
            rest.callback(None)
