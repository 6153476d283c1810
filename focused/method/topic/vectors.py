"""Whether a topic is learnt with word vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.method.text.word_vectors import word_vectors_of
from focused.utils.setting import Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.method.text.word_vectors import WordVectors

WORD_VECTORS = Setting(
    "FOCUSED_WORD_VECTORS",
    False,
    "Whether a topic is learnt with word vectors: it then judges words that none of its examples holds by words that stand "
    "in similar surroundings; a topic from words takes the stems nearest to them as well. English only; from examples only with "
    "the learner `screened_svm`.",
)


def chosen_word_vectors(settings: Mapping[str, Any], language: str) -> WordVectors | None:
    """Return the vectors that settings let a topic in a language (ISO 639-1) be learnt with; None for none."""
    return word_vectors_of(language) if WORD_VECTORS.read(settings) else None
