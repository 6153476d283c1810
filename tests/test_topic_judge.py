from __future__ import annotations

import hand_made
import numpy as np
import pytest

from focused.method.page.reader import PageReader
from focused.method.topic.judge import Judge

HTML = hand_made.html(hand_made.STARS, ("/a", "a nebula"), ("/b", "soup"), ("/c", "more"))


@pytest.fixture(scope="module")
def topic():
    return hand_made.topic()


@pytest.fixture(scope="module")
def page(topic):
    return PageReader(topic.analyzer).read(HTML, "http://h.org/")


def test_words_for_the_topic_make_a_unit_relevant_and_words_against_it_irrelevant(topic, page):
    found = Judge(topic).judge(page, {"anchor", "block", "context"})
    assert found.is_relevant
    assert found.page >= 0.5
    nebula, soup, more = found.anchors
    assert soup < more < 0.5 <= nebula
    assert more == pytest.approx(0.1)  # no known word: the prior


def test_relevances_are_probabilities(topic, page):
    found = Judge(topic).judge(page, {"anchor", "block", "context"})
    for values in (found.blocks, found.anchors, found.contexts):
        assert np.all((values >= 0) & (values <= 1))


def test_the_page_threshold_can_be_set(topic, page):
    relevance = Judge(topic).judge(page).page
    assert Judge(topic, threshold=relevance).judge(page).is_relevant
    assert not Judge(topic, threshold=float(np.nextafter(relevance, 2))).judge(page).is_relevant
    assert Judge(topic, threshold=0.9).thresholds["block"] == 0.5


def test_the_threshold_of_links_can_be_set_and_leaves_that_of_pages(topic, page):
    found = Judge(topic, link_threshold=0.3).judge(page, {"anchor"})
    assert found.thresholds == {"page": 0.5, "block": 0.3, "anchor": 0.3, "context": 0.3}
    both = Judge(topic, link_threshold=0.3, threshold=0.7).thresholds
    assert (both["page"], both["anchor"]) == (0.7, 0.3)


def test_cosine_measures_links_but_never_decides_about_the_page(topic, page):
    judge = Judge(topic, similarity="cosine", cosine_threshold=0.3)
    found = judge.judge(page, {"anchor"})
    assert found.page == Judge(topic).judge(page).page
    assert found.anchors.tolist() == pytest.approx([1 / np.sqrt(6), 0, 0])
    assert judge.thresholds == {"page": 0.5, "block": 0.3, "anchor": 0.3, "context": 0.3}


def test_by_decision_a_unit_is_relevant_where_the_classifier_is_positive(topic, page):
    judge = Judge(topic, similarity="decision")
    found = judge.judge(page, {"anchor", "block"})
    nebula, soup, more = found.anchors
    assert soup < more < judge.thresholds["anchor"] < nebula
    # One known term has the decision 1 - 0.5, another -1 - 0.5, none the intercept.
    assert np.log(found.anchors / (1 - found.anchors)) == pytest.approx([0.5, -1.5, -0.5])
    assert found.page == Judge(topic).judge(page).page
    assert found.nothing["anchor"] == pytest.approx(more)
