"""What takes long is done in turns: others come in between, and what must not be mixed is done one by one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from focused.utils.reactor import FifoLock, in_turns, yield_to_reactor

if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator


def run(*tasks: Coroutine[Any, Any, Any]) -> list[Any]:
    async def together() -> list[Any]:
        return await asyncio.wait_for(asyncio.gather(*tasks), 10)

    return asyncio.run(together())


def test_others_come_between_any_two_steps():
    events = []

    def steps(name: str) -> Generator[None, None, str]:
        for number in range(3):
            events.append(f"{name}{number}")
            yield
        return name

    assert run(in_turns(steps("a")), in_turns(steps("b"))) == ["a", "b"]
    assert events == ["a0", "b0", "a1", "b1", "a2", "b2"]


def test_whoever_comes_later_waits_for_all_that_came_before_and_who_finds_it_free_for_nobody():
    one_by_one, events = FifoLock(), []

    async def work(name: str, n_turns: int) -> None:
        async with one_by_one:
            for number in range(n_turns):
                events.append(f"{name}{number}")
                await yield_to_reactor()
            events.append(name)

    async def again() -> None:
        for _ in range(6):
            await yield_to_reactor()
        await work("late", 0)

    run(work("a", 3), work("b", 0), work("c", 2), again())
    assert events == ["a0", "a1", "a2", "a", "b", "c0", "c1", "c", "late"]
    assert not one_by_one.is_taken

    async def is_free() -> list[str]:
        before = len(events)
        asyncio.get_running_loop().call_soon(events.append, "another turn")
        async with one_by_one:
            return events[before:]

    assert run(is_free()) == [[]]


def test_who_fails_or_is_cancelled_keeps_nobody_waiting():
    one_by_one, done = FifoLock(), []

    async def fails() -> None:
        async with one_by_one:
            await yield_to_reactor()
            raise ValueError("on purpose")

    async def works() -> None:
        async with one_by_one:
            done.append(True)

    async def together() -> None:
        failing, waiting, last = (asyncio.ensure_future(each) for each in (fails(), works(), works()))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait_for(last, 10)
        assert waiting.cancelled()
        with pytest.raises(ValueError, match="on purpose"):
            await failing

    asyncio.run(together())
    assert done == [True]
    assert not one_by_one.is_taken


def test_who_was_cancelled_when_it_was_his_turn_hands_it_on():
    one_by_one, done = FifoLock(), []

    async def works(task: str) -> None:
        async with one_by_one:
            done.append(task)

    async def together() -> None:
        async with one_by_one:
            cancelled, last = asyncio.ensure_future(works("cancelled")), asyncio.ensure_future(works("last"))
            await asyncio.sleep(0)
        cancelled.cancel()  # it was told, but has not begun
        await asyncio.wait_for(last, 10)

    asyncio.run(together())
    assert done == ["last"]
    assert not one_by_one.is_taken


def test_whoever_waits_until_it_is_free_is_told_when_all_are_through():
    one_by_one, events = FifoLock(), []

    async def work(name: str) -> None:
        async with one_by_one:
            await yield_to_reactor()
            events.append(name)

    async def watch(name: str) -> None:
        await yield_to_reactor()
        await one_by_one.wait_free()
        assert not one_by_one.is_taken
        events.append(name)

    run(work("a"), watch("first"), watch("second"), work("b"))
    assert events == ["a", "b", "first", "second"]
