"""Heaps of threads are shared where the C library knows how, and nothing happens elsewhere."""

from __future__ import annotations

import pytest

from focused.utils import heaps


@pytest.mark.parametrize("error", [OSError, AttributeError])
def test_another_c_library_is_left_as_it_is(monkeypatch, error):
    def library(name: None) -> None:
        raise error

    monkeypatch.setattr(heaps.ctypes, "CDLL", library)
    heaps.share_heaps()


def test_the_c_library_is_told_how_many_heaps_threads_share(monkeypatch):
    told = []

    class Library:
        def __init__(self, name: None) -> None:
            self.mallopt = lambda parameter, value: told.append((parameter, value))

    monkeypatch.setattr(heaps.ctypes, "CDLL", Library)
    heaps.share_heaps(3)
    assert told == [(-8, 3)]  # M_ARENA_MAX of glibc's malloc.h
