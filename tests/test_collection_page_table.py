"""Pages as columns say what was put in, also when there are many, and take little memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from focused.collection.page_table import PageTable, QueuedPage
from focused.collection.random_order import place


def page(number: int, **other) -> QueuedPage:
    known = {"relevance": number / 10_000, "threshold": 0.5, "relevant": number % 3 == 0, "has_text": number % 5 > 0}
    return QueuedPage(number, f"http://h{number % 7}.example/é/{number}\udc80", **{**known, **other})


@pytest.fixture(scope="module")
def table() -> PageTable:
    found = PageTable()
    for number in range(1, 5_001):
        found.put(page(number), is_shown=number % 2 > 0)
    return found


def test_each_page_is_found_by_its_url_and_comes_back_as_it_was(table):
    assert len(table) == 5_000
    for number in (1, 2, 999, 1_001, 1_002, 4_999, 5_000):
        assert table.row_of(page(number).url) == number - 1
        assert table.page(number - 1) == page(number)
    assert "http://h1.example/" not in table
    assert table.row_of(page(5_001).url) is None
    assert list(table.urls())[4_321] == page(4_322).url


def test_columns_are_in_the_order_in_which_pages_came(table):
    numbers = np.arange(1, 5_001)
    assert (table.number == numbers).all()
    assert (table.relevance == numbers / 10_000).all()
    assert (table.relevant == (numbers % 3 == 0)).all()
    assert (table.has_text == (numbers % 5 > 0)).all()
    assert (table.is_shown == (numbers % 2 > 0)).all()


def test_a_page_that_comes_again_keeps_its_row_and_says_what_is_new():
    table = PageTable()
    for number in range(1, 2_000):
        table.put(page(number))
    for number in (5, 1_990):  # among the sorted ones, and among the new ones
        assert table.put(page(number, relevance=0.9, has_text=True), is_shown=False) == number - 1
        assert table.page(number - 1) == page(number, relevance=0.9, has_text=True)
        assert not table.is_shown[number - 1]
    assert len(table) == 1_999


def test_places_follow_the_seed_and_pages_that_come_later():
    table = PageTable()
    table.put(page(1))
    assert table.places("a").tolist() == [place(page(1).url, "a")]
    table.put(page(2))
    assert table.places("a").tolist() == [place(page(number).url, "a") for number in (1, 2)]
    assert table.places("b").tolist() == [place(page(number).url, "b") for number in (1, 2)]


def test_a_page_takes_less_than_two_hundred_bytes():
    tracemalloc.start()
    try:
        table = PageTable()
        before = tracemalloc.get_traced_memory()[0]
        for number in range(1, 5_001):
            table.put(page(number))
        table.places("a")
        assert (tracemalloc.get_traced_memory()[0] - before) / 5_000 < 200
    finally:
        tracemalloc.stop()
