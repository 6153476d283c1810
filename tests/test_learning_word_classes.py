"""Which pages hold a topic's words together, what each word tells, and how many pages are relevant."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit

from focused.method.learning.calibration import Calibration
from focused.method.learning.relevant_for_words import (
    n_relevant_for_words,
    with_border_for_words,
)
from focused.method.learning.word_classes import held, word_classes

N_PAGES, N_RELEVANT, N_WORDS = 300, 60, 5


def pages(everywhere: float = 0.1, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return which words pages hold, and which pages are relevant; the last word stands in any page with a probability."""
    rng = np.random.default_rng(seed)
    relevant = np.arange(N_PAGES) < N_RELEVANT
    probability = np.where(relevant[:, None], 0.5, 0.05) * np.ones(N_WORDS)
    probability[:, -1] = everywhere
    return rng.random((N_PAGES, N_WORDS)) < probability, relevant


@pytest.mark.parametrize("everywhere", [0.2, 0.8])
def test_a_word_that_stands_with_none_of_the_others_tells_least(everywhere: float) -> None:
    found = word_classes(pages(everywhere)[0]).weights
    assert found[-1] < 0.5 * found[:-1].min()
    assert found.max() == 1.0


def test_relevant_pages_hold_words_together_and_come_first() -> None:
    holds, relevant = pages()
    log_odds = word_classes(holds).log_odds
    assert np.median(log_odds[relevant]) > 0 > np.quantile(log_odds[~relevant], 0.9)


def test_a_word_never_speaks_against_its_topic() -> None:
    holds, _ = pages()
    without = holds.copy()
    without[:, 0] = False
    both = np.concatenate([holds, without])
    log_odds = word_classes(both).log_odds
    assert (log_odds[:N_PAGES] >= log_odds[N_PAGES:] - 1e-9).all()


@pytest.mark.parametrize("n_words", [1, 3])
def test_words_in_no_page_or_in_all_do_no_harm(n_words: int) -> None:
    for holds in (np.zeros((50, n_words)), np.ones((50, n_words))):
        found = word_classes(holds)
        assert np.isfinite(found.log_odds).all()
        assert (found.weights > 0).all()


def test_a_text_holds_the_words_that_it_has_terms_of() -> None:
    assert held([{"oil": 2}, {}], ["oil", "barrel"]).tolist() == [[True, False], [False, False]]
    assert held([], ["oil"]).shape == (0, 1)


def relevances(relevant: np.ndarray, spread: float, level: float) -> np.ndarray:
    rng = np.random.default_rng(1)
    return 1 / (1 + np.exp(-(level + 3.0 * relevant + rng.normal(0, spread, len(relevant)))))


@pytest.mark.parametrize("level", [-6.0, -3.0])
def test_the_number_of_relevant_pages_is_near_the_truth_whatever_the_level_of_the_relevances(level: float) -> None:
    holds, relevant = pages()
    found = n_relevant_for_words(relevances(relevant, 0.7, level), 0.9, holds)
    assert found is not None
    assert 0.8 * N_RELEVANT < found < 1.25 * N_RELEVANT


def test_where_the_threshold_calls_more_the_number_lies_between() -> None:
    """A web may be about nothing else than the topic."""
    holds, relevant = pages()
    by_groups, by_both = (n_relevant_for_words(relevances(relevant, 0.7, -2.0), at, holds) for at in (0.99, 0.001))
    assert by_groups is not None
    assert by_both == round((by_groups * N_PAGES) ** 0.5)


def test_too_few_pages_or_none_known_form_no_groups() -> None:
    assert n_relevant_for_words([0.1] * 4, 0.5, np.zeros((4, 2))) is None
    assert n_relevant_for_words(np.zeros(50), 0.5, np.zeros((50, 2))) is None


@pytest.mark.parametrize("level", [-6.0, -1.0, 1.0])
def test_while_a_crawl_goes_on_no_more_are_called_relevant_than_the_groups_allow_and_the_order_stays(
    level: float,
) -> None:
    holds, relevant = pages()
    page = Calibration("page", 1.0, 0.0, 0.05, 0.0, 0.4, 0)
    decisions = np.asarray(logit(relevances(relevant, 0.7, level)))
    before = page.relevance(decisions, np.full(N_PAGES, 9))
    moved = with_border_for_words(page, before, holds)
    after = moved.relevance(decisions, np.full(N_PAGES, 9))
    n_called, n_relevant = int((before >= 0.4).sum()), n_relevant_for_words(before, 0.4, holds)
    assert n_relevant is not None
    assert (after >= moved.threshold).sum() == min(n_called, n_relevant)
    assert np.array_equal(np.argsort(after), np.argsort(before))
    assert with_border_for_words(page, before[:39], holds[:39]) == page  # these say too little
