from __future__ import annotations

import numpy as np
import pytest

from focused.method.scoring.priority import LEVELS, SEED, to_priority

SCORES = np.linspace(0, 1, LEVELS + 1).tolist()


def test_a_better_score_never_has_a_lower_priority():
    for admitted in (True, False):
        priorities = [to_priority(score, admitted) for score in SCORES]
        assert priorities == sorted(set(priorities))


def test_every_deferred_link_comes_after_every_admitted_one_and_seeds_first():
    assert to_priority(1.0, False) < to_priority(0.0, True)
    assert to_priority(1.0, True) < SEED


@pytest.mark.parametrize("shift", [5 * 2, -3])
def test_redirects_and_retries_do_not_change_the_class_of_a_link(shift):
    """Scrapy adds 2 for each redirect and takes 1 off for each retry."""
    assert to_priority(1.0, False) + shift < to_priority(0.0, True)
    assert to_priority(0.0, True) + shift > to_priority(1.0, False)
    assert to_priority(1.0, True) + shift < SEED + shift < 2 * SEED


def test_priorities_are_whole_numbers_that_rise_with_the_score():
    for score in (0.0, 0.1234, 0.5, 1.0):
        for admitted in (True, False):
            priority = to_priority(score, admitted)
            assert type(priority) is int
            assert (priority - to_priority(0.0, admitted)) / LEVELS == pytest.approx(score, abs=0.5 / LEVELS)


@pytest.mark.parametrize(("score", "same"), [(-0.5, 0.0), (1.5, 1.0)])
def test_scores_beyond_their_range_are_cut_to_it(score, same):
    assert to_priority(score, True) == to_priority(same, True)
    assert to_priority(score, False) == to_priority(same, False)
