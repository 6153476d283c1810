"""Trains a topic against the pages that its crawl meets, instead of a general background (docs/method/, D74).

Beside pages of other webs, any page of this one looks like the examples. The pages of this web are better unlabelled pages,
but a focused crawl meets many relevant ones. So some links are drawn whatever their scores are. A first model learns from the
pages behind these. It says which of the other pages are probably irrelevant; only those are learnt from. The share of relevant
pages is that of all pages met.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.learning.learners import make_learner
from focused.method.learning.share_of_relevant import estimate_share, prior_of_pages_met
from focused.method.learning.threshold import raised_to_share
from focused.method.learning.training import train_topic
from focused.method.topic.counted import relevance_of_counts
from focused.method.topic.harvest_estimate import HarvestEstimate, of_pages_met
from focused.retraining.acceptance import N_PARTS
from focused.retraining.augmentation import (
    AugmentedExamples,
    columns_of,
    keys_among,
    keys_of,
    links_of,
    with_terms,
    with_vectors,
)
from focused.retraining.judged_sides import on_their_sides, slips_named
from focused.retraining.label_noise import probably_wrong
from focused.retraining.page_labels import MAX_MET
from focused.retraining.training import kept_threshold, with_model
from focused.retraining.versions import FIRST
from focused.retraining.web_furniture import without_furniture

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from focused.method.learning.share_of_relevant import ShareEstimate
    from focused.method.topic import Topic, TopicExamples
    from focused.retraining.judged_pages import JudgedPage

MIN_PAGES = 5
"""Fewer pages that were drawn say nothing of the web."""
_MOST_LEARNT = 0.6
"""Largest share of the pages that were followed that are learnt from as unlabelled ones: those least like the positives."""
_BELOW = 0.2
"""A followed page is learnt from only if its decision is less: the border lies at 0, the margins at -1 and 1. Where nearly all
that was followed is relevant, hardly any page is."""
_SLOPE_STRENGTH = 100.0
"""Held-out positives say little of the slope: a model of so few pages knows its own examples by heart."""
_LEAST_THRESHOLD = 0.4
"""The pages that come next are those that the model errs about: below this relevance few of them are relevant. The threshold
of the best F1 among the pages before called 1.0 to 2.0 times as many relevant as are (docs/method/, D78)."""
_LEAST_RECALL = 0.2
"""Share of the examples, each held out, that are called relevant at least. Where fewer are, the prior is too low, or pages met
look more like the topic than its examples (docs/method/, D96)."""
_N_FOLDS = 5


def train_on_pages_met(
    topic: Topic,
    pages: Sequence[JudgedPage],
    verdicts: Mapping[int, bool],
    *,
    about: Mapping[str, Any] | None = None,
    threshold: float | None = None,
    filters_label_noise: bool = True,
    is_for_good: bool = False,
    random_state: int = 0,
) -> Topic:
    """Return a topic, trained from its own positives and the pages that a crawl met.

    Parameters
    ----------
    topic : Topic
        With examples. Its unlabelled pages are not used, unless it has looked around before its crawls: those count as drawn.
    pages : sequence of JudgedPage
        All pages of the crawl.
    verdicts : mapping
        What people say of pages, by their numbers. It stands above all else.
    about : mapping, optional
        What the manifest says of it, under ``retraining``.
    threshold : float, optional
        With verdicts: relevance from which the crawl calls pages relevant, in (0, 1), if its settings say so.

    filters_label_noise : bool
        Whether verdicts are left out that all other examples speak against.
    is_for_good : bool
        Whether the model is not only for the rest of this crawl: then its threshold is the best for the pages met, and is not
        raised by how many were called relevant as they came.

    Raises
    ------
    ValueError
        If nothing can be learnt from them.
    """
    assert topic.examples is not None
    positives = topic.examples.where(topic.examples.positive)
    n_positive = len(positives.positive)
    known = set(keys_among(positives).keys.tolist())
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
    n_own = joined.n_own
    examples = without_furniture(examples, n_positive, topic.named_terms)
    drawn, said = np.zeros(len(examples.positive), dtype=np.bool_), np.zeros(len(examples.positive), dtype=np.bool_)
    drawn[n_positive:n_own] = True
    drawn[n_own:] = [page.is_drawn for page in met]
    said[n_own:] = [page.number in verdicts for page in met]
    if int(drawn.sum()) < MIN_PAGES:
        raise ValueError(f"At least {MIN_PAGES} pages that were drawn are needed. Got {int(drawn.sum())}.")
    aside = _probably_relevant(topic.learner, examples, n_own, drawn | said, random_state)
    noise: set[int] = set()
    if filters_label_noise:
        noise = _label_noise(topic.learner, examples, met, n_own, said, ~aside, random_state)
        said[n_own:] &= [page.number not in noise for page in met]
        drawn[n_own:] &= [page.number not in noise for page in met]
        aside[n_own:] |= [page.number in noise for page in met]
        examples = replace(examples, positive=examples.positive & ~aside)
    # What models said of pages when they came, which had learnt of this web and not from them.
    seen = np.array([page.relevance for page in met if page.number not in verdicts and page.version > FIRST])
    examples = with_terms(examples, topic.named_terms)
    wide, term_vectors = with_vectors(examples, topic)
    unknown = ~said & (np.arange(len(said)) >= n_own)

    def share_of_unknown(log_odds: npt.NDArray[np.float64]) -> ShareEstimate:
        own_odds = log_odds[:n_positive]
        return estimate_share(own_odds[~np.isnan(own_odds)], log_odds[unknown], drawn[unknown], seen)

    def raised(threshold: float, log_odds: npt.NDArray[np.float64]) -> float:
        return raised_to_share(threshold, seen, share_of_unknown(log_odds).share)

    model = train_topic(
        wide.pages,
        wide.positive,
        words=columns_of(wide, topic.named_terms),
        link_examples=links_of(wide),
        term_vectors=term_vectors,
        learner=topic.learner,
        estimates_prior=lambda own, others, rows: prior_of_pages_met(own, others, drawn[rows], seen),
        only_judged=aside,
        verdicts=np.where(said, examples.positive, np.nan) if said.any() else None,
        every_term=True,
        slope_strength=_SLOPE_STRENGTH,
        least_threshold=_LEAST_THRESHOLD,
        least_recall=_LEAST_RECALL,
        raises_threshold=raised if len(seen) and not is_for_good else None,
        kept_threshold=threshold or kept_threshold(topic) if said.any() else None,
        n_folds=_N_FOLDS,
        random_state=random_state,
    )
    held_out = model.held_out_log_odds
    assert held_out is not None
    added: dict[str, Any] = {
        "n_unlabeled": len(own.positive) - n_positive + len(met) - int(aside.sum()),
        "n_drawn": int(drawn.sum()),
        "n_left_aside": int(aside.sum()),
    }
    if unknown.any():
        added["harvest"] = _harvest(share_of_unknown(held_out), pages, verdicts, known)._asdict()
    judged = [row for row, page in enumerate(met, start=n_own) if page.number in verdicts]
    if judged:
        pages_judged = [met[row - n_own] for row in judged]
        terms, counts = joined.counts()
        own_model = np.ones(counts.shape[0], dtype=np.bool_)  # what has not been trained takes every page
        if "page" in topic.model.calibrations:
            own_model = relevance_of_counts(topic, terms, counts, "page") >= topic.threshold("page")
        found = on_their_sides(
            *(model, wide.pages[judged], pages_judged, verdicts),
            accepted_before=dict(zip([page.number for page in joined.pages], own_model.tolist(), strict=True)),
            held_out_log_odds=np.where(said[judged], held_out[judged], np.nan),
        )
        model = found.model
        added |= found.described()
    added["n_label_noise"] = len(noise)
    added["label_noise"] = slips_named([page for page in met if page.number in noise], verdicts)
    # What was left aside is probably relevant. Kept among the unlabelled pages, it would speak against pages like it when
    # the topic is trained again.
    kept = examples.where(~aside, keeps_terms=len(examples.terms))
    made = with_model(topic, model, wide.terms, kept, {**(about or {}), **added})
    made.manifest["figures_of"] = "held-out positives against the pages that a crawl met"
    return made


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


def _harvest(
    share: ShareEstimate, pages: Sequence[JudgedPage], verdicts: Mapping[int, bool], known: set[int]
) -> HarvestEstimate:
    """Return the harvest of all pages met: examples of the topic are relevant, of pages with verdicts people know it."""
    own = {page.number for page in pages if page.number not in verdicts and not known.isdisjoint(keys_of(page))}
    said = [verdicts[page.number] for page in pages if page.number in verdicts]
    return of_pages_met(share, len(pages), len(own) + len(said), len(own) + sum(said))


def _label_noise(
    learner: str,
    examples: TopicExamples,
    met: Sequence[JudgedPage],
    n_own: int,
    said: npt.NDArray[np.bool_],
    learnt: npt.NDArray[np.bool_],
    random_state: int,
) -> set[int]:
    """Return the numbers of the pages whose verdicts all other examples speak against, if that many are probably wrong."""
    part = np.full(len(said), -1)
    part[n_own:] = [page.number % N_PARTS if is_said else -1 for page, is_said in zip(met, said[n_own:], strict=True)]
    rows = np.flatnonzero(learnt)
    found = probably_wrong(learner, examples.pages[rows], examples.positive[rows], part[rows], random_state)
    return {met[row - n_own].number for row in rows[found].tolist()}


def _probably_relevant(
    learner: str, examples: TopicExamples, n_own: int, stays: npt.NDArray[np.bool_], random_state: int
) -> npt.NDArray[np.bool_]:
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
