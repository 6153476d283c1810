"""Examples of other sites are noticed, and their topic is learnt from pages met that are like them."""

from __future__ import annotations

import copy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from test_look_around import BESIDE, ELSEWHERE, TOPIC, a_topic, pages_met, relevances, words

from focused.method.topic import Topic, TopicExamples
from focused.retraining.examples_from_elsewhere import comes_from_elsewhere, train_from_elsewhere
from focused.retraining.first_training import train_on_pages_looked_at
from focused.retraining.pages_met import train_on_pages_met
from focused.retraining.training_child import _against_met
from focused.utils.file_names import RETRAINING_FILE

FRAME = [f"frame{i}" for i in range(10)]
"""Words that every page of the examples' own sites has."""
OF_BACKGROUND = [f"mixed{i}" for i in range(40)]
ONLY_HERE = [f"nova{i}" for i in range(10)]
"""Words of the topic that only this web has."""


def from_other_sites(rng: np.random.Generator) -> Topic:
    """Positives about the topic, written and framed as nothing on the web is; a background that is like neither."""
    texts = [words(rng, TOPIC, ELSEWHERE) | dict.fromkeys(FRAME, 1) for _ in range(15)]
    texts += [words(rng, OF_BACKGROUND) for _ in range(60)]
    terms = sorted({term for text in texts for term in text})
    rows = sparse.csr_matrix([[float(text.get(term, 0)) for term in terms] for text in texts])
    none, no_rows = sparse.csr_matrix((0, len(terms))), np.zeros(0, dtype=np.int64)
    topic = Topic("stars", "Stars", "en", [])
    topic.examples = TopicExamples(terms, rows, np.arange(75) < 15, no_rows, no_rows, none, none, none, none)
    topic.manifest = {"learner": "screened_svm", "figures": {"f1": 0.9, "prior": 0.1}, "examples": {}}
    return topic


def met(rng: np.random.Generator, n: int = 60):
    """Pages of a web with a menu; relevant ones also have words that no example has. A tenth and more are relevant."""
    pages, truth = [], []
    for page, is_relevant in zip(*pages_met(rng, n), strict=True):
        own = words(rng, ONLY_HERE) if is_relevant else {}
        pages.append(replace(page, terms={**page.terms, **own, "home": 1, "contact": 1, "imprint": 1}))
        truth.append(is_relevant)
    return pages, np.array(truth)


def test_examples_that_share_hardly_a_frequent_word_with_the_pages_met_come_from_elsewhere():
    rng = np.random.default_rng(0)
    assert comes_from_elsewhere(from_other_sites(rng), met(rng)[0])


def test_texts_of_a_few_sentences_that_share_no_frequent_word_come_from_elsewhere_if_they_are_unlike_the_pages_met():
    rng = np.random.default_rng(0)
    topic, (pages, _) = from_other_sites(rng), met(rng)
    assert topic.examples is not None
    positives, rows = topic.examples.positive, topic.examples.pages.toarray()
    # A few of the words of each text, most of them of its own manner.
    kept = [0.4 if term in ELSEWHERE else 0.1 for term in topic.examples.terms]
    rows *= rng.random(rows.shape) < kept
    assert (rows[positives] > 0).mean(axis=0).max() < 0.3
    topic.examples = replace(topic.examples, pages=sparse.csr_matrix(rows))
    assert comes_from_elsewhere(topic, pages)


def test_pages_of_the_web_do_not_come_from_elsewhere_nor_do_texts_of_it_without_menus():
    rng = np.random.default_rng(0)
    pages, _ = met(rng)
    topic = a_topic(rng)  # its positives have words of the web, and none of the menu
    assert not comes_from_elsewhere(topic, pages)
    assert not comes_from_elsewhere(topic, pages_met(rng)[0])


def test_of_a_few_pages_met_or_a_topic_from_words_or_one_that_has_looked_around_it_is_not_said():
    rng = np.random.default_rng(0)
    topic, (pages, _) = from_other_sites(rng), met(rng)
    assert not comes_from_elsewhere(topic, pages[:9])
    for examples in ({"keywords": {"terms": ["star1"]}}, {"looked_around": {"n_pages": 20}}):
        other = copy.copy(topic)
        other.manifest = {**topic.manifest, "examples": examples}
        assert not comes_from_elsewhere(other, pages)


def test_relevant_pages_of_the_web_come_first_though_the_examples_are_unlike_it():
    rng = np.random.default_rng(0)
    topic, (pages, _) = from_other_sites(rng), met(rng)
    made = train_from_elsewhere(topic, pages, {})
    unseen, truth = met(rng)
    found = relevances(made, unseen)
    assert found[truth].min() > found[~truth].max()
    accepted = found >= made.threshold("page")
    assert accepted[truth].mean() > 0.5
    assert not accepted[~truth].any()


