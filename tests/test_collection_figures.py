"""Precision and recall from verdicts on random pages: unbiased by what else is judged, with intervals that hold the truth."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from focused.collection.figure_words import figure_lines
from focused.collection.figures import Figures, figures
from focused.collection.sample import Group, Share, chances, mid_p_interval

sys.path.append(str(Path(__file__).resolve().parent.parent / "benchmarks"))

import judged_figures as sessions


def group(places, verdicts, drawn_at) -> Group:
    n = len(places)
    return Group(np.arange(1, n + 1), np.array(places), np.array(verdicts, dtype=float), np.array(drawn_at))


def test_a_page_has_the_chance_of_the_farthest_place_drawn_since_it_came():
    # Page 3 came after the draws of 1 and 2; page 4 after all draws.
    found = chances(group([0.5, 0.3, 0.1, 0.9], [1, 1, 1, np.nan], [2, 2, 3, 0]))
    assert found.tolist() == [0.5, 0.5, 0.1, 0.0]


@pytest.mark.parametrize(("yes", "n"), [(5, 10), (8, 10), (20, 20), (39, 40)])
def test_the_limits_are_those_where_the_number_found_is_just_not_too_many_or_too_few(yes, n):
    low, high = mid_p_interval(yes / n, n, 10**9)
    assert binom.sf(yes, n, low) + binom.pmf(yes, n, low) / 2 == pytest.approx(0.025, rel=0.01)
    assert (yes, high) == (n, 1.0) or binom.cdf(yes, n, high) - binom.pmf(yes, n, high) / 2 == pytest.approx(
        0.025, rel=0.01
    )


def test_what_is_judged_whole_is_known():
    places = np.random.default_rng(0).random(30).tolist()
    verdicts = [1] * 15 + [0] * 5 + [1] * 2 + [0] * 8
    found = figures(group(places, verdicts, [30] * 30), np.arange(30) < 20)
    # The five that people took out are not delivered, the two that they put in are.
    assert (found.precision.value, found.precision.low, found.precision.high) == (1.0, 1.0, 1.0)
    assert (found.recall.value, found.recall.low, found.recall.high) == (1.0, 1.0, 1.0)


def test_fewer_than_ten_verdicts_give_no_figure():
    places = (np.arange(100) / 100).tolist()
    for n, is_known in ((9, False), (10, True)):
        verdicts = [1.0] * n + [np.nan] * (100 - n)
        found = figures(group(places, verdicts, [100] * n + [0] * (100 - n)), np.ones(100, dtype=bool))
        assert (found.precision is not None) == is_known
        assert found.recall is None


def test_uncertain_pages_do_not_bias_the_figure_though_the_verdicts_on_them_are_known():
    plan = sessions.Plan("mixed", 60, n_pages=300, growth=2, bias=-0.5)
    precision, _ = sessions.tallies(plan, 60)
    assert np.mean(precision.held) >= 0.85
    assert abs(np.mean(precision.error)) < 0.06
    assert np.mean(precision.width) <= 1.2 * np.mean(precision.wilson_width)
    assert np.mean(precision.naive_held) < 0.6  # what the whole queue says is no sample


def test_of_a_crawl_that_has_gone_far_beyond_the_sample_the_figure_is_of_the_pages_before():
    rng = np.random.default_rng(1)
    places = rng.random(2000)
    first = np.argsort(places[:200])[:60]
    verdicts, drawn_at = np.full(2000, np.nan), np.zeros(2000, dtype=int)
    verdicts[first], drawn_at[first] = 1, 200
    last = int(np.argmin(np.where(np.isnan(verdicts), places, 2)))
    verdicts[last], drawn_at[last] = 0, 2000
    found = figures(group(places, verdicts, drawn_at), np.ones(2000, dtype=bool))
    assert (found.precision.of_pages, found.precision.n) in ((200, 60), (200, 61))


def test_a_belief_is_called_a_belief_and_what_is_missing_is_said():
    share = Share(0.8, 0.7, 0.9, 40, 1200)
    assert list(figure_lines(Figures(share, None, 40, 4, 1), 0.95)) == [
        "Precision of the collection: 0.80 (0.70 to 0.90, 95 % interval) by 40 verdicts on random pages of the first 1,200; "
        "the model believes 0.95",
        "Recall among the pages fetched: not known yet; 6 more verdicts on random pages that it calls irrelevant will say",
        "Left out of these figures: 1 random page that nobody would judge",
    ]
    assert list(figure_lines(Figures(None, None, 0, 0, 0), 0.95)) == []
