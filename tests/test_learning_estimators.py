from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator
from topics import pages

from focused.method.learning.estimators.against_unlabeled import AgainstUnlabeled
from focused.method.learning.estimators.base import LinearCountClassifier
from focused.method.learning.estimators.biased_svm import BiasedSVM, WeightedLogistic
from focused.method.learning.estimators.elkan_noto import ElkanNoto
from focused.method.learning.estimators.joined_svm import JoinedSVM
from focused.method.learning.estimators.nnpu import NonNegativePU
from focused.method.learning.estimators.one_class import OneClass
from focused.method.learning.estimators.plain_svm import PlainSVM
from focused.method.learning.estimators.screened_svm import ScreenedSVM
from focused.method.learning.learners import LEARNERS, make_learner
from focused.method.learning.two_step.batch_svm import BatchSVM
from focused.method.learning.two_step.incremental_svm import IncrementalSVM
from focused.method.learning.two_step.iterated_svm import IteratedSVM
from focused.method.learning.two_step.naive_bayes import NaiveBayes
from focused.method.learning.two_step.psoc import PSOC
from focused.method.learning.two_step.wvc import WVC
from focused.method.text.weighting import weighted_rows

# In the check data every document holds every term, and U is often smaller than P: no reliable negatives can be found
# there. By default the documents that come nearest to being some serve (docs/method/, D14), and all checks hold.
ESTIMATORS = [
    AgainstUnlabeled(),
    AgainstUnlabeled(loss="squared_hinge", random_state=0),
    OneClass(),
    ScreenedSVM(random_state=0),
    JoinedSVM(hidden_share=0.2, random_state=0),
    PlainSVM(random_state=0),
    PlainSVM(weighting="tfipndf", random_state=0),
    WVC(random_state=0),
    WVC(weighting="tfidf", reliable="spy", random_state=0),
    IteratedSVM(weighting="tfc", reliable="1-dnf", guard=None, random_state=0),
    IteratedSVM(weighting="tfc", random_state=0),
    PSOC(weighting="tfc", reliable="1-dnfii", random_state=0),
    ElkanNoto(random_state=0),
    ElkanNoto(c_estimator="fitted", random_state=0),
    ElkanNoto(c_estimator="fitted", balanced=True, random_state=0),
    NonNegativePU(random_state=0),
    NonNegativePU(loss="logistic", random_state=0),
    NonNegativePU(balanced=True, C=5.0, random_state=0),
    BiasedSVM(random_state=0),
    WeightedLogistic(random_state=0),
    IncrementalSVM(random_state=0),
    IncrementalSVM(unlabeled_are_negative=True, random_state=0),
    BatchSVM(random_state=0),
    NaiveBayes(random_state=0),
    NaiveBayes(weighting="tfidf", unlabeled_are_negative=True, random_state=0),
    NaiveBayes(term_share=0.5, sublinear_tf=True, random_state=0),
]
FEW = {"n_folds": 2, "C_values": (1.0, 10.0), "unlabeled_weights": (1.0,), "max_iter": 50}


def with_few(estimator: LinearCountClassifier) -> LinearCountClassifier:
    """Let an estimator take fewer folds, candidates and rounds, if it has such options."""
    options = estimator.get_params()
    return clone(estimator).set_params(**{name: value for name, value in FEW.items() if name in options})


CHECKED = [with_few(estimator) for estimator in {type(each): each for each in reversed(ESTIMATORS)}.values()]
"""The first configuration of each class: what scikit-learn asks of an estimator depends on its code, not its options."""
LINEAR = [
    *(estimator for estimator in ESTIMATORS if isinstance(estimator, LinearCountClassifier)),
    *(make_learner(name, 3) for name in LEARNERS),
]


@pytest.mark.parametrize("estimator", CHECKED, ids=lambda estimator: type(estimator).__name__)
def test_learners_are_scikit_learn_estimators(estimator):
    """All checks of one as one test: 855 tests cost more to be found and told apart than some of the checks."""
    check_estimator(estimator, on_skip=None)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_ranks_hidden_positives_first(name):
    counts, y, relevant = pages(seed=1)
    decisions = make_learner(name, 0).fit(counts, y).decision_function(counts[~y])
    hidden = relevant[~y]
    ranked = np.argsort(-decisions)[: hidden.sum()]
    assert hidden[ranked].mean() > 0.9


@cache  # two tests ask for it, and training the learners is most of what this file takes
def fitted(number: int) -> tuple[LinearCountClassifier, sparse.csr_matrix, np.ndarray]:
    """Return the model of a linear estimator, and the counts and labels it was fitted to."""
    counts, y, _ = pages(12, 80)
    return clone(LINEAR[number]).fit(counts, y), counts, y


@pytest.mark.parametrize("number", range(len(LINEAR)), ids=lambda number: str(LINEAR[number]))
def test_the_decision_is_linear_in_the_published_rows(number):
    model, counts, _ = fitted(number)
    rows = weighted_rows(counts, model.term_weights_, sublinear=model.sublinear_tf)
    assert model.decision_function(counts) == pytest.approx(rows @ model.coef_[0] + model.intercept_[0])


@pytest.mark.parametrize("number", range(len(LINEAR)), ids=lambda number: str(LINEAR[number]))
def test_the_same_seed_gives_the_same_model(number):
    first, counts, y = fitted(number)
    second = clone(LINEAR[number]).fit(counts, y)
    assert (first.coef_ == second.coef_).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_fitting_on_a_sparse_matrix_neither_changes_nor_densifies_it(estimator, monkeypatch):
    counts, y, _ = pages(12, 80)
    before = counts.copy()
    for name in ("toarray", "todense"):
        monkeypatch.setattr(sparse.csr_matrix, name, lambda *_: pytest.fail("densified"))
    clone(estimator).fit(counts, y).predict(counts)
    assert (counts != before).nnz == 0


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_one_label_is_refused_by_naming_both_classes(estimator):
    counts, y, _ = pages()
    with pytest.raises(ValueError, match=r"positive \(the larger label\) and unlabelled .* Got one class: 1"):
        clone(estimator).fit(counts, np.ones(len(y), dtype=int))


def test_any_two_labels_serve_and_the_larger_is_positive():
    counts, y, _ = pages()
    model = AgainstUnlabeled().fit(counts, np.where(y, "topic", "rest"))
    assert model.classes_.tolist() == ["rest", "topic"]
    assert set(model.predict(counts[:20])) == {"topic"}


def test_more_unlabelled_pages_do_not_loosen_the_regularisation():
    counts, y, _ = pages(20, 200, seed=2)
    many = sparse.vstack([counts, *[counts[~y]] * 9])
    small = AgainstUnlabeled().fit(counts, y)
    large = AgainstUnlabeled().fit(many, np.concatenate([y, np.zeros(1800, dtype=bool)]))
    lengths = [np.linalg.norm(model.coef_) for model in (small, large)]
    assert lengths[1] == pytest.approx(lengths[0], rel=0.15)


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(
        ValueError, match=rf"must be one of {', '.join(LEARNERS)}, or the path of a class\. Got 'svn'\."
    ):
        make_learner("svn")
    with pytest.raises(ValueError, match=r"weighting must be one of tfc, .* Got 'idf'"):
        WVC(weighting="idf").fit(*pages()[:2])
    with pytest.raises(ValueError, match=r"loss must be one of logistic, .* Got 'log'"):
        AgainstUnlabeled(loss="log").fit(*pages()[:2])
