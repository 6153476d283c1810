from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from topics import pages

from focused.method.learning.two_step import (
    RELIABLE_NEGATIVES,
    NearestPositives,
    OneDNF,
    OneDNFC,
    OneDNFII,
    Rocchio,
    Spy,
    TooFewReliableNegativesError,
    nearest_positives,
)
from focused.method.learning.two_step.reliable_negatives import below_most, needed_negatives

FINDERS = [OneDNF(), OneDNFC(), OneDNFII(), Spy(random_state=0), Rocchio(), NearestPositives()]


def rows(*texts: str) -> sparse.csr_matrix:
    """Documents as strings of one-letter terms a-f."""
    return sparse.csr_matrix(np.array([[text.count(term) for term in "abcdef"] for text in texts], dtype=float))


@pytest.fixture
def easy():
    """Counts in which 30 unlabelled pages share no word with the topic, and 20 are hidden positives."""
    rng = np.random.default_rng(0)
    relevant = np.arange(60) < 30
    counts = np.zeros((60, 20))
    counts[:30, :10] = rng.integers(0, 2, size=(30, 10))
    counts[:30, 0] = 1
    counts[30:, 10:] = rng.integers(0, 2, size=(30, 10))
    return sparse.csr_matrix(counts), np.arange(60) < 10, relevant


@pytest.mark.parametrize("finder", FINDERS)
def test_pages_that_share_no_word_with_the_topic_are_reliable_negatives(finder, easy):
    counts, y, relevant = easy
    found = clone(finder).fit(counts, y)
    assert set(np.flatnonzero(~relevant)) <= set(found.reliable_negatives_)
    if hasattr(found, "positive_features_"):
        assert len(found.reliable_negatives_) == 30


@pytest.mark.parametrize("finder", FINDERS)
def test_an_unlabelled_page_is_labelled_as_the_search_found_it(finder, easy):
    counts, y, _ = easy
    found = clone(finder).fit(counts, y)
    labelled_negative = np.flatnonzero(~y)[~found.predict(counts[~y])]
    assert labelled_negative.tolist() == found.reliable_negatives_.tolist()


@pytest.mark.parametrize("method", RELIABLE_NEGATIVES.values(), ids=RELIABLE_NEGATIVES)
def test_reliable_negatives_hold_fewer_hidden_positives_than_u(method):
    counts, y, relevant = pages(20, 300, seed=3)
    found = method(counts[y], counts[~y], too_few="lowest", random_state=0)
    assert relevant[~y][found.unlabeled_rows].mean() < 0.5 * relevant[~y].mean()
    assert (found.scores[found.unlabeled_rows] <= found.threshold).all()
    assert len(found.unlabeled_rows) == (found.scores <= found.threshold).sum() >= 20


@pytest.mark.parametrize("method", RELIABLE_NEGATIVES.values(), ids=RELIABLE_NEGATIVES)
def test_too_few_are_refused_or_made_up_for(method):
    counts = sparse.csr_matrix(np.ones((30, 3)))
    positive, unlabeled = counts[:10], counts[10:]
    with pytest.raises(TooFewReliableNegativesError, match=r"at least 10 reliable negatives among 20 .* Got "):
        method(positive, unlabeled, random_state=0)
    assert len(method(positive, unlabeled, too_few="all", random_state=0).unlabeled_rows) == 20
    with pytest.raises(ValueError, match=r"too_few must be one of error, all, lowest\. Got 'none'"):
        method(positive, unlabeled, too_few="none", random_state=0)


def test_lowest_makes_up_the_number_with_the_next_best_documents():
    counts = rows("ab", "ab", "a", "b", "ab", "abc", "c")
    found = OneDNF(too_few="lowest").fit(counts, [1, 1, 0, 0, 0, 0, 0])
    assert found.positive_features_.tolist() == [0, 1]
    assert found.reliable_negatives_.tolist() == [2, 3, 6]
    assert found.threshold_ == 1.0


