from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC, LinearSVC
from topics import pages

from focused.method.learning.estimators import text_svm
from focused.method.learning.two_step import RELIABLE_NEGATIVES
from focused.method.learning.two_step.wvc import WVC
from focused.method.text.weighting import weighted_rows


@pytest.fixture
def fitted():
    counts, y, relevant = pages(20, 300, words=12, seed=4)
    return WVC(random_state=0).fit(counts, y), counts, y, relevant


def test_the_vote_is_the_weighted_mean_of_the_voters(fitted):
    model = fitted[0]
    assert model.voter_weights_.sum() == pytest.approx(1)
    assert model.voter_weights_ == pytest.approx(model.voter_recalls_ / model.voter_recalls_.sum())
    assert model.coef_[0] == pytest.approx(model.voter_weights_ @ model.voter_coefs_)
    assert len(model.voter_weights_) == len(model.n_negatives_) == model.n_iter_


def test_the_negatives_start_as_reliable_ones_and_grow_until_no_more_are_found(fitted):
    model = fitted[0]
    assert model.n_negatives_[0] == len(model.reliable_negatives_)
    assert (np.diff(model.n_negatives_) > 0).all()
    assert model.n_iter_ > 1
    assert model.termination_condition_ == "no_new_negatives"


def test_reliable_negatives_are_rows_of_the_unlabelled(fitted):
    model, _, y, relevant = fitted
    assert not y[model.reliable_negatives_].any()
    assert relevant[model.reliable_negatives_].mean() < 0.02


def test_the_default_is_still_the_classifier_that_was_measured(fitted):
    """Figures of the first version of WVC, before other methods shared its rounds."""
    model = fitted[0]
    assert (model.n_iter_, model.lambda_, len(model.reliable_negatives_)) == (3, 0.2, 274)
    assert model.n_negatives_.tolist() == [274, 285, 286]
    assert model.intercept_[0] == pytest.approx(-0.3812554)
    assert np.linalg.norm(model.coef_) == pytest.approx(5.146372)


@pytest.mark.parametrize("reliable", RELIABLE_NEGATIVES)
def test_any_method_can_find_the_reliable_negatives(reliable, fitted):
    _, counts, y, _ = fitted
    model = WVC(reliable=reliable, too_few="lowest", random_state=0).fit(counts, y)
    found = RELIABLE_NEGATIVES[reliable](counts[y], counts[~y], too_few="lowest", random_state=0)
    assert model.reliable_negatives_.tolist() == (20 + found.unlabeled_rows).tolist()
    assert (model.lambda_ is None) == (not reliable.startswith("1-dnfc"))
    assert (model.positive_features_ is None) == ("dnf" not in reliable)


def test_an_unknown_method_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"reliable must be one of 1-dnf, 1-dnfc, .* Got 'dnf'"):
        WVC(reliable="dnf").fit(*pages()[:2])


def test_the_stages_are_the_votes_of_the_first_voters(fitted):
    model, counts, _, _ = fitted
    rows = weighted_rows(counts, model.term_weights_)
    stages = list(model.staged_decision_function(counts))
    assert len(stages) == model.n_iter_
    assert stages[-1] == pytest.approx(model.decision_function(counts))
    assert stages[0] == pytest.approx(rows @ model.voter_coefs_[0] + model.voter_intercepts_[0])
    p = model.voter_recalls_[:2]
    both = rows @ model.voter_coefs_[:2].T + model.voter_intercepts_[:2]
    assert stages[1] == pytest.approx(both @ (p / p.sum()))


def test_stages_are_the_models_of_fewer_rounds(fitted):
    model, counts, y, _ = fitted
    fewer = WVC(max_rounds=2, random_state=0).fit(counts, y)
    assert list(model.staged_decision_function(counts))[1] == pytest.approx(fewer.decision_function(counts))


def test_the_guard_leaves_out_the_svm_that_loses_positives(monkeypatch):
    class Forgetful(LinearSVC):
        """Finds every positive at first and none of them in its third round."""

        rounds = 0

        def fit(self, X, y):
            super().fit(X, y)
            Forgetful.rounds += 1
            self.intercept_ = self.intercept_ - (10.0 if Forgetful.rounds == 3 else 0.0)
            return self

    monkeypatch.setattr(text_svm, "LinearSVC", Forgetful)
    counts, y, _ = pages(20, 300, words=12, seed=4)
    model = WVC(random_state=0).fit(counts, y)
    assert model.termination_condition_ == "positives_lost"
    assert model.n_iter_ == 2
    assert model.voter_recalls_.min() >= model.voter_recalls_[0] - 0.05


