"""Figures at several thresholds follow from recall, prior and the share of unlabelled pages accepted."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from focused.commands.train_report import _thresholds
from focused.method.learning.metrics import THRESHOLDS, figures_at_thresholds

POSITIVE = np.arange(110) < 10
# Eight of ten positives and four of a hundred unlabelled pages have 0.6, the others nearly nothing.
RELEVANCE = np.where(POSITIVE, np.arange(110) < 8, np.arange(110) < 14) * 0.59 + 0.01

pytestmark = pytest.mark.usefixtures("whole_intervals")


def at(threshold: float, *, prior_is_assumed: bool):
    rows = figures_at_thresholds(RELEVANCE, POSITIVE, 0.42, prior=0.05, prior_is_assumed=prior_is_assumed)
    return next(row for row in rows if row.threshold == threshold)


def test_the_chosen_threshold_stands_among_the_others_in_order() -> None:
    rows = figures_at_thresholds(RELEVANCE, POSITIVE, 0.42, prior=0.05, prior_is_assumed=False)
    assert [row.threshold for row in rows] == sorted((*THRESHOLDS, 0.42))
    assert [row.threshold for row in rows if row.is_chosen] == [0.42]
    assert len(figures_at_thresholds(RELEVANCE, POSITIVE, 0.5, prior=0.05, prior_is_assumed=False)) == len(THRESHOLDS)


def test_figures_of_a_threshold_number_for_number() -> None:
    row = at(0.42, prior_is_assumed=False)
    assert row.recall == pytest.approx(0.8)
    assert row.precision == pytest.approx(1.0)  # 0.05 * 0.8 = 0.04 relevant among the 0.04 accepted
    row = at(0.42, prior_is_assumed=True)
    assert row.precision == pytest.approx(0.04 / (0.04 + 0.95 * 0.04))
    assert row.f1 == pytest.approx(2 * 0.04 / (0.04 + 0.95 * 0.04 + 0.05))


@pytest.mark.parametrize("prior_is_assumed", [False, True])
def test_a_threshold_that_nothing_reaches_has_no_precision(prior_is_assumed: bool) -> None:
    row = at(0.7, prior_is_assumed=prior_is_assumed)
    assert (row.precision, row.recall, row.f1) == (None, 0, 0)
    shown = _thresholds(SimpleNamespace(at_thresholds=(row,)))
    assert "  0.700          -    0.00  0.00\n" in shown


def test_where_only_unlabelled_pages_reach_a_threshold_precision_is_zero() -> None:
    (row, *_) = figures_at_thresholds(1 - RELEVANCE, RELEVANCE > 0.5, 0.9, prior=0.05, prior_is_assumed=True)[-1:]
    assert (row.precision, row.recall) == (0, 0)