@pytest.mark.parametrize("method", RELIABLE_NEGATIVES.values(), ids=RELIABLE_NEGATIVES)
def test_documents_and_terms_that_hold_nothing_do_no_harm(method):
    counts, y, _ = pages(20, 300, words=20, seed=3)
    counts = sparse.hstack([counts, sparse.csr_matrix((320, 2))], format="csr")
    counts = sparse.vstack([sparse.csr_matrix((1, 162)), counts, sparse.csr_matrix((9, 162))], format="csr")
    y = np.concatenate([[True], y, np.zeros(9, dtype=bool)])
    found = method(counts[y], counts[~y], too_few="lowest", random_state=0)
    assert np.isfinite(found.scores).all()


def test_a_missing_class_is_refused():
    counts, y, _ = pages()
    with pytest.raises(ValueError, match=r"at least one positive and one unlabelled document\. Got 20 and 0"):
        needed_negatives(20, 0, 0.05)
    for method in (RELIABLE_NEGATIVES["spy"], RELIABLE_NEGATIVES["knn"]):
        with pytest.raises(ValueError, match=r"at least two positive documents.* Got 1"):
            method(counts[:1], counts[~y])


def test_the_number_needed_is_that_of_the_positives_or_a_share_of_u():
    assert needed_negatives(10, 100, 0.05) == 10
    assert needed_negatives(10, 1001, 0.05) == 51
    with pytest.raises(ValueError, match=r"min_share must be in \[0, 1\]\. Got 1.5"):
        needed_negatives(10, 100, 1.5)


def test_a_positive_feature_of_1_dnfii_occurs_more_often_than_the_threshold():
    counts = rows("aab", "ab", "bc", "c", "d", "ad", "de", "e")
    y = [1, 1, 1, 0, 0, 0, 0, 0]
    # a and b occur three times in P; c is held by a fifth of U and a third of P, but occurs once.
    assert OneDNFII(min_occurrences=0).fit(counts, y).positive_features_.tolist() == [0, 1, 2]
    found = OneDNFII(min_occurrences=1).fit(counts, y)
    assert found.positive_features_.tolist() == [0, 1]
    assert found.reliable_negatives_.tolist() == [3, 4, 6, 7]


def test_the_threshold_of_1_dnfii_rises_to_the_least_that_leaves_enough(caplog):
    counts = rows("aaab", "aabc", "acc", *["b"] * 4, *["c"] * 4, "bc")
    with caplog.at_level("INFO", logger="focused.method.learning.two_step.one_dnfii"):
        found = OneDNFII(min_occurrences=1).fit(counts, np.arange(12) < 3)
    # All of U hold b, which occurs twice in P, or c, which occurs three times.
    assert found.min_occurrences_ == 2
    assert found.positive_features_.tolist() == [0, 2]
    assert found.reliable_negatives_.tolist() == [3, 4, 5, 6]
    assert "threshold raised from 1 to 2" in caplog.text


def test_the_threshold_of_1_dnfii_does_not_rise_above_the_number_of_positives():
    # To leave enough the threshold would have to pass the 9 occurrences of a; c alone would be left.
    counts = rows("aaab", "aaac", "aaab" + "c" * 10, *["a"] * 8, "b")
    with pytest.raises(TooFewReliableNegativesError, match=r"Got 0 with a threshold of 1 .* no higher one up to \|P\|"):
        OneDNFII(min_occurrences=1, too_few="error").fit(counts, np.arange(12) < 3)


def test_the_threshold_of_1_dnfii_starts_at_half_of_p_where_a_term_is_that_frequent():
    counts, y, _ = pages(20, 200, words=40)
    assert OneDNFII().fit(counts, y).min_occurrences_ >= 10
    short, y, _ = pages(20, 200, words=5)
    assert OneDNFII().fit(short, y).min_occurrences_ < 10
    with pytest.raises(ValueError, match=r"min_occurrences must not be negative\. Got -1"):
        OneDNFII(min_occurrences=-1).fit(counts, y)