def test_voters_count_as_much_as_the_share_of_the_positives_that_they_find(monkeypatch):
    class Shy(LinearSVC):
        """Finds every positive at first, and about half of them in its second round."""

        rounds = 0

        def fit(self, X, y):
            super().fit(X, y)
            Shy.rounds += 1
            if Shy.rounds == 2:
                self.intercept_ = self.intercept_ - np.median(self.decision_function(X[y]))
            return self

    monkeypatch.setattr(text_svm, "LinearSVC", Shy)
    counts, y, _ = pages(20, 300, words=12, seed=4)
    model = WVC(weighting="tfc", guard=None, max_rounds=2, random_state=0).fit(counts, y)
    rows = weighted_rows(counts, model.term_weights_)
    decisions = rows @ model.voter_coefs_.T + model.voter_intercepts_
    first, second = (decisions[y] > 0).mean(axis=0)
    assert first > second > 0
    assert model.voter_weights_ == pytest.approx([first / (first + second), second / (first + second)])
    assert model.decision_function(counts) == pytest.approx(decisions @ model.voter_weights_)
    assert next(iter(model.staged_decision_function(counts))) == pytest.approx(decisions[:, 0])


def test_voters_that_find_no_positive_at_all_count_the_same(monkeypatch):
    class Blind(LinearSVC):
        def fit(self, X, y):
            super().fit(X, y)
            self.intercept_ = self.intercept_ - 10.0
            return self

    monkeypatch.setattr(text_svm, "LinearSVC", Blind)
    counts, y, _ = pages(20, 300, words=12, seed=4)
    model = WVC(guard=None, max_rounds=3, random_state=0).fit(counts, y)
    assert (model.voter_recalls_ == 0).all()
    assert model.voter_weights_ == pytest.approx(np.full(model.n_iter_, 1 / model.n_iter_))


def test_a_round_limit_is_named_as_the_reason():
    counts, y, _ = pages(20, 300, words=12, seed=4)
    model = WVC(max_rounds=1, random_state=0).fit(counts, y)
    assert (model.n_iter_, model.termination_condition_) == (1, "max_rounds")
    with pytest.raises(ValueError, match=r"max_rounds must be at least 1\. Got 0"):
        WVC(max_rounds=0).fit(counts, y)


def test_weightings_differ_and_only_idf_and_the_class_independent_one_change_prediction(fitted):
    _, counts, y, _ = fitted
    by_class, plain, smoothed, independent = (
        WVC(weighting=name, random_state=0).fit(counts, y)
        for name in ("tfipndf", "tfc", "tfidf", "tfipndf_independent")
    )
    assert (by_class.term_weights_ == plain.term_weights_).all()
    assert not np.allclose(by_class.coef_, plain.coef_)
    assert (independent.term_weights_ <= plain.term_weights_).all()
    assert (smoothed.term_weights_ >= 1).all()


def test_no_reliable_negatives_stop_training_instead_of_a_model_that_accepts_all():
    counts, y, _ = pages(20, 300, words=12)
    everywhere = np.ones(len(y))
    everywhere[30] = 0  # one unlabelled page of 300 lacks a word that all others hold
    with_word = sparse.hstack([counts, sparse.csr_matrix(everywhere).T], format="csr")
    with pytest.raises(ValueError, match="reliable negatives"):
        WVC(too_few="error").fit(with_word, y)


def test_libsvms_defaults_are_a_linear_svm_on_rows_of_length_1():
    rng = np.random.default_rng(0)
    rows = rng.random((60, 400)) * (rng.random((60, 400)) < 0.1)
    labels = np.arange(60) < 25
    rows[labels, :20] += 1
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    radial = SVC(kernel="rbf", C=1.0, gamma=1 / 400, tol=1e-9).fit(rows, labels)
    found = text_svm.train_svm(rows, labels, kernel="libsvm", C=1.0)
    decisions = rows @ found.coef + found.intercept
    spread = np.ptp(radial.decision_function(rows))
    assert np.abs(decisions - radial.decision_function(rows)).max() < 0.01 * spread
    # Too small a C for a border between them: every row is called as the larger class is.
    assert (decisions < 0).all()


def test_an_unknown_kernel_is_refused(fitted):
    _, counts, y, _ = fitted
    with pytest.raises(ValueError, match="kernel must be one of linear, libsvm"):
        WVC(kernel="poly").fit(counts, y)
