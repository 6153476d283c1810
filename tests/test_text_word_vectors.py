"""Word vectors: the table that ships, and what a learner makes of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from focused.method.learning.estimators.screened_svm import ScreenedSVM
from focused.method.learning.learners import LEARNERS, knows_vectors
from focused.method.learning.training import TermRule, train_topic
from focused.method.text.background import load_background
from focused.method.text.word_vectors import (
    WORD_VECTORS_FILE,
    from_bytes,
    load_word_vectors,
    to_bytes,
)
from focused.method.topic.vectors import chosen_word_vectors, why_without
from focused.method.training.from_keywords import learn_keywords, read_keywords

ROOT = Path(__file__).resolve().parent.parent


def test_the_shipped_vectors_tell_which_words_are_alike() -> None:
    shipped = load_word_vectors()
    assert shipped.terms == sorted(set(shipped.terms))
    assert np.allclose(np.linalg.norm(shipped.vectors, axis=1), 1, atol=1e-5)
    star, galaxy, church = shipped.of_terms(["telescop", "galaxi", "bishop"])
    assert star @ galaxy > star @ church + 0.3


def test_the_shipped_vectors_name_source_and_licence_and_are_small() -> None:
    assert set(load_word_vectors().about["sources"].values()) == {"PDDL-1.0", "MIT"}
    assert (ROOT / "focused/method/text" / WORD_VECTORS_FILE).stat().st_size < 8_000_000


def test_a_title_has_the_vector_of_its_stem_and_an_unknown_term_none() -> None:
    shipped = load_word_vectors()
    stem, title, unknown = shipped.of_terms(["galaxi", "title: galaxi", "title: qqqq"])
    assert (stem == title).all()
    assert not unknown.any()


def test_the_same_vectors_are_the_same_bytes_and_come_back() -> None:
    vectors = np.array([[0.6, 0.8], [1.0, 0.0]])
    data = to_bytes(["a", "b"], vectors, {"language": "en"})
    assert data == to_bytes(["a", "b"], vectors.copy(), {"language": "en"})
    assert np.allclose(from_bytes(data).vectors, vectors, atol=0.01)


@pytest.mark.parametrize(
    ("chosen", "language", "of_words", "of_examples"),
    [("off", "en", False, False), ("words", "en", True, False), ("all", "en", True, True), ("all", "de", False, False)],
)
def test_settings_and_language_say_which_topics_have_vectors(
    chosen: str, language: str, of_words: bool, of_examples: bool
) -> None:
    settings = {"FOCUSED_WORD_VECTORS": chosen}
    assert (chosen_word_vectors(settings, language, is_from_words=True) is not None) == of_words
    assert (chosen_word_vectors(settings, language, is_from_words=False) is not None) == of_examples


def test_stems_near_to_words_are_found_without_these_words() -> None:
    stems, cosines = load_word_vectors().nearest(["galaxi", "qqqq"], 50)
    assert len(stems) == len(cosines) == 50
    assert "planet" in stems
    assert "galaxi" not in stems
    assert load_word_vectors().nearest(["qqqq"], 50)[0] == []


def test_words_alone_find_words_that_the_background_lacks_by_their_vectors() -> None:
    words, background = read_keywords("galaxy comet telescope planet", "en"), load_background()
    plain, wider = (learn_keywords(words, background, vectors=each) for each in (None, load_word_vectors()))
    new = {term for term in wider.terms if term not in set(background.terms)} - set(words.terms)
    of_term = {wider.terms[i]: weight for i, weight in zip(wider.model.term_indices, wider.model.coef, strict=True)}
    assert "quasar" in new
    assert of_term["quasar"] > 0
    assert "quasar" not in plain.terms
    assert wider.vectors is not None
    assert plain.vectors is None


# Two kinds of words: columns 0 and 1 are of the topic, 2 and 3 are not; 1 and 3 stand in no document.
COUNTS = sparse.csr_matrix([[2, 0, 0, 0]] * 4 + [[0, 0, 2, 0]] * 8)
LABELS = np.arange(12) < 4
VECTORS = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])


def test_a_word_that_no_document_holds_is_judged_by_its_vector() -> None:
    unseen = sparse.csr_matrix([[0, 1, 0, 0], [0, 0, 0, 1]])
    alone = ScreenedSVM().fit(COUNTS, LABELS).decision_function(unseen)
    assert alone[0] == alone[1]
    with_vectors = ScreenedSVM(term_vectors=VECTORS).fit(COUNTS, LABELS).decision_function(unseen)
    assert with_vectors[0] > 0 > with_vectors[1]


def test_terms_without_vectors_are_learnt_as_if_there_were_none() -> None:
    alone = ScreenedSVM().fit(COUNTS, LABELS)
    silent = ScreenedSVM(term_vectors=np.zeros((4, 2))).fit(COUNTS, LABELS)
    assert (alone.coef_ == silent.coef_).all()
    assert alone.intercept_ == silent.intercept_


def test_vectors_of_other_terms_are_refused() -> None:
    with pytest.raises(ValueError, match=r"one row a term \(4\). Got an array of shape \(3, 2\)"):
        ScreenedSVM(term_vectors=VECTORS[:3]).fit(COUNTS, LABELS)


def test_only_the_default_learner_and_the_one_built_on_it_know_of_vectors() -> None:
    assert [name for name in LEARNERS if knows_vectors(name)] == ["screened_svm", "joined_svm"]


def test_a_topic_knows_words_with_vectors_that_no_example_holds() -> None:
    rng = np.random.default_rng(0)
    counts = np.zeros((60, 6), dtype=int)
    counts[:20, :2] = rng.integers(1, 4, (20, 2))
    counts[20:, 2:4] = rng.integers(1, 4, (40, 2))
    vectors = np.array([[1.0, 0.0]] * 2 + [[0.0, 1.0]] * 2 + [[1.0, 0.0], [0.0, 0.0]])
    flags = np.arange(60) < 20
    assert train_topic(counts, flags).term_indices.tolist() == [0, 1, 2, 3]
    model = train_topic(counts, flags, terms=TermRule(vectors=vectors))
    assert model.term_indices.tolist() == [0, 1, 2, 3, 4]
    assert model.coef[4] > 0
    assert train_topic(counts, flags, terms=TermRule(vectors=vectors), learner="svm").term_indices.tolist() == [
        0,
        1,
        2,
        3,
    ]


@pytest.mark.parametrize(
    ("chosen", "language", "is_from_words", "learner", "why"),
    [
        ("off", "de", True, "wvc", ""),
        ("words", "en", True, "wvc", ""),
        ("words", "en", False, LEARNERS[0], "it is for topics from words alone"),
        ("words", "de", True, LEARNERS[0], "the language is de"),
        ("all", "en", False, "wvc", "the learner wvc knows no vectors"),
        ("all", "en", False, LEARNERS[0], ""),
    ],
)
def test_a_topic_that_is_learnt_without_the_vectors_asked_for_says_why(chosen, language, is_from_words, learner, why):
    said = why_without({"FOCUSED_WORD_VECTORS": chosen}, language, is_from_words=is_from_words, learner=learner)
    assert said.endswith(why)
    assert bool(said) == bool(why)
