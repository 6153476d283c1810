"""Moves of waiting links on their way to the database."""

from __future__ import annotations

import pytest
from stores import link

from focused.frontier.shared import held_moves
from focused.frontier.shared.held_moves import HELD_SECS, HeldMoves
from focused.frontier.shared.link_rows import waiting_from
from focused.frontier.shared.page import Move
from focused.frontier.shared.recent_changes import RecentChanges


@pytest.fixture
def clock(monkeypatch):
    """The time of day, to be set."""
    times = [100.0]
    monkeypatch.setattr(held_moves, "now", lambda: times[-1])
    return times


def test_only_the_last_move_of_a_link_is_written_and_none_of_one_that_ended(clock):
    held = HeldMoves()
    held.add([Move(1, "a.example", 0.5), Move(2, "a.example", 0.5)])
    held.add([Move(1, "a.example", 0.75)])
    held.drop(2)
    held.drop(3)
    assert held.take(all_at_once=True) == [Move(1, "a.example", 0.75)]
    assert not held


def test_a_move_is_held_no_longer_than_its_time_though_others_come(clock):
    held = HeldMoves()
    held.add([Move(1, "a.example", 0.5)])
    clock.append(100.0 + HELD_SECS / 2)
    held.add([Move(2, "a.example", 0.5)])
    assert held.take() == []
    clock.append(100.0 + HELD_SECS)
    assert [move.fingerprint for move in held.take()] == [1, 2]


def test_many_moves_are_written_at_once(clock):
    held = HeldMoves()
    held.add(Move(number, "a.example", 0.5) for number in range(held_moves._MOST))
    assert len(held.take()) == held_moves._MOST


def test_a_link_that_has_ended_is_not_moved_by_what_was_held_of_it():
    recent = RecentChanges()
    found = waiting_from(link("a.example/one", 0.5), "a.example", 7)
    recent.note_move(Move(found.number, "a.example", 0.75))
    recent.end(found.number)
    recent.end_written(found.number, 1)
    recent.apply(found)
    assert found.rank == 7
    recent.forget(1)
    assert len(recent) == 0
