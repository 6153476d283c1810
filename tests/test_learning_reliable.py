from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from topics import pages

from focused.method.learning.two_step import RELIABLE_NEGATIVES, TooFewReliableNegativesError, nearest_positives
from focused.method.learning.two_step.reliable_negatives import needed_negatives, noise_threshold
from focused.method.text.vocabulary import document_frequencies
from focused.method.text.weighting import inverse_document_frequency


def rows(*texts: str) -> sparse.csr_matrix:
    """Documents as strings of one-letter terms a-f."""
    return sparse.csr_matrix(np.array([[text.count(term) for term in "abcdef"] for text in texts], dtype=float))


def find(name, counts, y, **options):
    y = np.asarray(y, dtype=bool)
    return RELIABLE_NEGATIVES[name](counts[y], counts[~y], **options)


def unit_rows(counts) -> np.ndarray:
    """The tfc rows as the papers print them."""
    weighted = counts.toarray() * inverse_document_frequency(document_frequencies(counts), counts.shape[0])
    return weighted / np.linalg.norm(weighted, axis=1, keepdims=True)


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


@pytest.mark.parametrize("name", RELIABLE_NEGATIVES)
def test_pages_that_share_no_word_with_the_topic_are_reliable_negatives(name, easy):
    counts, y, relevant = easy
    found = find(name, counts, y, too_few="lowest", random_state=0)
    assert set(np.flatnonzero(~relevant[~y])) <= set(found.unlabeled_rows)
    if "positive_features_" in found.evidence:
        assert len(found.unlabeled_rows) == 30


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
    found = find("1-dnf", counts, [1, 1, 0, 0, 0, 0, 0], too_few="lowest")
    assert found.evidence["positive_features_"].tolist() == [0, 1]
    assert found.unlabeled_rows.tolist() == [0, 1, 4]
    assert found.threshold == 1.0


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
    assert find("1-dnfii", counts, y, min_occurrences=0).evidence["positive_features_"].tolist() == [0, 1, 2]
    found = find("1-dnfii", counts, y, min_occurrences=1)
    assert found.evidence["positive_features_"].tolist() == [0, 1]
    assert found.unlabeled_rows.tolist() == [0, 1, 3, 4]


def test_the_threshold_of_1_dnfii_rises_to_the_least_that_leaves_enough(caplog):
    counts = rows("aaab", "aabc", "acc", *["b"] * 4, *["c"] * 4, "bc")
    with caplog.at_level("INFO", logger="focused.method.learning.two_step.one_dnfii"):
        found = find("1-dnfii", counts, np.arange(12) < 3, min_occurrences=1)
    # All of U hold b, which occurs twice in P, or c, which occurs three times.
    assert found.evidence["min_occurrences_"] == 2
    assert found.evidence["positive_features_"].tolist() == [0, 2]
    assert found.unlabeled_rows.tolist() == [0, 1, 2, 3]
    assert "threshold raised from 1 to 2" in caplog.text


def test_the_threshold_of_1_dnfii_does_not_rise_above_the_number_of_positives():
    # To leave enough the threshold would have to pass the 9 occurrences of a; c alone would be left.
    counts = rows("aaab", "aaac", "aaab" + "c" * 10, *["a"] * 8, "b")
    with pytest.raises(TooFewReliableNegativesError, match=r"Got 0 with a threshold of 1 .* no higher one up to \|P\|"):
        find("1-dnfii", counts, np.arange(12) < 3, min_occurrences=1)


def test_the_threshold_of_1_dnfii_starts_at_half_of_p_where_a_term_is_that_frequent():
    counts, y, _ = pages(20, 200, words=40)
    assert find("1-dnfii", counts, y).evidence["min_occurrences_"] >= 10
    short, y, _ = pages(20, 200, words=5)
    assert find("1-dnfii", short, y, too_few="lowest").evidence["min_occurrences_"] < 10
    with pytest.raises(ValueError, match=r"min_occurrences must not be negative\. Got -1"):
        find("1-dnfii", counts, y, min_occurrences=-1)


def test_no_more_than_the_noise_share_of_spies_is_below_the_threshold():
    counts, y, _ = pages(100, 300, words=20)
    for noise in (0.0, 0.2):
        found = find("spy", counts, y, spy_share=0.2, noise=noise, random_state=0)
        assert len(found.evidence["spies_"]) == 20
        assert (found.evidence["spy_scores_"] <= found.threshold).sum() == 20 * noise


