from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from scipy.special import expit

from focused.method.learning.calibration import (
    Calibration,
    CalibrationExamples,
    calibrated,
    fit_half_terms,
    fit_line,
    halfway_to_prior,
    no_calibration,
)
from focused.method.learning.threshold import with_best_threshold

CALIBRATION = Calibration("page", slope=4.0, offset=1.0, prior=0.1, half_terms=3.0, threshold=0.4, n_examples=100)


def examples(slope: float, offset: float, n: int = 4000, seed: int = 0, n_known: float = 1e6) -> CalibrationExamples:
    rng = np.random.default_rng(seed)
    decisions = rng.normal(-1, 0.5, n)
    labels = (rng.random(n) < expit(slope * decisions + offset)).astype(float)
    return CalibrationExamples(decisions, np.full(n, n_known), labels, np.ones(n))


@pytest.mark.parametrize("n_known", [1, 5, 500])
def test_relevance_rises_strictly_with_the_decision(n_known):
    relevance = CALIBRATION.relevance(np.linspace(-5, 5, 1001), n_known)
    assert (np.diff(relevance) > 0).all()
    assert (relevance > 0).all()
    assert (relevance < 1).all()


def test_a_unit_without_known_terms_has_the_prior_whatever_its_decision():
    assert CALIBRATION.relevance([-100.0, 0.0, 100.0], [0, 0, 0]) == pytest.approx([0.1] * 3)


def test_little_text_stays_nearer_to_the_prior():
    relevance = CALIBRATION.relevance(np.full(5, 2.0), [0, 1, 3, 10, 1000])
    assert (np.diff(relevance) > 0).all()
    below = CALIBRATION.relevance(np.full(5, -2.0), [0, 1, 3, 10, 1000])
    assert (np.diff(below) < 0).all()


def test_at_half_terms_decision_and_prior_count_the_same():
    log_odds = (np.log(0.1 / 0.9) + 4.0 * -0.5 + 1.0) / 2
    assert CALIBRATION.relevance([-0.5], [3])[0] == pytest.approx(expit(log_odds))


def test_far_above_the_border_the_log_odds_grow_like_a_logarithm():
    log_odds = np.arcsinh(4.0 * np.array([1.0, 10.0, 1000.0]) + 1.0)
    relevance = CALIBRATION.relevance([1.0, 10.0, 1000.0], [10**9] * 3)
    assert relevance == pytest.approx(expit(log_odds))
    assert relevance[2] < 0.9999


def test_a_prior_above_one_half_is_kept_and_the_relevance_still_rises():
    sure = replace(CALIBRATION, prior=0.8)
    assert sure.relevance([-9.0, 9.0], [0, 0]) == pytest.approx([0.8, 0.8])
    assert (np.diff(sure.relevance(np.linspace(-3, 3, 200), 5)) > 0).all()


def test_many_kinds_are_calibrated_at_once():
    other = replace(CALIBRATION, slope=2.0, prior=0.3, half_terms=1.0)
    decisions, n_known = np.array([-1.0, 0.0, 2.0]), np.array([0, 4, 9])
    numbers = np.repeat(np.column_stack([CALIBRATION.numbers(), other.numbers()]), [1, 2], axis=1)
    together = calibrated(decisions, n_known, numbers)
    assert together[:1] == pytest.approx(CALIBRATION.relevance(decisions[:1], n_known[:1]))
    assert together[1:] == pytest.approx(other.relevance(decisions[1:], n_known[1:]))


def test_a_calibration_survives_json():
    assert Calibration(**json.loads(json.dumps(asdict(CALIBRATION)))) == CALIBRATION


def test_a_line_is_found_again():
    fitted = fit_line(no_calibration("page", 0.1), examples(4.0, 1.0))
    assert fitted.slope == pytest.approx(4.0, rel=0.1)
    assert fitted.offset == pytest.approx(1.0, abs=0.4)
    assert fitted.n_examples == 4000


def test_the_slope_stays_positive_where_the_labels_say_the_opposite():
    fitted = fit_line(no_calibration("page", 0.5), examples(-2.0, -2.0))
    assert 0 < fitted.slope < 0.1


def test_few_examples_move_the_start_a_little_and_many_move_it_all_the_way():
    start = replace(no_calibration("anchor", 0.2), slope=1.0)
    few, many = (fit_line(start, examples(6.0, 4.0, n), strength=10.0).slope for n in (5, 5000))
    assert few == pytest.approx(1.0, rel=0.3)
    assert many == pytest.approx(6.0, rel=0.2)


def test_no_examples_leave_the_start():
    none = CalibrationExamples(*(np.empty(0) for _ in range(4)))
    assert fit_line(CALIBRATION, none) == CALIBRATION


def test_weights_count_as_copies():
    data = examples(4.0, 1.0, 200)
    doubled = CalibrationExamples(*(np.concatenate([a, a]) for a in data))
    weighted = data._replace(weights=np.full(200, 2.0))
    first, second = (fit_line(no_calibration("page", 0.1), each) for each in (doubled, weighted))
    assert first.slope == pytest.approx(second.slope, rel=1e-3)


def test_half_terms_are_found_again():
    rng = np.random.default_rng(0)
    true = replace(CALIBRATION, half_terms=8.0)
    decisions, n_known = rng.normal(0, 1, 20_000), rng.integers(1, 40, 20_000).astype(float)
    labels = (rng.random(20_000) < true.relevance(decisions, n_known)).astype(float)
    data = CalibrationExamples(decisions, n_known, labels, np.ones(20_000))
    assert fit_half_terms(CALIBRATION, data).half_terms == pytest.approx(8.0, rel=0.5)


def test_halfway_to_the_prior_takes_the_mean_of_the_log_odds():
    half = halfway_to_prior(CALIBRATION, "anchor", 0.3)
    assert half.kind == "anchor"
    assert half.relevance([5.0], [0])[0] == pytest.approx(0.3)
    log_odds = (4.0 * -0.5 + 1.0 + np.log(0.3 / 0.7)) / 2
    assert half.relevance([-0.5], [10**9])[0] == pytest.approx(expit(log_odds))


def test_the_threshold_has_the_best_expected_f1():
    data = examples(4.0, 1.0)
    fitted = fit_line(no_calibration("page", 0.05), data)
    chosen, expected = with_best_threshold(fitted, data)
    relevance = fitted.relevance(data.decisions, data.n_known)

    def f1(threshold: float) -> float:
        found = data.labels[relevance >= threshold].sum()
        return 2 * found / ((relevance >= threshold).sum() + data.labels.sum())

    best = max(f1(threshold) for threshold in np.linspace(0.051, 0.95, 300))
    assert f1(chosen.threshold) > 0.98 * best
    assert f1(chosen.threshold) == pytest.approx(expected, abs=0.03)


def test_a_unit_without_known_terms_is_never_relevant():
    flat = replace(no_calibration("anchor", 0.3), slope=1e-9)
    data = CalibrationExamples(np.zeros(10), np.zeros(10), np.zeros(10), np.ones(10))
    chosen, _ = with_best_threshold(flat, data)
    assert chosen.threshold > chosen.prior
    assert (chosen.relevance([9.0], [0]) < chosen.threshold).all()


def test_units_at_the_threshold_are_relevant_in_spite_of_rounding():
    data = examples(4.0, 1.0, 50)
    chosen, _ = with_best_threshold(fit_line(no_calibration("page", 0.01), data), data)
    in_double, in_single = (
        (chosen.relevance(decisions, data.n_known) >= chosen.threshold).sum()
        for decisions in (data.decisions, data.decisions.astype(np.float32))
    )
    assert in_double == in_single
