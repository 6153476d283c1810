"""People want pages that the topic's examples do not show: such pages are believed, learnt and followed."""

from __future__ import annotations

from dataclasses import replace

import hand_made
import numpy as np
import pytest
from scipy import sparse
from test_retraining import COMET_WORDS, OTHER_WORDS, STAR_WORDS, TABLE_WORDS, judged, words
from test_retraining_resumed import FORMER, OTHER, pages

from focused.crawl.judging import Judging
from focused.method.page.reader import PageReader
from focused.method.page.text_units import KINDS
from focused.method.scoring import Visit
from focused.method.strategies import make_strategy
from focused.method.strategies.linkmodel.session import LinkSession
from focused.method.text.analyzer import Analyzer
from focused.method.topic import Topic, TopicExamples
from focused.method.topic.judge import Judge
from focused.retraining.augmentation import AugmentedExamples
from focused.retraining.drift import example_relevance
from focused.retraining.kept_pages import KeptPages
from focused.retraining.new_subtopic import may_be_of_subtopic
from focused.retraining.rescoring import SAID_IRRELEVANT, SAID_RELEVANT, Rejudging
from focused.retraining.training import Retraining

N_STARS, N_HIDDEN, N_OTHERS = 20, 24, 276
HIDDEN = slice(N_STARS, N_STARS + N_HIDDEN)
"""Rows of unlabelled pages about comets."""
TERMS = [*STAR_WORDS, *COMET_WORDS, *TABLE_WORDS, *OTHER_WORDS]


@pytest.fixture(scope="module")
def topic() -> Topic:
    """A topic whose examples are about stars; of the unlabelled pages some are about comets, and some about tables."""
    rng = np.random.default_rng(0)
    texts = [words(rng, STAR_WORDS) for _ in range(N_STARS)] + [words(rng, COMET_WORDS) for _ in range(N_HIDDEN)]
    texts += [words(rng, TABLE_WORDS if n % 4 else OTHER_WORDS) for n in range(N_OTHERS)]
    rows = sparse.csr_matrix([[float(text.get(term, 0)) for term in TERMS] for text in texts])
    none, no_rows = sparse.csr_matrix((0, len(TERMS))), np.zeros(0, dtype=np.int64)
    made = Topic("stars", "Stars", "en", [])
    made.examples = TopicExamples(
        TERMS, rows, np.arange(len(texts)) < N_STARS, no_rows, no_rows, none, none, none, none
    )
    made.manifest = {"learner": "screened_svm"}
    return Retraining(made, []).train({})


def met(n_stars: int, n_comets: int, n_others: int, seed: int = 1):
    """Pages that a crawl has met, and which of them people want."""
    rng = np.random.default_rng(seed)
    about = [*[STAR_WORDS] * n_stars, *[COMET_WORDS] * n_comets, *[TABLE_WORDS] * n_others]
    found = [judged(number, words(rng, each)) for number, each in enumerate(about, start=1)]
    return found, {number: number <= n_stars + n_comets for number in range(1, len(found) + 1)}


def test_pages_that_people_want_and_the_topic_does_not_know_are_a_new_subtopic_of_it(topic):
    found, labels = met(10, 6, 6)
    retraining = Retraining(topic, found)
    assert retraining.new_subtopic(labels, set(labels)) == set(range(11, 17))
    assert retraining.new_subtopic(labels, set()) == set()  # nobody has asked for anything
    assert retraining.new_subtopic(dict.fromkeys(labels, False), set(labels)) == set()


def test_unlabelled_pages_like_those_of_a_new_subtopic_are_left_aside_and_no_others(topic):
    found, labels = met(10, 6, 6)
    n_own = topic.examples.pages.shape[0]
    wide = AugmentedExamples(topic.examples, found).with_labels(labels)
    aside = may_be_of_subtopic(wide, n_own, n_own + np.arange(10, 16), 0)
    assert aside[HIDDEN].mean() > 0.8
    aside[HIDDEN] = False
    assert aside.sum() <= 3


def test_pages_without_anything_in_common_leave_next_to_nothing_aside(topic):
    rng = np.random.default_rng(2)
    found = [judged(n, {f"only{n}x{k}": 1 for k in range(12)} | words(rng, OTHER_WORDS, 4)) for n in range(1, 13)]
    n_own = topic.examples.pages.shape[0]
    wide = AugmentedExamples(topic.examples, found).with_labels(dict.fromkeys(range(1, 13), True))
    assert may_be_of_subtopic(wide, n_own, n_own + np.arange(12), 0).sum() <= 0.02 * n_own
    assert not may_be_of_subtopic(wide, n_own, n_own + np.arange(2), 0).any()  # two pages are no subtopic


