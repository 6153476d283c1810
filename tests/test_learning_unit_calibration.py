from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from focused.method.learning.calibration import Calibration, CalibrationExamples
from focused.method.learning.unit_calibration import calibrate_links

PAGE = Calibration("page", slope=4.0, offset=1.0, prior=0.1, half_terms=3.0, threshold=0.4, n_examples=100)
SHORT = CalibrationExamples(np.linspace(-2, 0, 50), np.full(50, 5.0), np.linspace(0, 1, 50), np.ones(50))


def links(slope: float, n: int, seed: int, n_per_target: int = 1) -> CalibrationExamples:
    """Links of which `n_per_target` each lead to the same page, and say the same of it."""
    rng = np.random.default_rng(seed)
    decisions = rng.normal(-1, 0.5, n)
    labels = (rng.random(n) < expit(slope * (decisions + 1) - 2)).astype(float)
    decisions, labels = np.repeat(decisions, n_per_target), np.repeat(labels, n_per_target)
    return CalibrationExamples(decisions, rng.integers(1, 30, len(labels)).astype(float), labels, np.ones(len(labels)))


def skill(calibration: Calibration, judged: CalibrationExamples) -> float:
    found = calibration.relevance(judged.decisions, judged.n_known)
    base = judged.labels.mean()
    return 1 - float(np.mean((found - judged.labels) ** 2)) / (base * (1 - base))


@pytest.mark.parametrize("kind", ["anchor", "context"])
def test_links_that_show_nothing_of_their_targets_are_hardly_believed(kind):
    """Thirty pages, each linked to ten times: what a fit finds in them is chance."""
    said = [calibrate_links(kind, PAGE, links(0.0, 30, seed, 10), SHORT) for seed in range(20)]
    fresh = links(0.0, 20_000, 99)
    spread = [float(np.ptp(each.relevance(np.array([-2.0, 0.0]), np.array([20, 20])))) for each in said]
    assert np.median(spread) < 0.14  # 0.2 where all of it is believed
    assert np.mean([skill(each, fresh) for each in said]) > -0.05


@pytest.mark.parametrize("kind", ["anchor", "context"])
def test_links_that_show_much_of_their_targets_are_believed(kind):
    made = calibrate_links(kind, PAGE, links(6.0, 3000, 0), SHORT)
    assert made.slope == pytest.approx(6.0, rel=0.15)
    assert skill(made, links(6.0, 20_000, 99)) > 0.35


def test_contexts_are_ranked_as_by_their_decisions_unless_nothing_in_them_is_known():
    made = calibrate_links("context", PAGE, links(3.0, 500, 0), SHORT)
    judged = links(3.0, 2000, 1)
    relevance = made.relevance(judged.decisions, judged.n_known)
    assert (np.diff(relevance[np.argsort(judged.decisions)]) >= 0).all()
    assert made.relevance([-5.0, 5.0], [0, 0]) == pytest.approx([made.prior] * 2)


def test_without_links_units_are_believed_halfway():
    made = calibrate_links("anchor", PAGE, None, SHORT)
    assert made.slope == pytest.approx(PAGE.slope / 2)
    assert made.n_examples == 0