def test_trained_against_the_pages_met_hardly_any_of_them_would_be_called_relevant():
    """So the test above could fail."""
    rng = np.random.default_rng(0)
    topic, (pages, _) = from_other_sites(rng), met(rng)
    made = train_on_pages_met(topic, pages, {})
    unseen, truth = met(rng)
    assert (relevances(made, unseen) >= made.threshold("page"))[truth].mean() < 0.5


def test_words_of_the_topic_that_only_this_web_has_are_learnt_and_the_frame_of_the_examples_is_not():
    rng = np.random.default_rng(0)
    made = train_from_elsewhere(from_other_sites(rng), met(rng)[0], {})
    weight = dict(zip(made.terms, made.model.coef.tolist(), strict=True))
    assert min(weight[word] for word in ONLY_HERE) > max(weight[word] for word in BESIDE)
    assert not set(FRAME) & {term for term, _ in made.manifest["terms_for"]}


def test_links_among_the_pages_met_are_used_and_nothing_is_said_of_the_harvest():
    rng = np.random.default_rng(0)
    topic, (pages, _) = from_other_sites(rng), met(rng)
    made = train_from_elsewhere(topic, pages, {}, about={"version": 2})
    about = made.manifest["retraining"]
    assert "harvest" not in about
    assert (about["version"], about["n_drawn"], about["is_from_elsewhere"]) == (2, 15, True)
    assert made.manifest["figures"] == {**topic.manifest["figures"], "n_links": 0}


def test_in_a_crawl_it_is_done_until_enough_pages_have_a_verdict(tmp_path):
    rng = np.random.default_rng(0)
    topic, (pages, truth) = from_other_sites(rng), met(rng)
    (tmp_path / RETRAINING_FILE).write_text("".join(f"{page.to_line()}\n" for page in pages))
    task = SimpleNamespace(
        run_dir=tmp_path,
        n_bytes=None,
        labels={},
        verdicts=[],
        threshold=None,
        filters_label_noise=False,
        random_state=0,
    )
    known: dict = {}
    _against_met(task, topic, known)
    assert (known["is_from_elsewhere"], known["harvest"]) == (True, {})
    task.labels = {str(page.number): bool(is_relevant) for page, is_relevant in zip(pages, truth, strict=True)}
    task.verdicts, known = [page.number for page in pages[:13]], {}
    _against_met(task, topic, known)
    assert known["is_from_elsewhere"]
    task.verdicts, known = [page.number for page in pages[:20]], {}
    _against_met(task, topic, known)
    assert "is_from_elsewhere" not in known
    assert known["harvest"]


def test_what_people_say_of_a_page_stands_above_its_likeness():
    rng = np.random.default_rng(0)
    topic, (pages, _) = from_other_sites(rng), met(rng)
    wanted = replace(pages[0], terms={**words(rng, BESIDE), "wanted": 3})
    refused = replace(pages[2], terms={**words(rng, TOPIC, ONLY_HERE, n=40), "refused": 3})  # more like them than any
    shown = [wanted, pages[1], refused, *pages[3:]]
    verdicts = {wanted.number: True, refused.number: False}
    with_them, without = (train_from_elsewhere(topic, shown, each) for each in (verdicts, {}))
    weights = [dict(zip(made.terms, made.model.coef.tolist(), strict=True)) for made in (with_them, without)]
    assert weights[0]["wanted"] > weights[1]["wanted"]
    assert weights[0]["wanted"] > 0
    assert weights[1]["refused"] > 0 >= weights[0]["refused"]


def test_the_same_pages_give_the_same_model():
    made = [train_from_elsewhere(from_other_sites(rng), met(rng)[0], {}) for rng in map(np.random.default_rng, (0, 0))]
    assert made[0].terms == made[1].terms
    assert np.array_equal(made[0].model.coef, made[1].model.coef)


def test_without_pages_that_were_drawn_nothing_is_trained():
    rng = np.random.default_rng(0)
    topic, (pages, _) = from_other_sites(rng), met(rng)
    with pytest.raises(ValueError, match="At least 5 pages that were drawn are needed"):
        train_from_elsewhere(topic, [replace(page, is_drawn=False) for page in pages], {})


def test_a_topic_that_looks_around_before_its_crawls_keeps_the_background_if_its_examples_come_from_elsewhere(
    monkeypatch,
):
    monkeypatch.setattr("focused.retraining.first_training.comes_from_elsewhere", lambda topic, pages: True)

    class NoPages:
        urls: tuple[str, ...] = ()
        pages: tuple[str, ...] = ()

    with pytest.raises(ValueError, match="the examples come from other sites"):
        train_on_pages_looked_at(from_other_sites(np.random.default_rng(0)), NoPages(), [])