def test_a_few_pages_of_a_new_subtopic_are_enough_to_know_others(topic):
    found, labels = met(40, 8, 10)
    more, _ = met(0, 40, 40, seed=3)
    recalls = []
    for verdicts in (set(labels), set()):
        made = Retraining(topic, found).train(labels, verdicts, widens=True)
        seen = AugmentedExamples(made.examples, more).with_labels({page.number: False for page in more})
        relevance = example_relevance(made, seen)[-len(more) :]
        assert (relevance[40:] < made.threshold("page")).all()
        recalls.append((relevance[:40] >= made.threshold("page")).mean())
        assert (made.manifest["retraining"]["n_new_subtopic"], made.manifest["retraining"]["n_left_aside"] > 0) == (
            (8, True) if verdicts else (0, False)
        )
    assert recalls[0] > 0.9
    assert recalls[1] < 0.5  # with others of its kind among the negatives


def test_an_unlabelled_page_that_a_crawl_meets_again_and_people_want_is_not_learnt_from_as_unlabelled(topic):
    row = int(np.flatnonzero(~topic.examples.positive)[7])
    counts = topic.examples.pages[row].toarray()[0]
    page = judged(1, {term: int(n) for term, n in zip(topic.examples.terms, counts, strict=True) if n})
    again = AugmentedExamples(topic.examples, [page]).unlabeled_again
    assert (np.flatnonzero(again({1})).tolist(), np.flatnonzero(again(set())).tolist()) == ([row], [])
    for wanted in (True, False):
        made = Retraining(topic, [page]).train({1: wanted}, {1})
        assert made.manifest["retraining"]["n_left_aside"] == wanted


def test_a_model_that_finds_more_of_a_new_subtopic_is_not_refused_for_it(topic):
    found, labels = met(40, 8, 10)
    judged_by = Retraining(topic, found).compare(labels, {}, set(labels))
    assert judged_by.new > judged_by.first
    assert judged_by.why_worse(0.02) == ""


def test_who_asks_for_pages_like_others_that_were_refused_is_believed_unless_typical_ones_are_refused_too(topic):
    rng = np.random.default_rng(5)
    found, labels = met(60, 0, 24)
    odd = [judged(100 + n, words(rng, TABLE_WORDS)) for n in range(30)]
    labels |= dict.fromkeys((page.number for page in odd), True)
    retraining = Retraining(topic, [*found, *odd])
    assert retraining.without_label_noise(labels, set(labels)) == labels
    careless = labels | dict.fromkeys(range(1, 25), False)
    kept = retraining.without_label_noise(careless, set(careless))
    assert sum(number in kept for number in range(1, 25)) <= 8


def test_a_verdict_stands_above_what_the_model_says_of_a_page_that_is_learnt_from_anew():
    seen, kept, strategy = pages(6), KeptPages(10), make_strategy("adaptive", {})
    for page in seen:
        kept.keep(page, Visit(urls=(page.url,)))
    said = {seen[0].url: False, seen[1].url: True}
    for judge in (Judge(FORMER), Judge(OTHER)):
        found = [relevance for _, relevance in Rejudging(Judging(judge, strategy), kept, said.get).pages()]
        assert [each.page for each in found[:2]] == [SAID_IRRELEVANT, SAID_RELEVANT]
        assert [each.is_relevant for each in found[:2]] == [False, True]
        own = [judge.judge(page, strategy.kinds) for page in seen]
        assert [each.page for each in found[2:]] == [each.page for each in own[2:]]
        for each, by_model in zip(found, own, strict=True):
            assert (each.contexts == by_model.contexts).all()  # of the links nobody has said anything


def explored(relevances: list[float], max_explored: int) -> list[str]:
    """Folders of the links that come first after a change of model. All pages fetched lie in folder 0 of ten."""
    session, reader, seen = LinkSession(every_pages=10), PageReader(Analyzer("en")), []
    for number, relevance in enumerate(relevances):
        places = [*range(10), *[0] * 9]  # to most folders a page has one link
        links = [(f"http://h.org/{folder}/{number}x{k}", "more") for k, folder in enumerate(places)]
        page = reader.read(hand_made.html(hand_made.STARS, *links), f"http://h.org/0/{number}")
        judged = replace(Judge(FORMER).judge(page, KINDS), page=relevance)
        seen.append((page, judged, Visit(urls=(page.url,))))
        scores = session.score(*seen[-1]).scores.tolist()
        for k, (url, score) in enumerate(zip(page.link_numbers, scores, strict=True)):
            session.note_waiting(url, 100 * number + k, score)
    for _ in session.learn_again(LinkSession(every_pages=10), seen, max_explored):
        pass
    first = {number for number, score in session.take_moves(is_last=True) if score == 1.0}
    return [
        url.split("/")[3]
        for n, (page, *_) in enumerate(seen)
        for k, url in enumerate(page.link_numbers)
        if 100 * n + k in first
    ]


def test_when_what_is_known_runs_out_links_of_folders_that_nobody_has_looked_into_come_first():
    spent = [0.9] * 30 + [0.1] * 30
    found = explored(spent, 9)
    assert len(found) == 8  # eight ninths of what the crawl had is gone
    assert len(set(found)) == 8  # of each folder one
    assert "0" not in found
    assert explored(spent, 0) == []
    assert explored([0.9] * 60, 9) == []  # there is no need
    assert explored([0.1] * 60, 9) == []  # it never was any better
