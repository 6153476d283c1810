from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import check_grad
from topics import pages

from focused.method.learning.estimators.nnpu import NonNegativePU
from focused.method.learning.estimators.pu_risk import LOSSES, pu_risk
from focused.method.text.weighting import weighted_rows

VARIANTS = [
    NonNegativePU(random_state=0),
    NonNegativePU(loss="logistic", random_state=0),
    NonNegativePU(balanced=True, C=5.0, random_state=0),
]


@pytest.mark.parametrize("model", VARIANTS)
def test_hidden_positives_are_ranked_first(model):
    counts, y, relevant = pages(seed=1)
    hidden = relevant[~y]
    decisions = model.fit(counts, y).decision_function(counts[~y])
    assert hidden[np.argsort(-decisions)[: hidden.sum()]].mean() > 0.9


@pytest.mark.parametrize("model", VARIANTS)
def test_most_hidden_positives_and_few_others_are_accepted(model):
    counts, y, relevant = pages(40, 800, hidden=0.2, seed=2)
    accepted = model.fit(counts, y).predict(counts[~y])
    assert accepted[relevant[~y]].mean() > 0.7
    assert accepted[~relevant[~y]].mean() < 0.05


def test_the_prior_is_taken_as_given_or_estimated():
    counts, y, _ = pages(40, 800, hidden=0.2, seed=2)
    assert NonNegativePU(prior=0.4).fit(counts, y).prior_ == 0.4
    assert NonNegativePU(random_state=0).fit(counts, y).prior_ == pytest.approx(0.2, rel=0.3)


def test_a_larger_prior_accepts_more():
    counts, y, _ = pages(20, 400, hidden=0.2, words=20, seed=3)
    few, many = (NonNegativePU(prior=prior, balanced=True).fit(counts, y).predict(counts[~y]) for prior in (0.02, 0.5))
    assert many.sum() > few.sum()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("balanced", [False, True])
def test_the_gradient_is_that_of_the_risk(loss, balanced):
    counts, y, _ = pages(10, 50)
    rows = weighted_rows(counts, np.ones(counts.shape[1]))
    risk = pu_risk(rows, y, 0.1, loss=loss, balanced=balanced, C=2.0)
    theta = np.random.default_rng(0).normal(size=rows.shape[1] + 1)
    assert check_grad(lambda t: risk(t)[0], lambda t: risk(t)[1], theta) < 1e-5


def test_the_risk_is_the_formula_where_the_negative_part_is_clearly_positive():
    rows, positive = sparse.csr_matrix([[1.0], [0.0], [1.0], [0.0]]), np.array([True, True, False, False])
    value, _ = pu_risk(rows, positive, 0.2, loss="logistic", balanced=False, C=3.0)(np.array([2.0, -1.0]))
    # f is 1, -1 on P and 1, -1 on U; l(f) + l(-f) over both is the same: l(1) + l(-1).
    mean = (np.log1p(np.exp(-1)) + np.log1p(np.exp(1))) / 2
    expected = 0.2 * mean + (mean - 0.2 * mean) + 0.2 / (2 * 3 * 2) * 2.0**2
    assert value * 0.2 == pytest.approx(expected)


def test_the_negative_part_never_counts_below_zero():
    # U is the positives themselves and the prior is too large: the mean loss of the "negatives" would be negative.
    rows, positive = sparse.csr_matrix(np.ones((4, 1))), np.array([True, True, False, False])
    value, _ = pu_risk(rows, positive, 0.9, loss="sigmoid", balanced=False, C=1e9)(np.array([5.0, 0.0]))
    assert value >= 0


def test_the_fit_leaves_evidence():
    counts, y, _ = pages()
    model = NonNegativePU(prior=0.1).fit(counts, y)
    assert model.termination_condition_ == "converged"
    assert len(model.loss_curve_) == model.n_iter_ + 1
    assert (np.diff(model.loss_curve_) <= 1e-12).all()
    short = NonNegativePU(prior=0.1, max_iter=2).fit(counts, y)
    assert (short.termination_condition_, short.n_iter_) == ("max_iter", 2)


def test_one_positive_will_do_where_the_prior_is_given():
    counts, y, relevant = pages(1, 200)
    model = NonNegativePU(prior=0.1, balanced=True).fit(counts, y)
    decisions = model.decision_function(counts[~y])
    assert decisions[relevant[~y]].mean() > decisions[~relevant[~y]].mean()
    with pytest.raises(ValueError, match="Cross-fitting needs at least two positive"):
        NonNegativePU().fit(counts, y)


def test_wrong_parameters_are_answered_with_the_right_ones():
    counts, y, _ = pages()
    for parameters, message in (
        ({"loss": "hinge"}, r"loss must be one of logistic, sigmoid\. Got 'hinge'"),
        ({"prior": 1.0}, r"prior must be None or in \(0, 1\)\. Got 1\.0"),
        ({"C": 0.0}, r"C must be above 0"),
    ):
        with pytest.raises(ValueError, match=message):
            NonNegativePU(**parameters).fit(counts, y)
