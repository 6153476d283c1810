"""What other workers have learnt is learnt between pages: bit by bit, and never while a page is judged."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING

from focused.frontier import learning_from_others
from focused.frontier.learning_from_others import LearningFromOthers
from focused.utils.reactor import FifoLock, yield_to_reactor

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator


class Session(SimpleNamespace):
    """Notes what it hears; `b"bad"` is no record."""

    def learn_from_others(self, records: list[bytes]) -> Generator[int, None, int]:
        for record in records:
            for _ in range(self.n_steps if record != b"bad" else 0):
                self.heard.append((record, self.turn.is_taken))
                yield 1
        return records.count(b"bad")


class Stats(Counter):
    def inc_value(self, name: str, count: int = 1) -> None:
        self[name] += count


def made(n_steps: int = 1) -> LearningFromOthers:
    turn = FifoLock()
    session = Session(heard=[], turn=turn, n_steps=n_steps)
    hearing = LearningFromOthers(session, turn, Stats())  # type: ignore[arg-type]
    hearing.heard, hearing.turn, hearing.stats = session.heard, turn, hearing._stats  # type: ignore[attr-defined]
    return hearing


def run(task: Callable[[LearningFromOthers], Coroutine[None, None, None]], hearing: LearningFromOthers) -> None:
    async def to_its_end() -> None:
        await task(hearing)
        hearing.close()
        await until(lambda: not hearing._is_learning)

    asyncio.run(asyncio.wait_for(to_its_end(), 60))


async def until(true: Callable[[], bool]) -> None:
    while not true():
        await asyncio.sleep(0.001)


def test_records_wait_while_a_page_is_judged_and_no_page_is_judged_while_one_is_learnt():
    async def task(hearing: LearningFromOthers) -> None:
        async with hearing.turn:
            hearing.put([b"a", b"b"])
            for _ in range(5):
                await yield_to_reactor()
            assert hearing.heard == []
        await until(lambda: len(hearing.heard) == 2)
        assert hearing.heard == [(b"a", True), (b"b", True)]
        await until(lambda: not hearing.turn.is_taken)

    run(task, made())


def test_a_record_of_many_steps_lets_the_reactor_have_its_turn(monkeypatch):
    monkeypatch.setattr(learning_from_others, "_SLICE_SECS", 1e-9)

    async def task(hearing: LearningFromOthers) -> None:
        hearing.put([b"a"])
        turns = 0
        while len(hearing.heard) < 20:
            await yield_to_reactor()
            turns += 1
        assert turns >= 10

    run(task, made(n_steps=20))


def test_learning_takes_a_share_of_the_time(monkeypatch):
    def slowly(self: Session, records: list[bytes]) -> Generator[int, None, int]:
        yield 1
        time.sleep(0.02)
        return 0

    monkeypatch.setattr(Session, "learn_from_others", slowly)
    n_records = 3 * learning_from_others._AT_ONCE

    async def task(hearing: LearningFromOthers) -> None:
        began = time.monotonic()
        hearing.put([b"a"] * n_records)
        await until(lambda: hearing.stats["focused/workers/heard_count"] == n_records)
        assert time.monotonic() - began >= 2 * 0.02 / learning_from_others._SHARE

    run(task, made())


def test_more_is_wanted_when_half_of_it_is_learnt():
    async def task(hearing: LearningFromOthers) -> None:
        most = hearing.n_wanted
        async with hearing.turn:
            hearing.put([b"a"] * (most // 2 + 1))
            assert hearing.n_wanted == 0
        await until(lambda: hearing.n_wanted > 0)
        assert hearing.take_news()

    run(task, made())


def test_what_is_no_record_is_counted_and_the_others_are_learnt():
    async def task(hearing: LearningFromOthers) -> None:
        hearing.put([b"bad", b"a"])
        await until(lambda: len(hearing.heard) == 1)
        await yield_to_reactor()
        assert hearing.stats == {"focused/workers/heard_count": 1, "focused/workers/not_heard_count": 1}

    run(task, made())


def test_nothing_is_learnt_after_the_end(monkeypatch):
    monkeypatch.setattr(learning_from_others, "_SHARE", 1e-9)  # after the first slice it would rest for days

    async def task(hearing: LearningFromOthers) -> None:
        hearing.put([b"a"])
        await until(lambda: hearing._rest is not None)
        hearing.put([b"b"])
        hearing.close()
        await until(lambda: not hearing._is_learning)
        hearing.put([b"c"])
        await yield_to_reactor()
        assert hearing.heard == [(b"a", True)]
        assert hearing.n_wanted == 0

    run(task, made())
