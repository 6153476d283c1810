from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC
from topics import pages

from focused.method.learning.estimators import text_svm
from focused.method.learning.two_step import TooFewReliableNegativesError
from focused.method.learning.two_step.iterated_svm import IteratedSVM
from focused.method.learning.two_step.wvc import WVC
from focused.method.text.weighting import weighted_rows

PEBL = {"weighting": "tfc", "reliable": "1-dnf", "guard": None}


@pytest.fixture
def data():
    counts, y, _ = pages(20, 300, words=12, seed=4)
    return counts, y


@pytest.mark.parametrize(
    "estimator", [IteratedSVM(weighting="tfc", random_state=0), IteratedSVM(**PEBL, random_state=0)]
)
def test_the_last_svm_decides_alone(estimator, data):
    model = estimator.fit(*data)
    assert model.n_iter_ > 1
    assert model.voter_weights_.tolist() == [0.0] * (model.n_iter_ - 1) + [1.0]
    assert model.coef_[0].tolist() == model.voter_coefs_[-1].tolist()
    assert model.intercept_[0] == model.voter_intercepts_[-1]


def test_a_stage_is_one_svm(data):
    model = IteratedSVM(weighting="tfc", random_state=0).fit(*data)
    rows = weighted_rows(data[0], model.term_weights_)
    for i, decisions in enumerate(model.staged_decision_function(data[0])):
        assert decisions == pytest.approx(rows @ model.voter_coefs_[i] + model.voter_intercepts_[i])


def test_the_rounds_are_those_of_the_vote(data):
    last, vote = (Model(weighting="tfc", random_state=0).fit(*data) for Model in (IteratedSVM, WVC))
    assert (last.voter_coefs_ == vote.voter_coefs_).all()
    assert last.n_negatives_.tolist() == vote.n_negatives_.tolist()


@pytest.fixture
def forgetful(monkeypatch):
    class Forgetful(LinearSVC):
        """Finds every positive at first and none of them from its third round on."""

        rounds = 0

        def fit(self, X, y):
            super().fit(X, y)
            Forgetful.rounds += 1
            self.intercept_ = self.intercept_ - (10.0 if Forgetful.rounds >= 3 else 0.0)
            return self

    monkeypatch.setattr(text_svm, "LinearSVC", Forgetful)


@pytest.mark.usefixtures("forgetful")
def test_the_guard_keeps_the_last_svm_that_has_not_lost_the_positives(data):
    model = IteratedSVM(weighting="tfc", random_state=0).fit(*data)
    assert (model.n_iter_, model.termination_condition_) == (2, "positives_lost")
    assert model.predict(data[0][:20]).mean() > 0.9


@pytest.mark.usefixtures("forgetful")
def test_pebl_keeps_the_last_svm_even_if_it_has_lost_the_positives(data):
    model = IteratedSVM(weighting="tfc", guard=None, random_state=0).fit(*data)
    assert model.termination_condition_ == "no_new_negatives"
    assert model.voter_recalls_[-1] == 0
    assert not model.predict(data[0]).any()


def test_pebl_refuses_to_train_on_next_to_no_reliable_negatives(data):
    with pytest.raises(TooFewReliableNegativesError, match="1-DNF must find at least 20"):
        IteratedSVM(**PEBL, too_few="error").fit(*data)


def test_what_another_fit_has_found_is_forgotten(data):
    model = IteratedSVM(weighting="tfc", random_state=0).fit(*data)
    assert model.lambda_ == 0.2
    model.set_params(reliable="rocchio").fit(*data)
    assert model.lambda_ is None
    assert model.positive_features_ is None


@pytest.mark.parametrize("estimator", [IteratedSVM(weighting="tfc", random_state=0), WVC(random_state=0)])
def test_documents_without_a_word_and_words_of_no_document_do_no_harm(estimator, data):
    counts, y = data
    padded = sparse.hstack([counts, sparse.csr_matrix((320, 2))], format="csr")
    padded = sparse.vstack([sparse.csr_matrix((1, 162)), padded, sparse.csr_matrix((3, 162))], format="csr")
    model = estimator.fit(padded, np.concatenate([[True], y, [False] * 3]))
    assert np.isfinite(model.decision_function(padded)).all()
    assert not model.coef_[0, -2:].any()
