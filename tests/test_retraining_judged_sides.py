"""After a training with verdicts the judged pages stand on their side of a threshold that stays where it was."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from test_retraining import COMET_WORDS, OTHER_WORDS, STAR_WORDS, a_topic, judged, words

from focused.method.learning.calibration import Calibration
from focused.method.learning.sides import correction, needed_decisions
from focused.method.topic.counted import relevance_of_counts
from focused.retraining.augmentation import AugmentedExamples
from focused.retraining.judged_pages import JudgedPage
from focused.retraining.judged_sides import NO_WORD, NOISE
from focused.retraining.pages_met import train_on_pages_met
from focused.retraining.training import Retraining


def accepted_by(topic, model, pages: list[JudgedPage]) -> dict[int, bool]:
    terms, counts = AugmentedExamples(topic.examples, pages).counts()
    found = relevance_of_counts(model, terms, counts, "page") >= model.threshold("page")
    return dict(zip([page.number for page in pages], found.tolist(), strict=True))


@pytest.fixture(scope="module")
def topic():
    return Retraining(a_topic(), []).train({})


def hard_pages(n: int = 40, *, is_drawn: bool = False) -> tuple[list[JudgedPage], dict[int, bool]]:
    """Pages about stars and comets at once; which of them are wanted is told by nothing but people."""
    rng = np.random.default_rng(5)
    pages = [
        JudgedPage(i, f"http://h.example/{i}", 0.5, 1, 1, None, words(rng, STAR_WORDS + COMET_WORDS), None, is_drawn)
        for i in range(1, n + 1)
    ]
    return pages, {page.number: bool(rng.random() < 0.5) for page in pages}


def test_judged_pages_stand_on_their_side_whatever_their_words_and_the_threshold_stays(topic):
    pages, verdicts = hard_pages()
    made = Retraining(topic, pages).train(verdicts, set(verdicts), widens=True)
    assert accepted_by(topic, made, pages) == verdicts
    assert made.manifest["retraining"]["not_followed"] == []
    assert made.manifest["retraining"]["n_put_right"] > 0
    assert made.threshold("page") == min(max(topic.threshold("page"), 0.4), 0.5)
    asked = Retraining(topic, pages).train(verdicts, set(verdicts), threshold=0.8)
    assert asked.threshold("page") == 0.8
    assert accepted_by(topic, asked, pages) == verdicts


def test_against_the_pages_met_judged_pages_stand_on_their_side_too(topic):
    pages, verdicts = hard_pages(is_drawn=True)
    made = train_on_pages_met(topic, pages, verdicts, filters_label_noise=False)
    assert accepted_by(topic, made, pages) == verdicts


def test_where_most_pages_met_are_relevant_a_few_verdicts_say_so():
    """P and U alone cannot tell a rich web from a poor one, and called most of these pages irrelevant."""
    rng, first = np.random.default_rng(2), Retraining(a_topic(30), []).train({})
    pages = [
        JudgedPage(
            i,
            f"http://h.example/{i}",
            0.5,
            1,
            1,
            None,
            words(rng, STAR_WORDS if i % 3 else OTHER_WORDS),
            None,
            i % 4 == 0,
        )
        for i in range(1, 121)
    ]
    truth = {page.number: page.number % 3 != 0 for page in pages}
    said = {number: truth[number] for number in (3, 10, 14, 21, 25, 33, 47, 60, 71, 85, 90, 104)}
    made = train_on_pages_met(first, pages, said)
    accepted = accepted_by(first, made, pages)
    assert np.mean([accepted[number] == truth[number] for number in truth]) > 0.85


def test_verdicts_that_cannot_be_followed_are_named_with_the_reason(topic):
    rng = np.random.default_rng(1)
    same, alone = words(rng, STAR_WORDS), {"nobody": 2}
    pages = [
        judged(1, same),
        judged(2, same),
        judged(3, alone),
        *(judged(n, words(rng, STAR_WORDS)) for n in range(4, 12)),
    ]
    verdicts = {page.number: page.number != 2 for page in pages}
    found = Retraining(topic, pages).train(verdicts, set(verdicts)).manifest["retraining"]
    why = {each["url"].rpartition("/")[2]: each["why"] for each in found["not_followed"]}
    assert why.pop("3") == NO_WORD
    assert list(why.values()) in (["same words as http://h.example/2, of which the contrary was said"],) or list(
        why.values()
    ) == ["same words as http://h.example/1, of which the contrary was said"]
    assert found["n_not_followed"] == 2


def test_slips_are_left_out_and_named_where_many_verdicts_are_wrong(topic):
    rng = np.random.default_rng(3)
    pages = [
        JudgedPage(
            n, f"http://h.example/{n}", 0.5, 1, 1, None, words(rng, STAR_WORDS if n % 2 else OTHER_WORDS), None, True
        )
        for n in range(1, 301)
    ]
    wrong = set(rng.choice(100, 30, replace=False).tolist())
    said = {n: (n % 2 == 1) != (n in wrong) for n in range(1, 101)}
    made = train_on_pages_met(topic, pages, said)
    found = made.manifest["retraining"]
    slips = {int(each["url"].rpartition("/")[2]) for each in found["label_noise"] if each["why"] == NOISE}
    assert len(slips - wrong) <= 14
    assert len(slips & wrong) >= 16
    assert found["n_label_noise"] == len(slips)


def test_the_needed_decision_is_where_the_relevance_reaches_the_threshold():
    for prior, threshold, half_terms in ((0.1, 0.3, 0.0), (0.1, 0.7, 4.0), (0.6, 0.8, 2.0)):
        line = Calibration("page", 3.0, -1.0, prior, half_terms, threshold, 0)
        n_known = np.array([3, 80])
        found = line.relevance(needed_decisions(line, n_known, threshold), n_known)
        assert found == pytest.approx(threshold, abs=1e-9)
    assert np.isnan(needed_decisions(line, np.array([0]), 0.5)).all()


def test_the_correction_is_the_smallest_and_leaves_pages_without_common_words_alone():
    rows = sparse.csr_matrix([[1.0, 0, 0, 0], [0.6, 0.8, 0, 0], [0, 0, 1.0, 0]])
    decisions, needed = np.array([-1.0, 0.5, 0.2]), np.zeros(3)
    found = correction(rows, decisions, needed, np.array([True, True, True]), 0.1)
    assert found.was_right.tolist() == [False, True, True]
    assert found.is_right.all()
    # Only the first page is wrong, so the change is along its row, and as long as it lacks.
    assert found.change == pytest.approx([1.1, 0, 0, 0], abs=1e-3)
    none = correction(rows, np.ones(3), needed, np.array([True, True, True]), 0.1)
    assert not none.change.any()


def test_contrary_verdicts_on_the_same_words_do_not_run_away():
    rows = sparse.csr_matrix(np.array([[1.0, 0], [1.0, 0], [0, 1.0]]))
    found = correction(rows, np.zeros(3) - 0.5, np.zeros(3), np.array([True, False, True]), 0.1)
    assert np.isfinite(found.change).all()
    assert np.abs(found.change).max() <= 1.2
    assert found.is_right[2]
    assert found.is_right.sum() == 2
