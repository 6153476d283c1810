"""The threshold of whole pages: right where positives are many, and no gamble where they are few."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import norm

from focused.method.learning.calibration import no_calibration
from focused.method.learning.threshold import raised_to_share, with_best_page_threshold

PRIOR = 0.05
N_UNLABELED = 4000
N_HIDDEN = int(PRIOR * N_UNLABELED)


def chosen(decisions_of_positives, unlabeled, *, prior=PRIOR, calibration=None, is_background=False):
    """The decision from which on pages are accepted."""
    decisions = np.concatenate([decisions_of_positives, unlabeled])
    positive = np.arange(len(decisions)) < len(decisions_of_positives)
    n_known = np.full(len(decisions), 1e9)
    calibration = calibration or no_calibration("page", prior)
    found, _ = with_best_page_threshold(
        calibration, decisions, n_known, positive, prior=prior, is_background=is_background
    )
    accepted = found.relevance(decisions, n_known) >= found.threshold
    return decisions[accepted].min()


def quantiles(n, mean, spread):
    """Decisions of a class as they are expected, without the accident of a draw."""
    return norm.ppf((np.arange(n) + 0.5) / n, mean, spread)


def web(mean, spread=0.5):
    """Unlabelled pages: negatives around -1, five in a hundred positive around `mean`."""
    return np.concatenate([quantiles(N_HIDDEN, mean, spread), quantiles(N_UNLABELED - N_HIDDEN, -1.0, 0.5)])


def f1_at(decision, unlabeled):
    accepted = unlabeled >= decision
    return 2 * accepted[:N_HIDDEN].sum() / (accepted.sum() + N_HIDDEN)


@pytest.mark.parametrize("n_positive", [10, 30, 300])
def test_the_threshold_is_near_the_best_where_the_positives_stand_apart(n_positive):
    unlabeled = web(0.5)
    found = f1_at(chosen(quantiles(n_positive, 0.5, 0.5), unlabeled), unlabeled)
    assert found > 0.95 * max(f1_at(decision, unlabeled) for decision in np.linspace(-1, 1, 200))


@pytest.mark.parametrize("n_positive", [5, 10, 30])
def test_few_positives_that_look_like_everything_let_in_a_few_times_the_prior_at_most(n_positive):
    unlabeled = web(-0.9, 0.8)
    # A line that tells next to nothing, so that nearly every page lies above the prior.
    vague = replace(no_calibration("page", 0.04), slope=0.3, offset=float(logit(0.04)) + 0.5)
    decision = chosen(quantiles(n_positive, -0.9, 0.8), unlabeled, prior=0.04, calibration=vague)
    assert 0 < np.mean(unlabeled >= decision) <= (1.5 + n_positive / 15) * 0.04


def test_many_positives_may_let_in_more_than_that():
    # The prior is far too low; 300 positives know better.
    unlabeled = web(1.0, 0.2)
    few, many = (np.mean(unlabeled >= chosen(quantiles(n, 1.0, 0.2), unlabeled, prior=0.01)) for n in (10, 300))
    assert few <= (1.5 + 10 / 15) * 0.01
    assert many > 0.04


def test_a_background_has_no_such_bound():
    # None of its pages is relevant; how many pages of the topic resemble them is another matter.
    background = quantiles(N_UNLABELED, 3.0, 0.5)
    decision = chosen(quantiles(10, 3.1, 0.5), background, prior=0.3, is_background=True)
    assert np.mean(background >= decision) > (1.5 + 10 / 15) * 0.3


def test_a_few_positives_that_lie_low_by_accident_do_not_decide_alone():
    unlabeled = web(0.5)
    share = (
        PRIOR
        * norm.pdf(unlabeled, 0.5, 0.5)
        / (PRIOR * norm.pdf(unlabeled, 0.5, 0.5) + (1 - PRIOR) * norm.pdf(unlabeled, -1.0, 0.5))
    )
    slope, offset = np.polyfit(unlabeled, logit(share), 1)
    right = replace(no_calibration("page", PRIOR), slope=float(slope), offset=float(offset))
    best = max(f1_at(decision, unlabeled) for decision in np.linspace(-1, 1, 200))
    five, many = (f1_at(chosen(quantiles(n, 0.0, 0.4), unlabeled, calibration=right), unlabeled) for n in (5, 600))
    assert five > 0.95 * best
    assert many < 0.9 * best, "what 600 positives say is no accident"


def test_equal_pages_stand_or_fall_together():
    unlabeled = np.repeat([-1.0, 0.5], [3600, 400])
    decision = chosen(np.full(10, 0.5), unlabeled, prior=0.02)
    assert decision == 0.5


def test_a_threshold_is_raised_halfway_where_more_pages_were_called_relevant_than_are():
    seen = np.linspace(0.005, 0.995, 100)
    raised = raised_to_share(0.4, seen, 0.2)
    assert logit(raised) == pytest.approx((logit(0.4) + logit(0.795)) / 2, abs=0.02)
    assert 20 < (seen >= raised).sum() < (seen >= 0.4).sum()


def test_a_threshold_is_never_lowered_nor_raised_where_hardly_any_page_was_seen():
    seen = np.linspace(0.005, 0.995, 100)
    assert raised_to_share(0.4, seen, 0.9) == 0.4
    assert raised_to_share(0.4, seen[:19], 0.01) == 0.4
    assert raised_to_share(0.4, np.zeros(100), 0.01) == 0.4


@pytest.mark.parametrize("threshold", [0.4, 0.75, 0.9])
def test_a_raised_threshold_is_four_fifths_at_most(threshold):
    assert raised_to_share(threshold, np.full(50, 0.999), 0.0) == max(threshold, 0.8)
