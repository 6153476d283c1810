"""Trains a topic of words with the pages that its crawl meets: they show what stands beside the words (docs/method/, D75)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.keywords_met import fit_keywords
from focused.method.learning.relevant_for_words import with_border_for_words
from focused.method.learning.word_classes import held
from focused.method.page.text_units import PAGE
from focused.method.topic.counted import relevance_of_texts
from focused.retraining.augmentation import AugmentedExamples, with_terms
from focused.retraining.page_labels import MAX_MET
from focused.retraining.retrained_topic import with_model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from focused.method.topic import Topic
    from focused.retraining.judged_pages import JudgedPage


class NoWordMetError(ValueError):
    """None of the words stands in any page that the crawl has met."""


def train_words_on_pages_met(
    topic: Topic, pages: Sequence[JudgedPage], *, about: Mapping[str, Any] | None = None
) -> Topic:
    """Return a topic, fitted to the pages that a crawl met.

    Parameters
    ----------
    topic : Topic
        Made from words, with examples.
    pages : sequence of JudgedPage
        All pages of the crawl.
    about : mapping, optional
        What the manifest says of it, under ``retraining``.

    Raises
    ------
    NoWordMetError
        If no page, nor any link that led to one, holds any of the words.
    """
    assert topic.examples is not None
    words = topic.keyword_terms
    met = [page for page in pages if page.terms][-MAX_MET:]
    if not met:
        raise NoWordMetError("No page with words was met.")
    if not any(word in text for page in pages for text in _texts(page) for word in words):
        raise NoWordMetError(f"None of the words stands in any of the {len(pages):,} pages met.")
    none = topic.examples.where(np.zeros(len(topic.examples.positive), dtype=np.bool_))
    joined = AugmentedExamples(none, met).with_labels(dict.fromkeys((page.number for page in met), False))
    examples = with_terms(joined, [*words, *topic.terms])
    column_of = {term: column for column, term in enumerate(examples.terms)}
    model = fit_keywords(
        topic.model,
        [column_of[term] for term in topic.terms],
        examples.pages,
        [column_of[word] for word in words],
    )
    added = {"n_unlabeled": len(met), "n_drawn": sum(page.is_drawn for page in met), "n_left_aside": 0}
    said = {**(about or {}), **added}
    made = with_model(topic, model, examples.terms, examples, said)
    texts = [page.terms for page in met]
    page = with_border_for_words(model.calibrations[PAGE], relevance_of_texts(made, texts, PAGE), held(texts, words))
    model = replace(model, calibrations={**model.calibrations, PAGE: page})
    return with_model(topic, model, examples.terms, examples, said)


def _texts(page: JudgedPage) -> list[Mapping[str, int]]:
    return [page.terms] if page.link is None else [page.terms, page.link.anchor, page.link.url]
