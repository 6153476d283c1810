"""Chooses the word vectors that a topic is learnt with, or says why there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.method.learning.learners import knows_vectors
from focused.method.text.word_vectors import word_vectors_of
from focused.utils.setting import TOPIC, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.method.text.word_vectors import WordVectors

OFF, WORDS, ALL = CHOICES = ("off", "words", "all")

WORD_VECTORS = Setting(
    "FOCUSED_WORD_VECTORS",
    OFF,
    "Which topics are learnt with word vectors: those from `words` alone, which take the stems nearest to them as well, or "
    "`all`: one from examples then judges words that no example holds by words like them (learner `screened_svm`). English "
    "only.",
    choices=CHOICES,
    set_by=TOPIC,
)


def chosen_word_vectors(settings: Mapping[str, Any], language: str, *, is_from_words: bool) -> WordVectors | None:
    """Return the vectors that settings let a topic in a language (ISO 639-1) be learnt with; None for none."""
    chosen = WORD_VECTORS.read(settings)
    return word_vectors_of(language) if chosen == ALL or (is_from_words and chosen == WORDS) else None


def why_without(settings: Mapping[str, Any], language: str, *, is_from_words: bool, learner: str) -> str:
    """Return why a topic gets no vectors although settings ask for them; empty if they ask for none, or it gets them."""
    chosen = WORD_VECTORS.read(settings)
    if chosen == OFF:
        return ""
    if chosen == WORDS and not is_from_words:
        return "it is for topics from words alone"
    if word_vectors_of(language) is None:
        return f"the vectors are English, and the language is {language}"
    if not is_from_words and not knows_vectors(learner):
        return f"the learner {learner} knows no vectors"
    return ""