def test_the_spies_are_drawn_by_the_seed():
    counts, y, _ = pages(40, 300)
    first, same, other = (find("spy", counts, y, random_state=seed) for seed in (1, 1, 2))
    assert (first.evidence["spies_"] == same.evidence["spies_"]).all()
    assert (first.evidence["spies_"] != other.evidence["spies_"]).any()
    assert (first.unlabeled_rows == same.unlabeled_rows).all()


def test_rocchio_compares_the_cosines_with_two_prototypes():
    counts = rows("ab", "ac", "de", "df", "ef", "ad")
    y = np.arange(6) < 2
    found = find("rocchio", counts, y, alpha=16, beta=4)
    weighted = unit_rows(counts)
    p = 16 * weighted[:2].mean(axis=0) - 4 * weighted[2:].mean(axis=0)
    u = 16 * weighted[2:].mean(axis=0) - 4 * weighted[:2].mean(axis=0)
    expected = weighted @ (p / np.linalg.norm(p)) - weighted @ (u / np.linalg.norm(u))
    assert found.scores == pytest.approx(expected[~y])
    assert found.unlabeled_rows.tolist() == np.flatnonzero(expected[~y] <= 0).tolist()


def test_the_nearest_positives_are_averaged_and_a_positive_leaves_itself_out():
    counts = rows("a", "ab", "b", "c", "bc", "d", "de", "e")
    y = np.arange(8) < 3
    found = find("knn", counts, y, n_neighbors=2, noise=0.0)
    unit = unit_rows(counts)
    cosines = unit @ unit[:3].T
    own = cosines[:3].copy()
    np.fill_diagonal(own, -1)
    scores = np.sort(cosines, axis=1)[:, -2:].mean(axis=1)
    assert found.threshold == pytest.approx(np.sort(own, axis=1)[:, -2:].mean(axis=1).min())
    assert found.scores == pytest.approx(scores[~y])


def test_cosines_are_the_same_however_many_are_held_at_a_time(monkeypatch):
    counts, y, _ = pages(20, 100)
    at_once = find("knn", counts, y, too_few="lowest")
    monkeypatch.setattr(nearest_positives, "_CHUNK", 130)
    in_parts = find("knn", counts, y, too_few="lowest")
    assert in_parts.threshold == at_once.threshold
    assert (in_parts.scores == at_once.scores).all()


def test_below_most_leaves_at_most_the_noise_share_under_the_threshold():
    values = np.arange(20.0)
    for noise, n_below in ((0.0, 0), (0.04, 0), (0.05, 1), (0.5, 10)):
        assert (values <= noise_threshold(values, noise)).sum() == n_below
    with pytest.raises(ValueError, match=r"noise must be in \[0, 1\)\. Got 1"):
        noise_threshold(values, 1)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("spy", {"spy_share": 0.0}, r"spy_share must be in \(0, 1\)\. Got 0\.0"),
        ("rocchio", {"alpha": -1.0}, r"alpha and beta must not be negative\. Got -1\.0 and 4\.0"),
        ("knn", {"n_neighbors": 0}, r"n_neighbors must be at least 1\. Got 0"),
    ],
)
def test_parameters_outside_their_range_are_refused(name, options, message):
    with pytest.raises(ValueError, match=message):
        find(name, *pages()[:2], **options)


@pytest.fixture
def navigated():
    """Pages of a site: a word of its navigation, `a`, is on 29 of 30 positives and 260 of 290 others, by chance more
    often on the former; `b` is on positives only."""
    counts = np.zeros((320, 3))
    counts[:29, 0] = counts[30:290, 0] = 1
    counts[:25, 1] = counts[30:60, 1] = 1
    counts[:, 2] = np.arange(320) % 3
    return sparse.csr_matrix(counts), np.arange(320) < 30


def test_where_navigation_leaves_too_few_the_rare_features_alone_count(navigated):
    counts, y = navigated
    with pytest.raises(TooFewReliableNegativesError):
        find("1-dnfc", counts, y, lambda_start=0.2, min_share=0.5)
    found = find("1-dnfc-rare", counts, y, min_share=0.5)
    assert found.evidence["positive_features_"].tolist() == [1]
    assert found.evidence["most_common_"] < 260 / 290
    assert len(found.unlabeled_rows) == 260


def test_where_1dnfc_finds_enough_rare_features_change_nothing(easy):
    counts, y, _ = easy
    printed, ours = find("1-dnfc", counts, y), find("1-dnfc-rare", counts, y)
    assert ours.evidence["most_common_"] == 1
    assert ours.unlabeled_rows.tolist() == printed.unlabeled_rows.tolist()