def test_no_more_than_the_noise_share_of_spies_is_below_the_threshold():
    counts, y, _ = pages(100, 300, words=20)
    for noise in (0.0, 0.2):
        found = Spy(spy_share=0.2, noise=noise, random_state=0).fit(counts, y)
        assert len(found.spies_) == 20
        spies = np.flatnonzero(y)[found.spies_]
        assert (found.decision_function(counts[spies]) <= 0).sum() == 20 * noise


def test_the_spies_are_drawn_by_the_seed():
    counts, y, _ = pages(40, 300)
    first, same, other = (Spy(random_state=seed).fit(counts, y) for seed in (1, 1, 2))
    assert (first.spies_ == same.spies_).all()
    assert (first.spies_ != other.spies_).any()
    assert (first.reliable_negatives_ == same.reliable_negatives_).all()


def test_rocchio_compares_the_cosines_with_two_prototypes():
    counts = rows("ab", "ac", "de", "df", "ef", "ad")
    y = np.arange(6) < 2
    found = Rocchio(alpha=16, beta=4).fit(counts, y)
    weighted = counts.toarray() * found.idf_
    weighted /= np.linalg.norm(weighted, axis=1, keepdims=True)
    p = 16 * weighted[:2].mean(axis=0) - 4 * weighted[2:].mean(axis=0)
    u = 16 * weighted[2:].mean(axis=0) - 4 * weighted[:2].mean(axis=0)
    expected = weighted @ (p / np.linalg.norm(p)) - weighted @ (u / np.linalg.norm(u))
    assert found.decision_function(counts) == pytest.approx(expected)
    assert found.reliable_negatives_.tolist() == np.flatnonzero((expected <= 0) & ~y).tolist()


def test_the_nearest_positives_are_averaged_and_a_positive_leaves_itself_out():
    counts = rows("a", "ab", "b", "c", "bc", "d", "de", "e")
    y = np.arange(8) < 3
    found = NearestPositives(n_neighbors=2, noise=0.0).fit(counts, y)
    unit = counts.toarray() * found.idf_
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    cosines = unit @ unit[:3].T
    own = cosines[:3].copy()
    np.fill_diagonal(own, -1)
    scores = np.sort(cosines, axis=1)[:, -2:].mean(axis=1)
    assert found.threshold_ == pytest.approx(np.sort(own, axis=1)[:, -2:].mean(axis=1).min())
    assert found.decision_function(counts) + found.threshold_ == pytest.approx(scores)


def test_cosines_are_the_same_however_many_are_held_at_a_time(monkeypatch):
    counts, y, _ = pages(20, 100)
    at_once = NearestPositives().fit(counts, y)
    monkeypatch.setattr(nearest_positives, "_CHUNK", 130)
    in_parts = NearestPositives().fit(counts, y)
    assert in_parts.threshold_ == at_once.threshold_
    assert (in_parts.decision_function(counts) == at_once.decision_function(counts)).all()


def test_below_most_leaves_at_most_the_noise_share_under_the_threshold():
    values = np.arange(20.0)
    for noise, n_below in ((0.0, 0), (0.04, 0), (0.05, 1), (0.5, 10)):
        assert (values <= below_most(values, noise)).sum() == n_below
    with pytest.raises(ValueError, match=r"noise must be in \[0, 1\)\. Got 1"):
        below_most(values, 1)


@pytest.mark.parametrize(
    ("finder", "message"),
    [
        (Spy(spy_share=0.0), r"spy_share must be in \(0, 1\)\. Got 0\.0"),
        (Rocchio(alpha=-1.0), r"alpha and beta must not be negative\. Got -1\.0 and 4\.0"),
        (NearestPositives(n_neighbors=0), r"n_neighbors must be at least 1\. Got 0"),
    ],
)
def test_parameters_outside_their_range_are_refused(finder, message):
    with pytest.raises(ValueError, match=message):
        finder.fit(*pages()[:2])
