"""A worker's part of the page budget: what it may still ask for, and what it asks of the database."""

from __future__ import annotations

import pytest

from focused.frontier.shared.page_budget import GRANT, PageBudget


@pytest.fixture
def budget():
    found = PageBudget(100)
    found.granted(10, is_return=False)
    return found


def test_without_a_limit_everything_is_left_and_nothing_is_asked_for():
    assert PageBudget(0).left(50) is None
    assert PageBudget(0).tasks(0, is_busy=True) == {}


def test_pages_and_requests_under_way_are_spent_and_links_without_a_page_are_not(budget):
    budget.count_ended(is_page=True)
    budget.count_ended(is_page=False)
    assert budget.left(3) == 6
    budget.count_refused(was_page=True)  # another worker had fetched it
    assert budget.left(3) == 7


def test_more_is_asked_for_before_all_is_spent(budget):
    assert budget.tasks(0, is_busy=True) == {"n_pages": 0}
    assert budget.tasks(3, is_busy=True) == {"n_pages": GRANT}


def test_a_fast_worker_reserves_what_it_fetches_in_a_second_and_a_slow_one_a_few(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("focused.frontier.shared.page_budget.now", lambda: clock[0])
    budget = PageBudget(1000)
    budget.granted(200, is_return=False)
    for _ in range(195):
        budget.count_ended(is_page=True)
    clock[0] = 1.0
    assert budget.tasks(0, is_busy=True) == {"n_pages": 195}
    clock[0] = 10.0
    assert budget.tasks(0, is_busy=True) == {"n_pages": GRANT}


def test_what_is_left_goes_back_once_and_grants_that_cross_it_do_not_count(budget):
    assert budget.tasks(0, is_busy=False) == {"returns_pages": True}
    assert budget.left(0) == 0
    assert budget.tasks(0, is_busy=False) == {}
    budget.granted(26, is_return=False)  # was on its way
    budget.agree(26, 0)
    assert budget.left(0) == 0
    budget.granted(0, is_return=True)
    budget.granted(16, is_return=False)
    assert budget.left(0) == 16


def test_the_database_s_word_is_taken_where_nothing_is_on_its_way(budget):
    budget.count_ended(is_page=True)
    budget.agree(12, 2)
    assert budget.left(0) == 10


def test_a_new_worker_has_nothing(budget):
    budget.begin_anew()
    assert budget.left(0) == 0
