from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from topics import pages

from focused.method.learning.two_step.naive_bayes import NaiveBayes, most_informative


def log_odds(train: np.ndarray, positive: np.ndarray, text: np.ndarray, *, gain: bool, prior: float) -> float:
    """Equations 4 to 10 of L16 one by one, for the kept terms of dense arrays."""
    n_i = (train > 0).sum(axis=0)
    idf = np.log(len(train) / n_i)

    def entropy(p: np.ndarray) -> float:
        p = p[p > 0]
        return -(p * np.log2(p)).sum()

    of_documents = entropy(train.sum(axis=1) / train.sum())
    gains = [max(of_documents - entropy(term / term.sum()), 0.0) if gain else 1.0 for term in train.T]

    def weights(document: np.ndarray) -> np.ndarray:
        return document * idf * gains / np.sqrt(((document * idf) ** 2).sum())

    posteriors = []
    for members, share in ((positive, prior), (~positive, 1 - prior)):
        masses = sum(weights(document) for document in train[members])
        probabilities = (1 + masses) / (len(masses) + masses.sum())
        posteriors.append(np.log(share) + (weights(text) * np.log(probabilities)).sum())
    return posteriors[0] - posteriors[1]


@pytest.mark.parametrize("weighting", ["itfidf", "tfidf"])
@pytest.mark.parametrize("prior", [0.5, 0.1])
def test_the_decision_is_the_log_odds_of_the_printed_equations(weighting, prior):
    counts, _, relevant = pages(0, 150, hidden=0.4, words=60, seed=3)
    model = NaiveBayes(weighting=weighting, prior=prior, unlabeled_are_negative=True).fit(counts, relevant)
    train = counts.toarray()
    expected = [log_odds(train, relevant, text, gain=weighting == "itfidf", prior=prior) for text in train[:20]]
    assert model.decision_function(counts[:20]) == pytest.approx(expected)


def test_probabilities_of_a_class_sum_to_one_over_the_kept_terms():
    counts, y, _ = pages()
    for share in (1.0, 0.3):
        model = NaiveBayes(term_share=share).fit(counts, y)
        assert np.exp(model.term_log_prob_).sum(axis=1) == pytest.approx([1, 1])


@pytest.mark.parametrize("weighting", ["itfidf", "tfidf"])
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_hidden_positives_are_ranked_first(weighting, share):
    counts, y, relevant = pages(seed=1)
    model = NaiveBayes(weighting=weighting, term_share=share).fit(counts, y)
    hidden = relevant[~y]
    assert hidden[np.argsort(-model.decision_function(counts[~y]))[: hidden.sum()]].mean() > 0.9
    assert not y[model.reliable_negatives_].any()


def test_the_most_informative_terms_are_kept_with_ties_and_without_those_that_nobody_holds():
    information = np.array([0.5, 2.0, -np.inf, 0.5, 0.1])
    assert most_informative(information, 0.25).tolist() == [1]
    assert most_informative(information, 0.5).tolist() == [0, 1, 3]
    assert most_informative(information, 1.0).tolist() == [0, 1, 3, 4]
    assert most_informative(np.full(2, -np.inf), 1.0).tolist() == []


def test_pruned_terms_have_no_part_in_the_decision():
    counts, y, _ = pages()
    model = NaiveBayes(term_share=0.3).fit(counts, y)
    pruned = np.setdiff1d(np.arange(counts.shape[1]), model.kept_terms_)
    assert not model.coef_[0, pruned].any()
    assert not model.term_weights_[pruned].any()
    assert len(model.kept_terms_) < 0.4 * counts.shape[1]


def test_the_prior_moves_the_border_and_not_the_ranking():
    counts, _, relevant = pages(0, 300, hidden=0.2)
    even, rare, counted = (
        NaiveBayes(prior=prior, unlabeled_are_negative=True).fit(counts, relevant) for prior in (0.5, 0.01, None)
    )
    assert even.intercept_[0] == 0
    assert rare.intercept_[0] == pytest.approx(np.log(0.01 / 0.99))
    assert counted.intercept_[0] == pytest.approx(np.log(relevant.mean() / (1 - relevant.mean())))
    assert (even.coef_ == rare.coef_).all()


def test_one_document_a_class_and_documents_without_words_are_enough():
    counts = sparse.csr_matrix(np.array([[2.0, 1, 0, 0], [0, 1, 3, 0], [0, 0, 0, 0]]))
    model = NaiveBayes(unlabeled_are_negative=True).fit(counts, [1, 0, 0])
    assert model.predict(counts).tolist() == [1, 0, 0]
    assert np.isfinite(model.coef_).all()
    assert not NaiveBayes(unlabeled_are_negative=True).fit(counts * 0, [1, 0, 0]).coef_.any()


def test_fitting_neither_densifies_nor_changes_its_input(monkeypatch):
    counts, y, _ = pages()
    before = counts.copy()
    for name in ("toarray", "todense"):
        monkeypatch.setattr(sparse.csr_matrix, name, lambda *_: pytest.fail("densified"))
    NaiveBayes().fit(counts, y).predict(counts)
    assert (counts != before).nnz == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weighting": "idf"}, "weighting must be one of itfidf, tfidf. Got 'idf'"),
        ({"term_share": 0}, r"term_share must be in \(0, 1\]. Got 0"),
        ({"prior": 1.0}, "prior must be None or lie between 0 and 1. Got 1.0"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        NaiveBayes(**parameters).fit(*pages()[:2])
