from __future__ import annotations

import numpy as np
import pytest
from research.km2 import km2_prior, nearest_distribution
from research.tice import lower_bound, tice_prior, tree_parts
from sklearn.linear_model import LogisticRegression
from topics import pages

from focused.method.learning.estimators.cross_fitting import class_weights, cross_fitted_decisions
from focused.method.learning.estimators.mixture_proportion import (
    elkan_noto_prior,
    label_frequency_of_prior,
    labeled_probability,
    mixture_estimate,
    prior_of_label_frequency,
)
from focused.method.text.weighting import weighted_rows


def fitted_c(positive, unlabeled):
    return elkan_noto_prior(positive, unlabeled, c_estimator="fitted")


ESTIMATORS = [elkan_noto_prior, fitted_c, km2_prior, tice_prior]


def draw(prior, n_positive, seed, *, distance=3.0, n_unlabeled=1500):
    rng = np.random.default_rng(seed)
    hidden = rng.random(n_unlabeled) < prior
    return rng.normal(distance, 1, n_positive), rng.normal(np.where(hidden, distance, 0), 1), hidden


# Bounds on the factor the median of ten estimates is wrong by, three standard deviations between the classes:
# the fitted c is the best, the mean of a logistic g is too small a c, TIcE's c is a lower bound by design.
@pytest.mark.parametrize(("estimate", "factor"), [(fitted_c, 1.4), (km2_prior, 1.4), (tice_prior, 2.0)])
@pytest.mark.parametrize("prior", [0.1, 0.3])
@pytest.mark.parametrize("n_positive", [30, 150])
def test_the_share_of_hidden_positives_is_found_within_a_factor(estimate, factor, prior, n_positive):
    estimates = [estimate(*draw(prior, n_positive, seed)[:2]).prior for seed in range(10)]
    assert prior / factor < np.median(estimates) < prior * factor


def test_the_mean_of_g_errs_to_too_many_hidden_positives():
    estimates = [elkan_noto_prior(*draw(0.1, 150, seed)[:2]).prior for seed in range(5)]
    assert 0.1 < np.median(estimates) < 0.2


@pytest.mark.parametrize("estimate", ESTIMATORS)
def test_more_hidden_positives_give_a_larger_prior(estimate):
    priors = [
        np.median([estimate(*draw(prior, 50, seed)[:2]).prior for seed in range(5)]) for prior in (0.05, 0.2, 0.6)
    ]
    assert priors == sorted(priors)
    assert priors[2] > 3 * priors[0]


@pytest.mark.parametrize("estimate", ESTIMATORS)
def test_probabilities_tell_hidden_positives_from_the_rest(estimate):
    positive, unlabeled, hidden = draw(0.1, 100, 0)
    found = estimate(positive, unlabeled)
    assert ((found.probabilities >= 0) & (found.probabilities <= 1)).all()
    assert found.probabilities[hidden].mean() > 0.6
    assert found.probabilities[~hidden].mean() < 0.1
    assert (np.diff(found.probabilities[np.argsort(unlabeled)]) >= 0).all()


@pytest.mark.parametrize("estimate", [fitted_c, km2_prior, tice_prior])
def test_the_estimate_does_not_depend_on_the_scale_of_the_decisions(estimate):
    positive, unlabeled, _ = draw(0.1, 50, 2)
    expected = estimate(positive, unlabeled).prior
    assert estimate(positive * 0.01 - 7, unlabeled * 0.01 - 7).prior == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("estimate", ESTIMATORS)
@pytest.mark.parametrize(
    ("positive", "unlabeled"),
    [
        ([1.0, 1.0, 1.0], [0.0] * 50),
        ([0.0, 0.0, 0.0], [0.0] * 50),
        ([-1.0, -2.0, -3.0], [0.0, 1.0] * 20),
        ([1.0, 2.0, 3.0], [0.5, 0.6, 5.0]),
        ([1.0], [0.0]),
    ],
)
def test_hopeless_decisions_give_numbers_and_no_warning(estimate, positive, unlabeled):
    found = estimate(np.array(positive), np.array(unlabeled))
    assert 0 < found.prior < 1
    assert 0 < found.label_frequency < 1
    assert ((found.probabilities >= 0) & (found.probabilities <= 1)).all()


@pytest.mark.parametrize("estimate", ESTIMATORS)
def test_missing_or_infinite_decisions_are_refused(estimate):
    with pytest.raises(ValueError, match="positive must hold at least one finite decision value"):
        estimate(np.empty(0), np.zeros(5))
    with pytest.raises(ValueError, match=r"unlabeled must hold .* values that are not finite"):
        estimate(np.zeros(5), np.array([1.0, np.nan]))


