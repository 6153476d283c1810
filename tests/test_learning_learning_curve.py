"""The learning curve: F1 by number of positives, and what more of them would add."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from topics import pages

from focused.method.learning.learning_curve import LearningCurve, _best_f1, _extrapolated, learning_curve


@cache
def curve(n_positive: int, **options) -> LearningCurve:
    counts, y, _ = pages(n_positive, 150)
    return learning_curve(counts, y, prior=0.1, prior_is_assumed=False, **options)


def test_sizes_are_those_there_are_enough_positives_for() -> None:
    assert curve(16).sizes == (5, 10, 12)
    assert curve(40).sizes == (5, 10, 20, 30, 32)
    assert curve(100).sizes == (5, 10, 20, 30, 50)


def test_too_few_positives_give_no_curve_and_say_so() -> None:
    found = curve(12)
    assert found.sizes == ()
    assert "Too few" in found.advice


def test_f1_is_a_share_and_does_not_fall_much_with_more_positives() -> None:
    found = curve(40)
    assert all(0 <= f1 <= 1 for f1 in found.f1)
    assert found.f1[-1] >= found.f1[0] - 0.05
    assert found.f1[-1] > 0.8
    assert len(found.f1) == len(found.f1_spread) == len(found.sizes)


def test_the_same_seed_gives_the_same_curve() -> None:
    assert curve(16, random_state=4) == curve.__wrapped__(16, random_state=4)


def test_labels_without_meaning_are_no_better_than_chance() -> None:
    counts, y, _ = pages(20, 150, hidden=0.0)
    shuffled = np.random.default_rng(0).permutation(y)
    found = learning_curve(counts, shuffled, prior=0.1, prior_is_assumed=False)
    assert max(found.f1) < 0.5


@pytest.mark.parametrize("is_assumed", [True, False])
def test_positives_above_all_unlabelled_pages_have_f1_of_one(is_assumed: bool) -> None:
    assert _best_f1(np.zeros(10), 0.1, is_assumed) == pytest.approx(1)


def test_the_best_f1_follows_from_recall_share_and_prior() -> None:
    # Half of the positives above all unlabelled pages, the others above half of them: at 0, recall is 1/2.
    above = np.array([0.0] * 5 + [0.5] * 5)
    assert _best_f1(above, 0.1, True) == pytest.approx(2 * 0.05 / (0.05 + 0.1))
    # Where they are found among U itself, a share of 0.05 has to be accepted to find half of a tenth.
    assert _best_f1(above, 0.1, False) == pytest.approx(2 * 0.05 / (0.05 + 0.1))


def test_a_rising_curve_promises_a_gain_and_a_flat_one_does_not() -> None:
    sizes = np.array([5, 10, 20])
    n_more, gain = _extrapolated(sizes, 1 - 1 / np.sqrt(sizes), 20)
    assert gain == pytest.approx(20**-0.5 - (20 + n_more) ** -0.5)
    assert gain >= 0.05
    assert n_more == 20
    assert _extrapolated(sizes, np.full(3, 0.9), 20)[1] == 0
    assert _extrapolated(sizes, np.array([0.9, 0.8, 0.7]), 20)[1] == 0
    assert LearningCurve(f1=(0.9,), sizes=(5,), f1_spread=(0.0,), n_more=100, gain=0.01).advice.startswith("More")
    assert "20 more pages would add about 0.07" in LearningCurve((5,), (0.9,), (0.0,), 20, 0.07).advice
