from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from topics import pages, texts

from focused.method.learning.two_step.batch_svm import BatchSVM
from focused.method.learning.two_step.incremental_svm import IncrementalSVM
from focused.method.learning.two_step.informative_examples import least_clear, strongest, word_shares
from focused.method.text.vocabulary import total_frequencies
from focused.method.text.weighting import weighted_rows

ESTIMATORS = [
    IncrementalSVM(too_few="all", random_state=0),
    IncrementalSVM(unlabeled_are_negative=True, random_state=0),
    BatchSVM(too_few="all", random_state=0),
]


@pytest.fixture(scope="module")
def labelled():
    """Pages whose labels are complete, and 15 % of them wrong, so that no SVM gets all of them right."""
    counts, _, relevant = pages(0, 600, hidden=0.3, words=15, seed=3)
    wrong = np.random.default_rng(0).random(600) < 0.15
    return counts, relevant ^ wrong, relevant


@pytest.fixture(scope="module")
def incremental(labelled):
    return IncrementalSVM(unlabeled_are_negative=True, random_state=0).fit(*labelled[:2])


def unseen(seed: int = 9) -> tuple[sparse.csr_matrix, np.ndarray]:
    rng = np.random.default_rng(seed)
    relevant = rng.random(600) < 0.3
    return texts(relevant, 15, rng), relevant


def test_q_adds_up_the_share_of_each_word_that_a_document_holds():
    counts = sparse.csr_matrix(np.array([[2.0, 0, 1], [2, 1, 0], [0, 0, 0]]))
    assert word_shares(counts, total_frequencies(counts)) == pytest.approx([2 / 4 + 1, 2 / 4 + 1, 0])
    assert word_shares(counts, np.array([8.0, 1, 4])) == pytest.approx([0.5, 1.25, 0])


def test_dark_are_the_rightly_classified_documents_with_the_lowest_q_but_no_empty_ones():
    q = np.array([0.0, 0.5, 0.1, 0.3, 0.3, 0.9])
    right = np.array([True, True, False, True, True, True])
    assert np.flatnonzero(least_clear(q, right, 50)).tolist() == [3, 4]
    assert np.flatnonzero(least_clear(q, right, 10)).tolist() == [3]
    assert not least_clear(q, right, 0).any()
    assert not least_clear(q, np.zeros(6, dtype=bool), 100).any()


def test_each_svm_is_trained_on_support_vectors_mistakes_and_dark_documents_of_the_last(labelled):
    counts, y, _ = labelled
    first = IncrementalSVM(unlabeled_are_negative=True, max_rounds=1, random_state=0).fit(counts, y)
    second = IncrementalSVM(unlabeled_are_negative=True, max_rounds=2, random_state=0).fit(counts, y)
    assert first.n_trained_on_[0] == np.ceil(0.2 * y.sum()) + np.ceil(0.2 * (~y).sum())
    decisions = first.decision_function(counts)
    assert (decisions == next(second.staged_decision_function(counts))).all()
    wrong = (decisions > 0) != y
    dark = least_clear(word_shares(counts, total_frequencies(counts)), ~wrong, 10)
    assert (first.n_false_[0], first.n_dark_[0]) == (wrong.sum(), dark.sum())
    outside = wrong | dark
    margins = np.where(y, decisions, -decisions)
    assert outside.sum() <= second.n_trained_on_[1] <= (outside | (margins < 1)).sum()
    assert first.n_support_[0] <= first.n_trained_on_[0]


def test_the_rounds_end_when_nothing_is_wrong():
    counts, y, relevant = pages(30, 300, hidden=0.0, seed=1)
    model = IncrementalSVM(unlabeled_are_negative=True, random_state=0).fit(counts, y)
    assert model.termination_condition_ == "none_false"
    assert model.n_false_[-1] == 0
    assert (model.n_false_[:-1] > 0).all()
    assert (model.predict(counts) == relevant).all()


def test_the_rounds_end_when_the_mistakes_stay_the_same(labelled, incremental):
    assert incremental.termination_condition_ == "false_unchanged"
    stages = [(stage > 0) != labelled[1] for stage in incremental.staged_decision_function(labelled[0])]
    assert (stages[-1] == stages[-2]).all()
    assert (stages[-2] == stages[-3]).all()
    assert not any(
        (one == two).all() and (two == three).all()
        for one, two, three in zip(stages[:-3], stages[1:-2], stages[2:-1], strict=True)
    )
    assert [stage.sum() for stage in stages] == incremental.n_false_.tolist()


def test_a_round_limit_is_named_as_the_reason(labelled):
    model = IncrementalSVM(unlabeled_are_negative=True, max_rounds=2, random_state=0).fit(*labelled[:2])
    assert (model.n_iter_, model.termination_condition_) == (2, "max_rounds")