def test_prior_and_label_frequency_follow_from_counts():
    # 30 labelled positives, 1,000 unlabelled documents with 90 hidden ones: 30 of 120 positives are labelled.
    assert prior_of_label_frequency(0.25, 30, 1000) == pytest.approx(0.09)
    assert label_frequency_of_prior(0.09, 30, 1000) == pytest.approx(0.25)


def test_an_unknown_estimator_of_c_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"c_estimator must be one of e1, e2, e3, fitted\. Got 'e4'\."):
        elkan_noto_prior(np.ones(3), np.zeros(3), c_estimator="e4")


def test_the_largest_g_is_a_larger_c_than_its_mean_and_both_sums_agree():
    positive, unlabeled, _ = draw(0.1, 50, 3)
    c = {name: elkan_noto_prior(positive, unlabeled, c_estimator=name).label_frequency for name in ("e1", "e2", "e3")}
    assert c["e3"] > c["e1"]
    assert c["e2"] == pytest.approx(c["e1"], rel=1e-3)


def test_with_c_one_the_fit_is_logistic_regression():
    positive, unlabeled, _ = draw(0.1, 50, 4)
    slope, offset, _ = labeled_probability(positive, unlabeled, c=1.0)
    plain = LogisticRegression(C=1e6).fit(np.concatenate([positive, unlabeled])[:, None], np.arange(1550) < 50)
    assert slope == pytest.approx(plain.coef_[0, 0], rel=1e-3)
    assert offset == pytest.approx(plain.intercept_[0], rel=1e-3)


def test_a_given_prior_is_the_mean_of_the_probabilities():
    positive, unlabeled, _ = draw(0.2, 200, 5)
    assert mixture_estimate(0.2, positive, unlabeled).probabilities.mean() == pytest.approx(0.2, abs=0.02)


def test_the_nearest_distribution_is_one_and_no_point_is_nearer():
    rng = np.random.default_rng(0)
    points, target = rng.normal(size=(5, 40)), rng.normal(size=5) * 3
    weights = nearest_distribution(points, target)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1)
    # The optimality of a projection: no vertex lies further in the direction of what is left.
    residual = target - points @ weights
    assert (residual @ points).max() == pytest.approx(residual @ (points @ weights), abs=1e-4)


def test_a_point_inside_the_polytope_is_its_own_projection():
    square = np.array([[0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    assert square @ nearest_distribution(square, np.array([0.3, 0.6])) == pytest.approx(np.array([0.3, 0.6]), abs=1e-6)


def test_the_bound_allows_for_chance_and_asks_for_ten_documents():
    # 0.5 * 0.5 * (1 - 0.2) / (0.2 * 100) = 0.01
    assert lower_bound(60, 100, 0.5, 0.2) == pytest.approx(0.6 - 0.1)
    assert lower_bound(9, 9, 0.5, 0.2) == 0


def test_the_tree_finds_the_interval_of_the_positives():
    values = np.arange(400.0)
    labeled = (values >= 300) & (values % 2 == 0)
    shares = [labeled[(values > low) & (values <= high)].mean() for low, high in tree_parts(values, labeled)]
    assert max(shares) >= 0.5
    assert len(shares) > 4


def test_the_folds_are_seeded():
    positive, unlabeled, _ = draw(0.1, 30, 6)
    assert tice_prior(positive, unlabeled).prior == tice_prior(positive, unlabeled).prior


@pytest.mark.parametrize(("estimate", "factor"), [(fitted_c, 1.4), (km2_prior, 1.6), (tice_prior, 2.0)])
@pytest.mark.parametrize("prior", [0.1, 0.3])
def test_the_prior_of_made_up_pages_is_found_within_a_factor(estimate, factor, prior):
    estimates = []
    for seed in range(3):
        counts, y, _ = pages(30, 1000, hidden=prior, seed=seed)
        rows = weighted_rows(counts, np.ones(counts.shape[1]))
        held_out = cross_fitted_decisions(
            LogisticRegression(C=5.0), rows, y, class_weights(y), n_folds=5, random_state=0
        )
        estimates.append(estimate(held_out[y], held_out[~y]).prior)
    assert prior / factor < np.median(estimates) < prior * factor


@pytest.mark.parametrize("seed", range(6))
def test_ten_positives_that_overlap_with_the_rest_do_not_drive_the_fitted_prior_to_zero(seed):
    assert fitted_c(*draw(0.3, 10, seed, distance=1.5)[:2]).prior > 0.02
