"""Trains a topic against the pages that its crawl meets, instead of a general background (docs/method/, D74).

Beside pages of other webs, any page of this one looks like the examples. The pages of this web are better unlabelled pages,
but a focused crawl meets many relevant ones. So some links are drawn whatever their scores are. A first model learns from the
pages behind these. It says which of the other pages are probably irrelevant; only those are learnt from. The share of relevant
pages is that of all pages met.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.learning.share_of_relevant import estimate_share, prior_of_pages_met
from focused.method.learning.threshold import raised_to_share
from focused.method.learning.training import PageMarks, ShareRule, TermRule, ThresholdRule, train_topic
from focused.method.topic.counted import relevance_of_counts
from focused.method.topic.harvest_estimate import HarvestEstimate, of_pages_met
from focused.retraining.augmentation import columns_of, keys_of, links_of, with_terms, with_vectors
from focused.retraining.judged_sides import correct_by_verdicts, slips_named
from focused.retraining.met_examples import (
    MetExamples,
    gather_met,
    keys_of_positives,
    without_probably_relevant,
    without_wrong_verdicts,
)
from focused.retraining.retrained_topic import with_model
from focused.retraining.training import kept_threshold
from focused.retraining.versions import FIRST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from focused.method.learning.share_of_relevant import ShareEstimate
    from focused.method.learning.trained_model import TrainedModel
    from focused.method.topic import Topic, TopicExamples
    from focused.retraining.judged_pages import JudgedPage
    from focused.retraining.judged_sides import Sides

MIN_PAGES = 5
"""Fewer pages that were drawn say nothing of the web."""
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
    found = gather_met(topic, pages, verdicts)
    if int(found.drawn.sum()) < MIN_PAGES:
        raise ValueError(f"At least {MIN_PAGES} pages that were drawn are needed. Got {int(found.drawn.sum())}.")
    found = without_probably_relevant(found, topic.learner, random_state)
    if filters_label_noise:
        found = without_wrong_verdicts(found, topic.learner, random_state)
    share = _ShareOfRelevant(found, _relevance_when_met(found, verdicts))
    examples = with_terms(found.examples, topic.named_terms)
    wide, term_vectors = with_vectors(examples, topic)
    has_verdicts = bool(found.has_verdict.any())
    model = train_topic(
        wide.pages,
        wide.positive,
        link_examples=links_of(wide),
        learner=topic.learner,
        terms=TermRule(columns_of(wide, topic.named_terms), every_term=True, vectors=term_vectors),
        marks=PageMarks(
            only_judged=found.aside,
            verdicts=np.where(found.has_verdict, wide.positive, np.nan) if has_verdicts else None,
        ),
        share=ShareRule(estimates=share.prior),
        threshold=ThresholdRule(
            least_threshold=_LEAST_THRESHOLD,
            least_recall=_LEAST_RECALL,
            raises_threshold=share.raised if len(share.seen) and not is_for_good else None,
            kept_threshold=threshold or kept_threshold(topic) if has_verdicts else None,
        ),
        slope_strength=_SLOPE_STRENGTH,
        n_folds=_N_FOLDS,
        random_state=random_state,
    )
    assert model.held_out_log_odds is not None
    added = _told_of_pages(found)
    if found.unknown.any():
        added["harvest"] = _harvest(topic, share.estimate(model.held_out_log_odds), pages, verdicts)._asdict()
    if sides := _sides_of_judged(topic, model, found, wide, verdicts):
        model = sides.model
        added |= sides.described()
    added |= _told_of_noise(found, verdicts)
    # What was left aside is probably relevant. Kept among the unlabelled pages, it would speak against pages like it when
    # the topic is trained again.
    kept = examples.where(~found.aside, keeps_terms=len(examples.terms))
    made = with_model(topic, model, wide.terms, kept, {**(about or {}), **added})
    made.manifest["figures_of"] = "held-out positives against the pages that a crawl met"
    return made


@dataclass(frozen=True, slots=True)
class _ShareOfRelevant:
    """Estimates how many of the pages met without a verdict are relevant."""

    found: MetExamples
    seen: npt.NDArray[np.float64]
    """Relevances that models gave pages before they had learnt from them, in [0, 1]."""

    def estimate(self, log_odds: npt.NDArray[np.float64]) -> ShareEstimate:
        """Return it by the held-out log-odds of all examples."""
        own, unknown = log_odds[: self.found.n_positive], self.found.unknown
        return estimate_share(own[~np.isnan(own)], log_odds[unknown], self.found.drawn[unknown], self.seen)

    def prior(
        self, own: npt.NDArray[np.float64], others: npt.NDArray[np.float64], rows: npt.NDArray[np.int64]
    ) -> float:
        """Return the prior of a training, as `train_topic` asks for it."""
        return prior_of_pages_met(own, others, self.found.drawn[rows], self.seen)

    def raised(self, threshold: float, log_odds: npt.NDArray[np.float64]) -> float:
        """Return the threshold, raised as `train_topic` asks for it."""
        return raised_to_share(threshold, self.seen, self.estimate(log_odds).share)


def _relevance_when_met(found: MetExamples, verdicts: Mapping[int, bool]) -> npt.NDArray[np.float64]:
    """Return the relevances of pages when they came, by models that had learnt from this web but not from these pages."""
    return np.array([page.relevance for page in found.met if page.number not in verdicts and page.version > FIRST])


def _told_of_pages(found: MetExamples) -> dict[str, Any]:
    n_left_aside = int(found.aside.sum())
    return {
        "n_unlabeled": found.n_own - found.n_positive + len(found.met) - n_left_aside,
        "n_drawn": int(found.drawn.sum()),
        "n_left_aside": n_left_aside,
    }


def _told_of_noise(found: MetExamples, verdicts: Mapping[int, bool]) -> dict[str, Any]:
    noise = [page for page in found.met if page.number in found.noise]
    return {"n_label_noise": len(found.noise), "label_noise": slips_named(noise, verdicts)}


def _sides_of_judged(
    topic: Topic, model: TrainedModel, found: MetExamples, wide: TopicExamples, verdicts: Mapping[int, bool]
) -> Sides | None:
    """Return the model that puts judged pages on their side of the threshold; None if nobody has judged any."""
    assert model.held_out_log_odds is not None
    judged = [row for row, page in enumerate(found.met, start=found.n_own) if page.number in verdicts]
    if not judged:
        return None
    terms, counts = found.joined.counts()
    own_model = np.ones(counts.shape[0], dtype=np.bool_)  # what has not been trained takes every page
    if "page" in topic.model.calibrations:
        own_model = relevance_of_counts(topic, terms, counts, "page") >= topic.threshold("page")
    return correct_by_verdicts(
        model,
        wide.pages[judged],
        [found.met[row - found.n_own] for row in judged],
        verdicts,
        accepted_before=dict(zip([page.number for page in found.joined.pages], own_model.tolist(), strict=True)),
        held_out_log_odds=np.where(found.has_verdict[judged], model.held_out_log_odds[judged], np.nan),
    )


def _harvest(
    topic: Topic, share: ShareEstimate, pages: Sequence[JudgedPage], verdicts: Mapping[int, bool]
) -> HarvestEstimate:
    """Return the harvest of all pages met: examples of the topic are relevant, of pages with verdicts people know it."""
    known = keys_of_positives(topic)
    own = {page.number for page in pages if page.number not in verdicts and not known.isdisjoint(keys_of(page))}
    said = [verdicts[page.number] for page in pages if page.number in verdicts]
    return of_pages_met(share, len(pages), len(own) + len(said), len(own) + sum(said))
