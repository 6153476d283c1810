"""A topic from words alone: neighbours join in, pages are ordered, and what is assumed is assumed as said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import average_precision_score
from topics import N_TERMS, OTHER, TOPICAL, pages, texts

from focused.method.learning.assumed_relevance import PRIOR, assumed_relevance
from focused.method.learning.keywords import SHARE, train_keywords
from focused.method.learning.keywords_met import fit_keywords
from focused.method.learning.training import LinkExamples

WORDS = TOPICAL[:3]


def unlabeled(n: int = 600, seed: int = 0) -> tuple[sparse.csr_matrix, np.ndarray]:
    counts, _, relevant = pages(0, n, hidden=0.08, seed=seed)
    return counts, relevant


def test_pages_are_ordered_better_than_by_the_words_they_hold() -> None:
    model = train_keywords(unlabeled()[0], WORDS)
    counts, relevant = unlabeled(seed=1)
    ordered = average_precision_score(relevant, model.decisions(counts)[0])
    n_words = np.asarray(counts[:, WORDS].sum(axis=1)).ravel()
    assert ordered > average_precision_score(relevant, n_words) + 0.1


def test_words_that_stand_beside_the_keywords_join_the_topic() -> None:
    model = train_keywords(unlabeled()[0], WORDS)
    coef = np.zeros(N_TERMS)
    coef[model.term_indices] = model.coef
    assert {column for column, _ in model.positive_terms[:3]} == set(WORDS.tolist())
    neighbours = np.setdiff1d(TOPICAL, WORDS)
    assert coef[neighbours].min() > 0
    assert np.median(coef[neighbours]) > coef[OTHER].max()


def test_the_share_of_pages_that_is_said_is_relevant() -> None:
    counts, _ = unlabeled()
    for is_background, name in ((False, "unlabeled"), (True, "background")):
        model = train_keywords(counts, WORDS, is_background=is_background)
        accepted = model.relevance("page", *model.decisions(counts)) >= model.threshold("page")
        assert accepted.mean() == pytest.approx(SHARE[name], abs=0.01)
        assert model.figures.share == SHARE[name]
        assert all(each.threshold > each.prior for each in model.calibrations.values())
        assert model.calibrations["page"].prior == pytest.approx(PRIOR)


def test_every_kind_of_unit_is_calibrated_and_a_topical_text_is_more_relevant() -> None:
    model = train_keywords(unlabeled()[0], WORDS)
    two = texts(np.array([True, False]), 60, np.random.default_rng(3))
    for kind in ("page", "block", "anchor", "context"):
        topical, other = model.relevance(kind, *model.decisions(two))
        assert topical > other


def test_links_among_the_pages_are_learnt_from_unless_they_are_a_background() -> None:
    counts, relevant = unlabeled()
    rng = np.random.default_rng(0)
    targets = rng.integers(0, 600, 300)
    anchors = texts(relevant[targets], 6, rng)
    links = LinkExamples(rng.integers(0, 600, 300), targets, anchors, anchors)
    model = train_keywords(counts, WORDS, link_examples=links)
    assert model.figures.n_links == model.calibrations["anchor"].n_examples == 300
    model = train_keywords(counts, WORDS, link_examples=links, is_background=True)
    assert model.figures.n_links == model.calibrations["anchor"].n_examples == 0


def test_a_word_in_no_page_counts_without_neighbours() -> None:
    counts = unlabeled()[0]
    wider = sparse.hstack([counts, sparse.csr_matrix((600, 1))], format="csr")
    model = train_keywords(wider, [*WORDS, N_TERMS])
    at = int(np.searchsorted(model.term_indices, N_TERMS))
    assert model.term_indices[at] == N_TERMS
    assert model.coef[at] > 0
    alone = np.zeros((1, N_TERMS + 1))
    alone[0, N_TERMS] = 1
    assert model.decisions(sparse.csr_matrix(alone))[0][0] > np.median(model.decisions(wider)[0])


def test_a_word_in_a_title_counts_as_the_word_does_unless_titles_hold_it_too_seldom() -> None:
    counts = unlabeled()[0]
    # In the titles of 30 pages, whatever they are about, and in that of one.
    frequent, rare = np.zeros((600, 1)), np.zeros((600, 1))
    frequent[::20], rare[0] = 1, 1
    wider = sparse.hstack([counts, sparse.csr_matrix(frequent), sparse.csr_matrix(rare)], format="csr")
    without = train_keywords(wider, WORDS)
    model = train_keywords(wider, WORDS, title_columns=[N_TERMS, N_TERMS + 1])
    assert N_TERMS + 1 not in model.term_indices
    at = int(np.searchsorted(model.term_indices, N_TERMS))
    assert model.coef[at] > without.coef[at] + 0.1
    in_title = np.zeros((1, N_TERMS + 2))
    in_title[0, N_TERMS] = 1
    assert model.decisions(sparse.csr_matrix(in_title))[0][0] > np.quantile(model.decisions(wider)[0], 0.9)


def test_of_words_in_no_page_at_all_one_makes_a_page_relevant_and_two_make_it_more_so() -> None:
    counts = sparse.hstack([unlabeled()[0], sparse.csr_matrix((600, 2))], format="csr")
    model = train_keywords(counts, [N_TERMS, N_TERMS + 1])
    pages = counts[:100].tolil()
    pages[:50, N_TERMS] = 1
    pages[:25, N_TERMS + 1] = 1
    relevance = model.relevance("page", *model.decisions(pages.tocsr()))
    threshold = model.calibrations["page"].threshold
    two, one, none = np.median(relevance[:25]), np.median(relevance[25:50]), relevance[50:].max()
    assert two > 1.5 * one > 1.5 * 0.9 * threshold
    assert none < 0.05 < threshold
    assert (relevance[:25] >= threshold).all()


def test_fewer_than_three_pages_say_nothing_of_words() -> None:
    with pytest.raises(ValueError, match="At least 3"):
        train_keywords(unlabeled(2)[0], WORDS)


def test_words_in_every_page_and_empty_pages_do_no_harm() -> None:
    counts = unlabeled()[0].tolil()
    counts[:, WORDS[0]] = 1
    counts[:50] = 0
    counts[:, OTHER[0]] = 1
    for words in ([OTHER[0]], [WORDS[0], WORDS[1]]):
        model = train_keywords(counts.tocsr(), words)
        relevance = model.relevance("page", *model.decisions(counts.tocsr()))
        assert np.isfinite(relevance).all()


def test_the_same_seed_gives_the_same_numbers() -> None:
    one, two = (train_keywords(unlabeled()[0], WORDS, random_state=5) for _ in range(2))
    assert one.calibrations == two.calibrations
    assert np.array_equal(one.coef, two.coef)


def test_assumed_relevance_rises_through_one_half_at_the_border() -> None:
    decisions = np.linspace(0, 1, 101)
    relevance = assumed_relevance(decisions, 0.1)
    assert relevance[90] == pytest.approx(0.5)
    assert relevance[50] == pytest.approx(0.01)
    assert (np.diff(relevance) > 0).all()
    # Most pages have nothing to do with the words.
    assert assumed_relevance(np.array([0.0] * 99 + [0.4]), 0.1).tolist() == pytest.approx([0.01] * 99 + [0.5])
    assert assumed_relevance(np.zeros(9), 0.1) == pytest.approx(0.01)


def test_pages_met_teach_what_stands_beside_the_words_and_keep_the_level_of_the_decisions() -> None:
    # A background without the topic's terms, but for the words.
    background = unlabeled()[0].tolil()
    background[:, np.setdiff1d(TOPICAL, WORDS)] = 0
    model = train_keywords(background.tocsr(), WORDS, is_background=True)
    counts, _ = unlabeled(seed=1)
    fitted = fit_keywords(model, model.term_indices, counts, WORDS)
    unseen, relevant = unlabeled(seed=2)
    before, after = (average_precision_score(relevant, each.decisions(unseen)[0]) for each in (model, fitted))
    assert after > before
    coef = np.zeros(N_TERMS)
    coef[fitted.term_indices] = fitted.coef
    beside = coef[np.setdiff1d(TOPICAL, WORDS)]
    assert np.median(beside) > 0 > np.median(coef[OTHER])
    for what in (np.mean, np.std):
        assert what(fitted.decisions(counts)[0]) == pytest.approx(what(model.decisions(counts)[0]), rel=1e-6)
    assert fitted.calibrations == model.calibrations
    assert fitted.n_columns == N_TERMS


def test_words_that_no_page_of_the_background_holds_are_learnt_from_the_pages_met() -> None:
    background = unlabeled()[0].tolil()
    background[:, TOPICAL] = 0
    model = train_keywords(background.tocsr(), WORDS, is_background=True)
    counts, relevant = unlabeled(seed=1)
    fitted = fit_keywords(model, model.term_indices, counts, WORDS)
    found = fitted.relevance("page", *fitted.decisions(counts)) >= fitted.threshold("page")
    assert relevant[found].mean() > 2 * relevant.mean()
    assert found.any()