def test_the_last_stage_is_the_decision(labelled, incremental):
    stages = list(incremental.staged_decision_function(labelled[0]))
    assert len(stages) == incremental.n_iter_
    assert (stages[-1] == incremental.decision_function(labelled[0])).all()


def test_a_part_of_the_examples_gives_nearly_the_svm_of_all(labelled, incremental):
    counts, y, _ = labelled
    batch = BatchSVM(unlabeled_are_negative=True, random_state=0).fit(counts, y)
    assert incremental.n_trained_on_[-1] < len(y)
    others, relevant = unseen()
    assert (incremental.predict(others) == batch.predict(others)).mean() > 0.93
    accuracy = (incremental.predict(others) == relevant).mean()
    assert accuracy == pytest.approx((batch.predict(others) == relevant).mean(), abs=0.03)


def test_the_support_vectors_alone_give_the_same_svm(labelled):
    """What the method rests on, and why a class weighs the same whatever part of it is trained on."""
    counts, y, _ = labelled
    batch = BatchSVM(unlabeled_are_negative=True, random_state=0).fit(counts, y)
    support = np.where(y, 1, -1) * batch.decision_function(counts) < 1 + 1e-3
    assert support.sum() < len(y)
    coef, intercept = batch._train(weighted_rows(counts[support], batch.term_weights_), y[support])
    assert coef == pytest.approx(batch.coef_[0], abs=2e-3)
    assert intercept == pytest.approx(batch.intercept_[0], abs=2e-3)


@pytest.mark.parametrize("estimator", [IncrementalSVM(random_state=0), BatchSVM(random_state=0)])
def test_from_positives_and_unlabelled_pages_the_negatives_are_reliable_ones(estimator):
    counts, y, relevant = pages(seed=1)
    model = clone(estimator).fit(counts, y)
    assert not y[model.reliable_negatives_].any()
    assert relevant[model.reliable_negatives_].mean() < 0.03
    assert model.n_examples_seen_.tolist() == [len(model.reliable_negatives_), 20]
    decisions = model.decision_function(counts[~y])
    hidden = relevant[~y]
    assert hidden[np.argsort(-decisions)[: hidden.sum()]].mean() > 0.9


@pytest.mark.parametrize("name", ["IncrementalSVM", "BatchSVM"])
def test_verdicts_teach_what_the_first_training_set_did_not_hold(name):
    """A second kind of relevant page, without a word of the first kind."""
    rng = np.random.default_rng(5)
    counts, y, _ = pages(40, 200, hidden=0.0, seed=2)
    counts = sparse.hstack([counts, sparse.csr_matrix((240, 10))], format="csr")
    new_kind = sparse.csr_matrix(
        np.hstack([texts(np.zeros(60, bool), 30, rng).toarray(), rng.poisson(1.0, (60, 10))]).astype(float)
    )
    # Each of the new words once in the first set, or their idf would be 0 until the next fit.
    counts = counts.tolil()
    counts[range(230, 240), range(160, 170)] = 1
    model = {"IncrementalSVM": IncrementalSVM, "BatchSVM": BatchSVM}[name](unlabeled_are_negative=True, random_state=0)
    model.fit(counts.tocsr(), y)
    assert model.predict(new_kind[30:]).mean() < 0.2
    before = model.decision_function(counts.tocsr()[:40]).mean()
    model.partial_fit(new_kind[:30], np.ones(30, dtype=bool))
    assert model.predict(new_kind[30:]).mean() > 0.9
    assert model.predict(counts.tocsr()[:40]).mean() > 0.95, f"forgot the first kind, which had {before:.2f}"
    assert model.n_examples_seen_.tolist() == [200, 70]


def test_after_verdicts_the_incremental_svm_agrees_with_the_one_that_keeps_everything(labelled):
    counts, y, _ = labelled
    models = [each(unlabeled_are_negative=True, random_state=0) for each in (IncrementalSVM, BatchSVM)]
    for model in models:
        model.fit(counts[:200], y[:200])
        for start in range(200, 600, 50):
            model.partial_fit(counts[start : start + 50], y[start : start + 50])
    incremental, batch = models
    assert batch.examples_.shape[0] == 600
    assert incremental.examples_.shape[0] < 500
    others, _ = unseen()
    assert (incremental.predict(others) == batch.predict(others)).mean() > 0.9


