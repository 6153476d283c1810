"""The examples of a training against the pages that a crawl met, and the part that each page plays in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.learning.learners import make_learner
from focused.retraining.acceptance import N_PARTS
from focused.retraining.augmentation import AugmentedExamples, keys_among, keys_of
from focused.retraining.label_noise import probably_wrong
from focused.retraining.page_labels import MAX_MET
from focused.retraining.web_furniture import without_furniture

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from focused.method.topic import Topic, TopicExamples
    from focused.retraining.judged_pages import JudgedPage

Flags = npt.NDArray[np.bool_]

_MOST_LEARNT = 0.6
"""Largest share of the pages that were followed that are learnt from as unlabelled ones: those least like the positives."""
_BELOW = 0.2
"""A followed page is learnt from only if its decision is less: the border lies at 0, the margins at -1 and 1. Where nearly all
that was followed is relevant, hardly any page is."""


@dataclass(frozen=True, slots=True)
class MetExamples:
    """Three parts, in this order: the positives of a topic, the pages that it looked at before, the pages that a crawl met.

    Arrays have the shape (n_examples,).
    """

    examples: TopicExamples
    n_positive: int
    """Rows of the topic's positives."""
    met: list[JudgedPage]
    """The pages of the crawl, in the order of their rows, which are the last ones."""
    joined: AugmentedExamples
    drawn: Flags
    """Pages that were drawn at random from this web."""
    has_verdict: Flags
    """Pages of the crawl whose verdicts are learnt from."""
    aside: Flags
    """Pages that are not learnt from: they are probably relevant, or their verdicts probably wrong."""
    noise: frozenset[int] = frozenset()
    """Numbers of the pages whose verdicts are probably wrong."""

    @property
    def n_own(self) -> int:
        """Rows that are not of the crawl."""
        return self.joined.n_own

    @property
    def unknown(self) -> Flags:
        """Pages of the crawl without a verdict that is learnt from."""
        return ~self.has_verdict & (np.arange(len(self.has_verdict)) >= self.n_own)


def gather_met(topic: Topic, pages: Sequence[JudgedPage], verdicts: Mapping[int, bool]) -> MetExamples:
    """Return the examples of a topic with the pages of a crawl that count: those drawn, those judged, the latest.

    Nothing is left aside yet. Parameters as of `focused.retraining.pages_met.train_on_pages_met`.
    """
    assert topic.examples is not None
    positives = topic.examples.where(topic.examples.positive)
    n_positive = len(positives.positive)
    known = keys_of_positives(topic)
    latest = {page.number for page in pages[-MAX_MET:]}
    met = [
        page
        for page in pages
        if (page.is_drawn or page.number in verdicts or page.number in latest)
        and page.terms
        and (page.number in verdicts or known.isdisjoint(keys_of(page)))  # a positive is no other page
    ]
    own = _with_looked_at(topic, positives, met)
    joined = AugmentedExamples(own, met)
    examples = joined.with_labels({page.number: verdicts.get(page.number, False) for page in met})
    examples = without_furniture(examples, n_positive, topic.named_terms)
    drawn, has_verdict = (
        np.zeros(len(examples.positive), dtype=np.bool_),
        np.zeros(len(examples.positive), dtype=np.bool_),
    )
    drawn[n_positive : joined.n_own] = True
    drawn[joined.n_own :] = [page.is_drawn for page in met]
    has_verdict[joined.n_own :] = [page.number in verdicts for page in met]
    return MetExamples(examples, n_positive, met, joined, drawn, has_verdict, np.zeros_like(has_verdict))


def keys_of_positives(topic: Topic) -> set[int]:
    """Return the keys by which the positives of a topic are recognised among the pages of a crawl."""
    assert topic.examples is not None
    return set(keys_among(topic.examples.where(topic.examples.positive)).keys.tolist())


def without_probably_relevant(found: MetExamples, learner: str, random_state: int) -> MetExamples:
    """Leave aside the pages that were followed and may well be relevant."""
    aside = _probably_relevant(learner, found.examples, found.n_own, found.drawn | found.has_verdict, random_state)
    return replace(found, aside=aside)


def without_wrong_verdicts(found: MetExamples, learner: str, random_state: int) -> MetExamples:
    """Leave aside the pages whose verdicts all other examples speak against."""
    noise = _label_noise(learner, found, random_state)
    is_noise = np.zeros_like(found.has_verdict)
    is_noise[found.n_own :] = [page.number in noise for page in found.met]
    aside = found.aside | is_noise
    examples = replace(found.examples, positive=found.examples.positive & ~aside)
    return replace(
        found,
        examples=examples,
        drawn=found.drawn & ~is_noise,
        has_verdict=found.has_verdict & ~is_noise,
        aside=aside,
        noise=frozenset(noise),
    )


def _with_looked_at(topic: Topic, positives: TopicExamples, met: Sequence[JudgedPage]) -> TopicExamples:
    """Return the positives and, under them, the pages that the topic looked at before; not those that were met again."""
    examples = topic.examples
    if examples is None or not topic.looked_at:
        return positives
    keys, rows = keys_among(examples)
    stays = ~examples.positive
    stays[rows[np.isin(keys, np.array([key for page in met for key in keys_of(page)], dtype=np.uint64))]] = False
    # Positives stand first in the examples of a topic.
    return examples.where(examples.positive | stays)


def _label_noise(learner: str, found: MetExamples, random_state: int) -> set[int]:
    """Return the numbers of the pages whose verdicts all other examples speak against, if that many are probably wrong."""
    examples, n_own = found.examples, found.n_own
    part = np.full(len(found.has_verdict), -1)
    judged = found.has_verdict[n_own:].tolist()
    part[n_own:] = [page.number % N_PARTS if has else -1 for page, has in zip(found.met, judged, strict=True)]
    rows = np.flatnonzero(~found.aside)
    wrong = probably_wrong(learner, examples.pages[rows], examples.positive[rows], part[rows], random_state)
    return {found.met[row - n_own].number for row in rows[wrong].tolist()}


def _probably_relevant(learner: str, examples: TopicExamples, n_own: int, stays: Flags, random_state: int) -> Flags:
    """Return which followed pages are like the positives, by a model that has learnt from those that stay."""
    aside = np.zeros(len(stays), dtype=np.bool_)
    followed = np.flatnonzero(~stays & (np.arange(len(stays)) >= n_own))
    if not len(followed):
        return aside
    learnt = stays | examples.positive
    model = make_learner(learner, random_state).fit(examples.pages[learnt], examples.positive[learnt])
    decisions = model.decision_function(examples.pages[followed])
    least = np.argsort(decisions, kind="stable")[: round(_MOST_LEARNT * len(followed))]
    aside[followed] = True
    aside[followed[least[decisions[least] < _BELOW]]] = False
    return aside
