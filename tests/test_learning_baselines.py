from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import average_precision_score
from sklearn.svm import OneClassSVM
from topics import pages

from focused.method.learning.estimators.against_unlabeled import AgainstUnlabeled
from focused.method.learning.estimators.one_class import OneClass
from focused.method.learning.estimators.plain_svm import PlainSVM
from focused.method.learning.estimators.weightings import WEIGHTINGS
from focused.method.text.weighting import inverse_document_frequency, tfc, tfipndf


@pytest.fixture
def data():
    return pages(30, 300, seed=2)


def test_the_one_class_svm_is_that_of_scikit_learn_on_the_positives(data):
    counts, y, _ = data
    model = OneClass(nu=0.3).fit(counts, y)
    rows = tfc(counts, model.term_weights_)
    reference = OneClassSVM(kernel="linear", nu=0.3).fit(rows[:30])
    assert model.decision_function(counts) == pytest.approx(reference.decision_function(rows))
    assert model.n_support_vectors_ == len(reference.support_)


def test_the_one_class_svm_of_p13_learns_from_tfipndf_rows_and_judges_tfc_rows(data):
    counts, y, _ = data
    model = OneClass(weighting="tfipndf").fit(counts, y)
    reference = OneClassSVM(kernel="linear").fit(tfipndf(counts, y, model.term_weights_)[:30])
    assert model.decision_function(counts) == pytest.approx(
        reference.decision_function(tfc(counts, model.term_weights_)), abs=1e-6
    )
    assert np.linalg.norm(model.coef_ - OneClass().fit(counts, y).coef_) > 0.1


def test_the_unlabelled_serve_the_one_class_svm_for_the_idf_only(data):
    counts, y, _ = data
    model = OneClass().fit(counts, y)
    shuffled = sparse.vstack([counts[:30], counts[30:][::-1]], format="csr")
    assert (OneClass().fit(shuffled, y).coef_ == model.coef_).all()
    document_frequencies = (counts > 0).sum(axis=0).A1
    assert model.term_weights_ == pytest.approx(inverse_document_frequency(document_frequencies, 330))


def test_nu_bounds_the_share_of_positives_left_outside(data):
    counts, y, _ = data
    # Those on the border have a decision of 0 but for the solver's tolerance.
    outside = [(OneClass(nu=nu).fit(counts, y).decision_function(counts[:30]) < -1e-3).mean() for nu in (0.1, 0.5)]
    assert outside[0] <= 0.1
    assert 0.1 < outside[1] <= 0.5
    for nu in (0.0, 1.5):
        with pytest.raises(ValueError, match=rf"nu must be in \(0, 1\]\. Got {nu}"):
            OneClass(nu=nu).fit(counts, y)


def test_one_positive_is_enough_for_the_one_class_svm(data):
    counts, _, _ = data
    model = OneClass().fit(counts, np.arange(330) < 1)
    assert np.argmax(model.decision_function(counts)) == 0


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_the_plain_svm_ranks_hidden_positives_first_under_any_weighting(weighting, data):
    counts, y, relevant = data
    decisions = PlainSVM(weighting=weighting, random_state=0).fit(counts, y).decision_function(counts[~y])
    assert average_precision_score(relevant[~y], decisions) > 0.9


def test_the_plain_svm_on_tfc_is_the_svm_learner_with_another_weight_of_the_classes(data):
    counts, y, _ = data
    plain = PlainSVM(C=1.0, random_state=0, sublinear_tf=True).fit(counts, y)
    # Balanced classes weigh n/2 in total, those of AgainstUnlabeled |P|.
    same = AgainstUnlabeled(loss="squared_hinge", C=330 / 2 / 30, random_state=0).fit(counts, y)
    assert plain.coef_ == pytest.approx(same.coef_, abs=1e-3)


def test_an_unknown_weighting_is_answered_with_the_known_ones(data):
    with pytest.raises(ValueError, match=r"weighting must be one of tfc, tfidf, .* Got 'idf'"):
        PlainSVM(weighting="idf").fit(*data[:2])
