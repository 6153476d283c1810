"""Words of menus and footers, which every page of a web has and no example from elsewhere, are not learnt from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from test_look_around import a_topic, pages_met, relevances

from focused.method.topic import TopicExamples
from focused.retraining.pages_met import train_on_pages_met
from focused.retraining.web_furniture import without_furniture

MENU = {"copyright": 1, "home": 2, "contact": 1, "sitemap": 1}


def with_menu(pages):
    return [replace(page, terms={**page.terms, **MENU}) for page in pages]


@pytest.fixture
def learnt():
    """Whether menus are learnt from: a topic trained against pages that have one, and pages that come next."""

    def train(*, is_learnt: bool, monkeypatch):
        rng = np.random.default_rng(0)
        topic = a_topic(rng)
        pages, _ = pages_met(rng)
        unseen, truth = pages_met(rng)
        if is_learnt:
            monkeypatch.setattr("focused.retraining.met_examples.without_furniture", lambda examples, *_: examples)
        made = train_on_pages_met(topic, with_menu(pages), {})
        return made, relevances(made, with_menu(unseen)), np.array(truth)

    return train


def test_a_menu_that_no_example_has_does_not_tell_the_examples_from_the_web(learnt, monkeypatch):
    made, found, is_relevant = learnt(is_learnt=False, monkeypatch=monkeypatch)
    accepted = found >= made.threshold("page")
    assert 0.8 <= accepted.sum() / is_relevant.sum() <= 1.25
    assert not MENU.keys() & set(made.terms)


def test_where_the_menu_is_learnt_the_share_of_relevant_pages_is_farther_from_the_truth(learnt, monkeypatch):
    """The menu tells something, so the test above could fail. Here no two heaps of pages are counted: these are right anyway."""
    monkeypatch.setattr("focused.method.learning.share_of_relevant._upper_of_two_heaps", lambda *_: None)
    errors = {}
    for is_learnt in (False, True):
        with monkeypatch.context() as patches:
            made, _, is_relevant = learnt(is_learnt=is_learnt, monkeypatch=patches)
        assert bool(MENU.keys() & set(made.terms)) is is_learnt
        errors[is_learnt] = abs(made.manifest["retraining"]["harvest"]["share"] - is_relevant.mean())
    assert errors[False] < errors[True]


def examples(own: list[list[int]], met: list[list[int]]) -> TopicExamples:
    rows = sparse.csr_matrix(np.array([*own, *met], dtype=np.float64))
    none = np.zeros(0, dtype=np.int64)
    empty = sparse.csr_matrix((0, rows.shape[1]))
    return TopicExamples(
        terms=["topic", "menu", "both", "some"], pages=rows, positive=np.arange(rows.shape[0]) < len(own),
        sources=none, targets=none, anchors=empty, contexts=empty, windows=empty, urls=empty,
    )  # fmt: skip


OWN, MET = [[2, 0, 1, 0]] * 4, [[0, 1, 1, n % 2] for n in range(10)]


@pytest.mark.parametrize(
    ("kept", "met", "left"),
    [((), MET, ["topic", "both", "some"]), (("menu",), MET, ["topic", "menu", "both", "some"]), ((), MET[:9], ["topic", "menu", "both", "some"])],
    ids=["found", "a word that names the topic", "too few pages"],
)  # fmt: skip
def test_only_words_go_that_most_pages_met_have_and_few_examples(kept, met, left):
    found = without_furniture(examples(OWN, met), len(OWN), kept)
    there = np.asarray(found.pages.sum(axis=0)).ravel() > 0
    assert [term for term, is_there in zip(found.terms, there, strict=True) if is_there] == left
