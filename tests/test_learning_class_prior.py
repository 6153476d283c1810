from __future__ import annotations

import numpy as np
import pytest

from focused.method.learning.estimators.class_prior import estimate_prior


def draw(
    prior: float, n_positive: int, seed: int, *, distance: float = 3.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    hidden = rng.random(1500) < prior
    return rng.normal(distance, 1, n_positive), rng.normal(np.where(hidden, distance, 0), 1), hidden


@pytest.mark.parametrize("prior", [0.03, 0.1, 0.3, 0.6])
@pytest.mark.parametrize("n_positive", [10, 50])
def test_the_share_of_hidden_positives_is_found_within_a_factor(prior, n_positive):
    estimates = [estimate_prior(*draw(prior, n_positive, seed)[:2]).prior for seed in range(10)]
    assert prior / 1.5 < np.median(estimates) < prior * 1.5


def test_probabilities_tell_hidden_positives_from_the_rest():
    positive, unlabeled, hidden = draw(0.1, 30, 0)
    probabilities = estimate_prior(positive, unlabeled).probabilities
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    assert probabilities[hidden].mean() > 0.7
    assert probabilities[~hidden].mean() < 0.05


def test_no_hidden_positives_give_a_small_prior():
    positive, unlabeled, _ = draw(0.0, 30, 1, distance=5.0)
    assert estimate_prior(positive, unlabeled).prior < 0.005


@pytest.mark.parametrize("n_positive", [10, 30])
def test_negatives_half_way_to_the_topic_do_not_count_as_positives(n_positive):
    """A tenth of the negatives resembles the topic, as on real webs: their upper tail is longer than a Gaussian's."""
    errors = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        kind = rng.choice(3, size=1500, p=[0.88, 0.1, 0.02])
        unlabeled = rng.normal(np.array([0.0, 2.0, 4.0])[kind], 1)
        estimate = estimate_prior(rng.normal(4, 1, n_positive), unlabeled)
        errors.append(np.log(estimate.prior / (kind == 2).mean()))
    assert abs(np.median(errors)) < np.log(1.25)
    assert np.abs(errors).mean() < np.log(1.35)


@pytest.mark.parametrize("n_positive", [20, 50, 200])
def test_positives_that_crowd_at_a_margin_do_not_make_the_prior_vanish(n_positive):
    """Decisions of a topic that is told apart with ease end at a wall: a Gaussian expects a fifth of them behind it."""
    estimates = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        positive, hidden = 1.1 - rng.exponential(0.3, n_positive), 1.1 - rng.exponential(0.3, 60)
        unlabeled = np.concatenate([hidden, rng.normal(-0.9, 0.1, 240)])
        estimates.append(estimate_prior(positive, unlabeled).prior)
    assert min(estimates) > 0.06
    assert 0.13 < np.median(estimates) < 0.3


def test_positives_that_lie_like_the_others_leave_the_prior_at_the_opinion():
    """Nothing is told apart: whether the upper Gaussian finds nothing or everything must not decide."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        estimate = estimate_prior(rng.normal(0.1, 1, 10), rng.normal(0, 1, 1500))
        assert 0.03 < estimate.prior < 0.05


def test_the_estimate_does_not_depend_on_the_scale_of_the_decisions():
    positive, unlabeled, _ = draw(0.1, 30, 2)
    expected = estimate_prior(positive, unlabeled).prior
    assert estimate_prior(positive * 0.01 - 7, unlabeled * 0.01 - 7).prior == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("positive", "unlabeled"),
    [
        ([1.0, 1.0, 1.0], [0.0] * 50),
        ([0.0, 0.0, 0.0], [0.0] * 50),
        ([-1.0, -2.0, -3.0], [0.0, 1.0] * 20),
        ([1.0, 2.0, 3.0], [0.5, 0.6, 5.0]),
    ],
)
def test_hopeless_decisions_give_numbers_and_no_warning(positive, unlabeled):
    estimate = estimate_prior(np.array(positive), np.array(unlabeled))
    assert 0 < estimate.prior < 1
    assert np.isfinite(estimate.probabilities).all()
