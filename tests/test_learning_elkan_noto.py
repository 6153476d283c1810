from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from topics import pages

from focused.method.learning.estimators.cross_fitting import class_weights, cross_fitted_decisions
from focused.method.learning.estimators.elkan_noto import ElkanNoto
from focused.method.text.weighting import weighted_rows

VARIANTS = [
    ElkanNoto(random_state=0),
    ElkanNoto(c_estimator="fitted", random_state=0),
    ElkanNoto(c_estimator="fitted", balanced=True, random_state=0),
]


@pytest.mark.parametrize("model", VARIANTS)
def test_hidden_positives_are_ranked_first_and_weigh_most(model):
    counts, y, relevant = pages(seed=1)
    hidden = relevant[~y]
    decisions = model.fit(counts, y).decision_function(counts[~y])
    assert hidden[np.argsort(-decisions)[: hidden.sum()]].mean() > 0.9
    assert model.weights_[hidden].mean() > 0.6
    assert model.weights_[~hidden].mean() < 0.2


def test_the_fitted_c_gives_the_prior_of_the_pages():
    counts, y, relevant = pages(50, 1000, hidden=0.2, seed=2)
    model = ElkanNoto(c_estimator="fitted", random_state=0).fit(counts, y)
    true_prior = relevant[~y].mean()
    assert model.prior_ == pytest.approx(true_prior, rel=0.3)
    assert model.c_ == pytest.approx(50 / (50 + true_prior * 1000), rel=0.3)


def test_hidden_positives_are_accepted_that_a_regression_of_p_against_u_refuses():
    counts, y, relevant = pages(15, 600, hidden=0.3, words=20, seed=3)
    hidden = counts[~y][relevant[~y]]
    model = ElkanNoto(random_state=0).fit(counts, y)
    rows = weighted_rows(counts, model.term_weights_, sublinear=True)
    plain = LogisticRegression(C=5.0).fit(rows, y)
    accepted = plain.predict(weighted_rows(hidden, model.term_weights_, sublinear=True)).mean()
    assert model.predict(hidden).mean() > 0.6
    assert accepted < 0.1


def test_empty_documents_and_unused_terms_are_no_obstacle():
    counts, y, _ = pages()
    emptied = sparse.diags_array(np.where(np.isin(np.arange(len(y)), [0, 30]), 0.0, 1.0)) @ counts
    counts = sparse.csr_matrix(sparse.hstack([emptied, sparse.csr_matrix((len(y), 3))]))
    model = ElkanNoto(random_state=0).fit(counts, y)
    assert (model.coef_[0, -3:] == 0).all()
    assert np.isfinite(model.decision_function(counts)).all()


def test_a_single_positive_cannot_be_held_out():
    counts, y, _ = pages(1)
    with pytest.raises(ValueError, match=r"Cross-fitting needs at least two positive .* Got 1 positive and 200"):
        ElkanNoto().fit(counts, y)


def test_wrong_parameters_are_answered_with_the_right_ones():
    counts, y, _ = pages()
    with pytest.raises(ValueError, match=r"c_estimator must be one of e1, e2, e3, fitted\. Got 'mean'"):
        ElkanNoto(c_estimator="mean").fit(counts, y)
    with pytest.raises(ValueError, match=r"n_folds must be at least 2\. Got 1"):
        ElkanNoto(n_folds=1).fit(counts, y)


def test_no_row_is_judged_by_a_model_that_was_trained_on_it():
    # Every row has a word of its own: a model that knows the row would part the labels without a mistake.
    rows, positive = sparse.identity(40, format="csr"), np.arange(40) < 20
    model = LogisticRegression(C=1e3)
    held_out = cross_fitted_decisions(model, rows, positive, class_weights(positive), n_folds=5, random_state=0)
    assert np.ptp(held_out) < 1e-6
    assert ((model.fit(rows, positive).decision_function(rows) > 0) == positive).all()


def test_class_weights_give_the_unlabelled_a_share_of_the_positives_weight():
    weights = class_weights(np.array([True, True, False, False, False, False]), 3.0)
    assert weights.tolist() == [1, 1, 1.5, 1.5, 1.5, 1.5]
