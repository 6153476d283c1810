"""Trains a topic whose examples come from other sites with the pages that its crawl meets (docs/method/, D94).

Examples of other sites differ from all pages of a web in far more than in the topic: in menus and footers, in how people
write there. A model that learns examples against the pages met learns that, and ranks the web at chance. So it is noticed: by
their words, examples and pages met then depart from the general background in different ways. Such a topic keeps what it knows
against the background, and learns from the pages met that look most like it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.likely_met import fit_likely
from focused.method.learning.training_set import LinkExamples
from focused.retraining.augmentation import AugmentedExamples, keys_among, keys_of, links_of, with_terms
from focused.retraining.page_labels import MAX_MET
from focused.retraining.pages_met import MIN_PAGES
from focused.retraining.retrained_topic import with_model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from focused.method.topic import Topic
    from focused.method.topic.examples import TopicExamples
    from focused.retraining.judged_pages import JudgedPage

ENOUGH_VERDICTS = 14
"""With so many a topic is trained against the pages met, from its examples and from what people say."""
_LEAST_MET = 10
"""With fewer pages met it cannot be told."""
_COUNTED = 0.1
"""Only words count that at least this share of the examples, of the pages met or of the background has."""
_MOST_ALIKE = 0.38
"""Examples and pages met of one web depart from the background in similar ways: the cosine of their departures is higher."""
_FREQUENT, _MOST_SHARED = 0.3, 0.4
"""Words that at least `_FREQUENT` of the examples have are frequent. Pages met share more than `_MOST_SHARED` of them with
texts of their own web, even with texts without menus."""
_LEAST_FREQUENT = 10
"""With fewer frequent words they say nothing."""


def comes_from_elsewhere(topic: Topic, pages: Sequence[JudgedPage]) -> bool:
    """Tell whether the examples of a topic come from other sites than the pages that a crawl met.

    Always false for a topic without a background, or one that has looked around before its crawls.
    """
    if topic.examples is None or topic.keyword_terms or topic.looked_at:
        return False
    met = _others(topic.examples.where(topic.examples.positive), pages)
    joined = AugmentedExamples(topic.examples, met)
    examples = joined.with_labels(dict.fromkeys((page.number for page in met), False))
    has, n_own = examples.pages > 0, joined.n_own
    background = np.flatnonzero(~examples.positive[:n_own])
    if len(met) < _LEAST_MET or not len(background):
        return False
    of_own, of_met, usual = (
        np.asarray(has[rows].mean(axis=0)).ravel()
        for rows in (np.flatnonzero(examples.positive), np.arange(n_own, has.shape[0]), background)
    )
    counted = np.maximum(np.maximum(of_own, of_met), usual) >= _COUNTED
    departures = [(shares - usual)[counted] for shares in (of_own, of_met)]
    length = float(np.prod([np.linalg.norm(each) for each in departures]))
    if float(departures[0] @ departures[1]) >= _MOST_ALIKE * length:
        return False
    frequent = of_own >= _FREQUENT
    shared = float(np.minimum(of_own, of_met)[frequent].sum())
    # Texts of a few sentences have no frequent words, whatever they come from.
    return frequent.sum() < _LEAST_FREQUENT or shared < _MOST_SHARED * float(np.maximum(of_own, of_met)[frequent].sum())


def train_from_elsewhere(
    topic: Topic,
    pages: Sequence[JudgedPage],
    verdicts: Mapping[int, bool],
    *,
    about: Mapping[str, Any] | None = None,
    random_state: int = 0,
) -> Topic:
    """Return a topic that judges by what it knows and by what the pages met that look most like it have in common.

    Its share of relevant pages is assumed, so it says nothing of the harvest.

    Parameters
    ----------
    topic : Topic
        Learnt from examples against the general background.
    pages : sequence of JudgedPage
        All pages of the crawl.
    verdicts : mapping
        What people say of pages, by their numbers.
    about : mapping, optional
        What the manifest says of it, under ``retraining``.

    Raises
    ------
    ValueError
        If too few of the pages were drawn.
    """
    assert topic.examples is not None
    own = topic.examples.where(topic.examples.positive)
    latest = {page.number for page in pages[-MAX_MET:]}
    met = [page for page in _others(own, pages) if page.is_drawn or page.number in latest or page.number in verdicts]
    drawn = np.array([page.is_drawn for page in met], dtype=np.bool_)
    if drawn.sum() < MIN_PAGES:
        raise ValueError(f"At least {MIN_PAGES} pages that were drawn are needed. Got {int(drawn.sum())}.")
    joined = AugmentedExamples(topic.examples, met)
    examples = joined.with_labels(dict.fromkeys((page.number for page in met), False))
    vectors = topic.vectors_of_language
    if vectors is not None:
        examples = with_terms(examples, vectors.terms)
    n_own = joined.n_own
    is_background = ~examples.positive & (np.arange(len(examples.positive)) < n_own)
    links = links_of(examples)
    model = fit_likely(
        examples.pages[examples.positive],
        examples.pages[is_background],
        examples.pages[n_own:],
        drawn,
        learner=topic.learner,
        verdicts=[float(verdicts[page.number]) if page.number in verdicts else np.nan for page in met],
        term_vectors=None if vectors is None else vectors.of_terms(examples.terms),
        link_examples=None if links is None else _among_met(links, n_own),
        random_state=random_state,
    )
    added = {"n_unlabeled": len(met), "n_drawn": int(drawn.sum()), "n_left_aside": 0, "is_from_elsewhere": True}
    made = with_model(topic, model, examples.terms, topic.examples, {**(about or {}), **added})
    # Of the pages met nothing is known but what was assumed.
    made.manifest["figures"] = {**topic.manifest["figures"], "n_links": model.figures.n_links}
    return made


def _among_met(links: LinkExamples, n_own: int) -> LinkExamples:
    """Return the links among the pages met, which stand under the topic's own."""
    chosen = np.flatnonzero((links.source_rows >= n_own) & (links.target_rows >= n_own))
    sources, targets = links.source_rows[chosen] - n_own, links.target_rows[chosen] - n_own
    return LinkExamples(sources, targets, links.anchor_counts[chosen], links.context_counts[chosen])


def _others(own: TopicExamples, pages: Sequence[JudgedPage]) -> list[JudgedPage]:
    """Return the pages met that have words and are no examples themselves."""
    known = set(keys_among(own).keys.tolist())
    return [page for page in pages if page.terms and known.isdisjoint(keys_of(page))]
