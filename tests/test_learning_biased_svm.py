from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from topics import pages

from focused.method.learning.estimators.biased_svm import BiasedSVM, WeightedLogistic
from focused.method.learning.estimators.lee_liu import Penalties, choose, lee_liu_criterion
from focused.method.text.weighting import weighted_rows

VARIANTS = [BiasedSVM(random_state=0), WeightedLogistic(random_state=0)]


@pytest.mark.parametrize("model", VARIANTS)
def test_hidden_positives_are_ranked_first_and_accepted(model):
    counts, y, relevant = pages(30, 600, hidden=0.15, seed=1)
    hidden = relevant[~y]
    model = clone(model).fit(counts, y)
    decisions = model.decision_function(counts[~y])
    assert hidden[np.argsort(-decisions)[: hidden.sum()]].mean() > 0.9
    assert (decisions[hidden] > 0).mean() > 0.8
    assert (decisions[~hidden] > 0).mean() < 0.05


def test_the_criterion_is_recall_squared_by_the_accepted_share():
    # 3 of 4 positives, 10 of 40 unlabelled documents: (3/4)^2 / (1/4)
    assert lee_liu_criterion(np.array([1, 1, 1, -1]), np.repeat([1, -1], [10, 30])) == pytest.approx(2.25)


def test_the_criterion_orders_the_silent_the_greedy_and_the_right_ones():
    unlabeled = np.repeat([1.0, -1.0], [10, 90])
    greedy = lee_liu_criterion(np.ones(5), np.ones(100))
    silent = lee_liu_criterion(-np.ones(5), -np.ones(100))
    assert silent == 0 < greedy == 1 < lee_liu_criterion(np.ones(5), unlabeled)


def test_accepting_no_unlabelled_document_gives_a_number():
    assert lee_liu_criterion(np.ones(5), -np.ones(100)) == pytest.approx(200)


@pytest.mark.parametrize("model", VARIANTS)
def test_the_best_candidate_is_the_one_that_is_used(model):
    counts, y, _ = pages(30, 300, hidden=0.2, words=15, seed=2)
    model = clone(model).fit(counts, y)
    assert model.criterion_ == model.criteria_.max()
    grid = [(C, w) for C in model.C_values for w in getattr(model, "unlabeled_weights", (1.0,))]
    C, unlabeled_weight = grid[int(np.argmax(model.criteria_))]
    assert model.C_positive_ == C
    assert model.C_unlabeled_ == pytest.approx(C * unlabeled_weight * 30 / 300)


def test_of_equally_good_candidates_the_first_wins():
    counts, y, _ = pages(20, 100, hidden=0.0, words=200)
    model = WeightedLogistic(C_values=(5.0, 1.0), random_state=0).fit(counts, y)
    assert model.criteria_[0] == model.criteria_[1]
    assert model.C_positive_ == 5.0


def test_all_candidates_see_the_same_folds():
    counts, y, _ = pages(10, 100, hidden=0.3, words=8, seed=3)
    model = WeightedLogistic(C_values=(1.0, 1.0, 1.0), random_state=np.random.RandomState(0)).fit(counts, y)
    assert len(set(model.criteria_)) == 1


def test_errors_on_unlabelled_documents_cost_less_than_on_positives():
    counts, y, _ = pages(20, 400, hidden=0.2, words=15, seed=4)
    strict, lenient = (
        BiasedSVM(C_values=(1.0,), unlabeled_weights=(weight,), random_state=0).fit(counts, y) for weight in (3.0, 0.3)
    )
    assert lenient.C_unlabeled_ < strict.C_unlabeled_ < strict.C_positive_
    assert lenient.predict(counts[~y]).sum() > strict.predict(counts[~y]).sum()


@pytest.mark.parametrize("model", VARIANTS)
def test_two_positives_will_do_and_one_is_refused(model):
    counts, y, relevant = pages(2, 100)
    decisions = clone(model).fit(counts, y).decision_function(counts[~y])
    assert decisions[relevant[~y]].mean() > decisions[~relevant[~y]].mean()
    with pytest.raises(ValueError, match=r"Cross-fitting needs at least two positive .* Got 1 positive"):
        clone(model).fit(*pages(1, 100)[:2])


def test_penalties_that_are_none_are_refused():
    counts, y, _ = pages()
    with pytest.raises(ValueError, match=r"Penalties to choose from must be numbers above 0\. Got \[\(0\.0, 1\.0\)\]"):
        WeightedLogistic(C_values=(0.0,)).fit(counts, y)
    with pytest.raises(ValueError, match=r"Penalties to choose from must be numbers above 0\. Got \[\]"):
        BiasedSVM(unlabeled_weights=()).fit(counts, y)


def test_a_choice_reports_every_candidate():
    counts, y, _ = pages()
    rows = weighted_rows(counts, np.ones(counts.shape[1]))
    grid = [Penalties(1.0, 1.0), Penalties(10.0, 1.0)]
    choice = choose(grid, WeightedLogistic()._linear, rows, y, n_folds=3, random_state=0)
    assert len(choice.criteria) == 2
    assert choice.criteria[choice.best] == choice.criteria.max()