def test_what_is_kept_is_bounded_and_the_bound_reported(labelled):
    counts, y, _ = labelled
    free = IncrementalSVM(unlabeled_are_negative=True, random_state=0).fit(counts, y)
    bound = IncrementalSVM(unlabeled_are_negative=True, max_examples=60, random_state=0).fit(counts, y)
    assert free.n_dropped_ == 0
    assert bound.examples_.shape[0] == 60
    assert bound.n_dropped_ == free.examples_.shape[0] - 60
    assert bound.example_labels_.sum() == 30
    for start in range(0, 600, 100):
        bound.partial_fit(counts[start : start + 100], y[start : start + 100])
        assert bound.examples_.shape[0] <= 60


def test_the_examples_with_the_smallest_margins_of_both_classes_are_kept():
    margins = np.array([0.9, 0.1, -2.0, 0.5, -1.0, 0.2])
    positive = np.array([True, True, False, False, False, False])
    assert strongest(margins, positive, 4).tolist() == [0, 1, 2, 4]
    assert strongest(margins, positive, 2).tolist() == [1, 2]
    assert strongest(margins, positive, 6).tolist() == list(range(6))


@pytest.mark.parametrize("estimator", [IncrementalSVM(random_state=0), BatchSVM(random_state=0)])
def test_one_example_of_a_class_and_pages_without_words_are_enough(estimator):
    counts, y, _ = pages(1, 60, hidden=0.0, seed=6)
    counts = sparse.vstack([counts, sparse.csr_matrix((30, counts.shape[1]))], format="csr")
    model = clone(estimator).set_params(unlabeled_are_negative=True).fit(counts, np.append(y, np.zeros(30, bool)))
    assert model.predict(counts[:1]).all()
    model.partial_fit(counts[-1:], [False])
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("estimator", [IncrementalSVM(random_state=0), BatchSVM(random_state=0)])
def test_neither_fit_nor_partial_fit_densifies_or_changes_its_input(estimator, monkeypatch):
    counts, y, _ = pages()
    before = counts.copy()
    for name in ("toarray", "todense"):
        monkeypatch.setattr(sparse.csr_matrix, name, lambda *_: pytest.fail("densified"))
    clone(estimator).fit(counts, y).partial_fit(counts[:9], y[:9]).predict(counts)
    assert (counts != before).nnz == 0


def test_the_same_seed_gives_the_same_model(labelled, incremental):
    again = IncrementalSVM(unlabeled_are_negative=True, random_state=0).fit(*labelled[:2])
    assert (again.round_coefs_ == incremental.round_coefs_).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"mu": 101}, r"mu must be a percentage in \[0, 100\]\. Got 101"),
        ({"start_share": 0}, r"start_share must be in \(0, 1\]\. Got 0"),
        ({"patience": 0}, r"patience must be at least 1\. Got 0"),
        ({"max_rounds": 0}, r"max_rounds must be at least 1\. Got 0"),
        ({"max_examples": 1}, r"max_examples must be at least 2\. Got 1"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        IncrementalSVM(**parameters).fit(*pages()[:2])


def test_the_way_to_find_negatives_can_be_chosen():
    counts, y, _ = pages(seed=1)
    spied, all_others = (
        BatchSVM(random_state=0, **chosen).fit(counts, y)
        for chosen in ({"reliable": "spy"}, {"unlabeled_are_negative": True})
    )
    assert len(spied.reliable_negatives_) < 200
    assert (all_others.reliable_negatives_ == np.arange(20, 220)).all()
    with pytest.raises(ValueError, match=r"reliable must be one of 1-dnf, .* Got '1-dnx'"):
        IncrementalSVM(reliable="1-dnx").fit(counts, y)


def test_too_few_reliable_negatives_stop_training_unless_a_way_out_is_chosen():
    counts, y, _ = pages()
    everywhere = sparse.hstack([counts, np.ones((220, 1)) + 5 * y[:, np.newaxis]], format="csr")
    everywhere = everywhere.tolil()
    everywhere[20, 160] = 0  # one page of 220 lacks a word that all others hold
    everywhere = everywhere.tocsr()
    for estimator in (IncrementalSVM(too_few="error", random_state=0), BatchSVM(too_few="error", random_state=0)):
        with pytest.raises(ValueError, match="reliable negatives"):
            clone(estimator).fit(everywhere, y)
        lowest = clone(estimator).set_params(too_few="lowest").fit(everywhere, y)
        assert 20 <= len(lowest.reliable_negatives_) < 200
        assert len(clone(estimator).set_params(too_few="all").fit(everywhere, y).reliable_negatives_) == 200


def test_verdicts_with_unknown_labels_are_refused():
    counts, y, _ = pages()
    for estimator in (IncrementalSVM(), BatchSVM()):
        model = estimator.fit(counts, y.astype(int))
        with pytest.raises(ValueError, match=r"the labels of fit, 0 \(negative\) or 1 \(positive\)\. Got 2"):
            model.partial_fit(counts[:2], [1, 2])
