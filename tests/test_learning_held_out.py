from __future__ import annotations

import numpy as np
import pytest
from topics import pages

from focused.method.learning.held_out import SHORT_LENGTHS, Units, draw_words, held_out_decisions, short_texts
from focused.method.learning.learners import make_learner
from focused.method.learning.unit_calibration import background_population, population


def test_drawn_words_are_a_part_of_the_document():
    counts = pages(words=40)[0]
    drawn = draw_words(counts, 7, np.random.default_rng(0))
    assert (drawn.sum(axis=1).A1 == 7).all()
    assert (drawn > counts).nnz == 0


def test_short_documents_keep_all_their_words():
    counts = pages(words=5)[0]
    assert (draw_words(counts, 64, np.random.default_rng(0)) != counts).nnz == 0


def test_every_word_is_drawn_equally_often():
    counts = pages(1, 0, words=40)[0]
    rng = np.random.default_rng(0)
    mean = sum(draw_words(counts, 10, rng) for _ in range(2000)) / 2000
    assert mean.toarray() == pytest.approx(counts.toarray() / 4, abs=0.08)


def test_short_texts_belong_to_their_pages():
    counts = pages()[0]
    short = short_texts(counts, np.array([2, 5]), np.random.default_rng(0))
    assert short.counts.shape[0] == 2 * len(SHORT_LENGTHS)
    assert (short.counts > counts[short.pages]).nnz == 0


def test_no_page_is_judged_by_a_model_that_saw_it():
    """Labels without any sense: whoever learnt a page by heart would know its label."""
    counts, _, _ = pages(0, 300, hidden=0.0)
    y = np.arange(300) % 4 == 0
    group = Units(counts, np.arange(300))
    final = make_learner("logistic").fit(counts, y)
    assert final.decision_function(counts)[y].mean() > final.decision_function(counts)[~y].mean() + 1
    (decisions,) = held_out_decisions("logistic", final, counts, y, [group], n_folds=10, random_state=0)
    assert decisions[y].mean() == pytest.approx(decisions[~y].mean(), abs=0.2)


def test_groups_of_units_may_be_empty():
    counts, y, _ = pages()
    groups = [Units(counts, np.arange(220)), Units(counts[:0], np.empty(0, dtype=int))]
    final = make_learner("logistic").fit(counts, y)
    pages_judged, none = held_out_decisions("logistic", final, counts, y, groups, n_folds=3, random_state=0)
    assert pages_judged.shape == (220,)
    assert none.shape == (0,)


def test_labelled_positives_add_knowledge_but_no_share():
    positive = np.array([True, True, False, False, False])
    labels, weights = population(positive, np.array([9.0, 9.0, 1.0, 0.5, 0.0]))
    assert weights @ labels == pytest.approx(1.5)
    assert weights.sum() == pytest.approx(3)
    assert labels[:2].tolist() == [1, 1]


def test_a_background_population_has_the_stated_share():
    positive = np.arange(100) < 10
    labels, weights = background_population(positive, 0.2)
    assert weights[positive].sum() / weights.sum() == pytest.approx(0.2)
    assert (labels[positive] < 1).all()
    assert (labels[~positive] > 0).all()


def test_held_out_decisions_lie_on_the_scale_of_the_final_model():
    counts, y, _ = pages(20, 300, words=12, seed=4)
    final = make_learner("wvc", 0).fit(counts, y)
    group = Units(counts, np.arange(320))
    (decisions,) = held_out_decisions("wvc", final, counts, y, [group], n_folds=10, random_state=0)
    expected = final.decision_function(counts[~y])
    assert np.median(decisions[~y]) == pytest.approx(np.median(expected), abs=0.2 * expected.std())
    assert decisions[~y].std() == pytest.approx(expected.std(), rel=0.3)


def test_held_out_decisions_keep_their_distances_where_the_final_model_calls_all_unlabelled_pages_alike():
    """So few pages and terms did that, and the calibration's slope was beyond what a topic's file may hold."""
    counts, y, _ = pages(20, 100)

    class AllAlike:
        @staticmethod
        def decision_function(texts):
            return np.full(texts.shape[0], -2.0)

    (decisions,) = held_out_decisions(
        "logistic", AllAlike(), counts, y, [Units(counts, np.arange(120))], n_folds=5, random_state=0
    )
    assert decisions[y].mean() > decisions[~y].mean() + 0.5
