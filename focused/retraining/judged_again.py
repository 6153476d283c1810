"""Judges all pages of a collection again by one model, in slices, and decides how many of them are delivered.

When a crawl ends, that is its last model, so that the collection speaks of one model.

The last model knows the web best, so it orders the pages. Its threshold cannot say how many of them are relevant: it has
learnt from these very pages, most of them as unlabelled ones. The harvest that is estimated from held-out decisions can
(docs/method/collection.md). A topic from words has no such estimate: there the pages are split into two groups.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from focused.collection.learnt_verdicts import name_of_model
from focused.method.learning.relevant_for_words import n_relevant_for_words
from focused.method.learning.word_classes import held
from focused.method.page.text_units import PAGE
from focused.method.topic.counted import relevance_of_texts
from focused.method.topic.judge import Judge

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path
    from typing import Any

    import numpy.typing as npt

    from focused.collection.judged_rows import FirstJudged, JudgedRows
    from focused.collection.verdict_rows import DeliveryChange
    from focused.method.topic import Topic

    Floats = npt.NDArray[np.float64]

_SLICE_PAGES = 200
_LEAST_LATER = 20
"""Where models that had learnt of this web judged fewer pages as they came, nothing shows whether the harvest may be right."""
_ENOUGH_VERDICTS = 10
"""From so many on the relevances are those that people's verdicts correct (D90)."""
_CERTAIN = 1e-9
_LEAST_KEPT = 0.5
"""Least part of the share that trained models called relevant as pages came: where nearly all pages of a web are of the topic,
the last model takes most of them for unlabelled ones, and its estimate of the harvest is far too low."""


@dataclass(eq=False)
class JudgingAgain:
    """Judges the pages of a collection by one version of the model, in slices.

    ``judge``: by the topic's words; see `judges_words`. ``n_seconds``: after so many nothing more is done. What is left keeps
    what an earlier model said of it, and its number.
    """

    rows: JudgedRows
    judge: Judge
    version: int
    n_seconds: float

    def __post_init__(self) -> None:
        #: Pages that were judged again.
        self.n_judged = 0
        self.changes: list[DeliveryChange] = []
        self._end = 0.0

    @property
    def is_due(self) -> bool:
        """Whether an earlier version, or `scrapy train`, has judged all pages, or pages came since.

        A later version was trained when the crawl ended before: it has learnt from all that this one knows.
        """
        known = self.rows.first_judged()
        if known.version:
            return known.version < self.version
        return self.rows.is_judged_again() or self.rows.n_former(self.version) > 0

    def steps(self) -> Generator[int, None, None]:
        """Judge all pages that can be; yield after each slice how many pages it had."""
        self._end = time.monotonic() + self.n_seconds
        model = name_of_model(self.judge.topic.model_sha256)
        known = replace(self.rows.first_judged(), version=self.version, model=model)
        words = self.judge.topic.keyword_terms
        ids, found = list[int](), list[float]()
        holds: list[npt.NDArray[np.bool_]] = []
        for rows in self.rows.slices(_SLICE_PAGES):
            texts = [row.terms for row in rows]
            relevances = relevance_of_texts(self.judge.topic, texts, PAGE)
            if words:
                holds.append(held(texts, words))
            for row, relevance in zip(rows, relevances.tolist(), strict=True):
                ids.append(row.id)
                # In another language, whatever its words say.
                found.append(0.0 if self.judge.languages and not row.relevance else relevance)
            yield len(rows)
            if time.monotonic() > self._end:
                return
        threshold = float(self.judge.thresholds[PAGE])
        relevances = np.array(found)
        n_relevant = self._n_relevant(relevances, threshold, holds, known)
        if n_relevant is not None:
            relevances = shift_to_count(relevances, n_relevant, threshold)
        said = list(zip(ids, relevances.tolist(), strict=True))
        for start in range(0, len(said), _SLICE_PAGES):
            part = said[start : start + _SLICE_PAGES]
            self.changes += self.rows.judge(part, threshold, known)
            self.n_judged += len(part)
            yield len(part)
            if time.monotonic() > self._end:
                return
        self.rows.note_done(known)

    def _n_relevant(
        self, relevances: Floats, threshold: float, holds: list[npt.NDArray[np.bool_]], known: FirstJudged
    ) -> int | None:
        """Return how many pages are to be relevant; None: as many as the model's own threshold says.

        ``holds``: which words of the topic the pages hold, by slice.
        """
        topic = self.judge.topic
        about = topic.manifest.get("retraining", {})
        if topic.keyword_terms:
            is_corrected = about.get("n_verdicts", 0) >= _ENOUGH_VERDICTS
            if is_corrected or not holds:
                return None
            return n_relevant_for_words(relevances, threshold, np.concatenate(holds))
        share = share_of_relevant(about, known)
        return None if share is None else round(share * known.n_pages)


def note_what_is_learnt(run_dir: Path, topic: Topic) -> None:
    """Note in a collection, before a model judges it, whether the model has learnt from verdicts on its pages.

    Errors are those of `focused.collection.judged_figures.note_learnt`.
    """
    if topic.manifest.get("retraining", {}).get("errors_on_verdicts"):
        from focused.collection.judged_figures import note_learnt  # loads scipy's solvers, and few crawls have verdicts

        note_learnt(run_dir, topic.model_sha256)


def judges_words(judge: Judge) -> bool:
    """Whether a judge says of a page what the topic's model says of its words: one that is plugged in may see more."""
    return type(judge).judge is Judge.judge and type(judge).relevance is Judge.relevance


def share_of_relevant(about: Mapping[str, Any], known: FirstJudged) -> float | None:
    """Return the share of relevant pages in a collection; None: the model's own threshold says it.

    It is the harvest that the version estimates, but no less than half of the share that trained models called relevant as
    pages came. These call too many relevant, for a crawl prefers pages that its model errs about. Where they have judged
    hardly any page, what was called relevant is brought into the 90 % interval of the harvest. Only a version that was trained
    against the pages met, without people's help, needs it.

    ``about``: what the version's manifest says of its training.
    """
    if not about.get("n_drawn") or about.get("n_verdicts", 0) >= _ENOUGH_VERDICTS or not known.n_pages:
        return None
    harvest = about.get("harvest") or {}
    if known.n_later >= _LEAST_LATER:
        called = known.n_later_relevant / known.n_later
        return max(float(harvest.get("share", called)), _LEAST_KEPT * called)
    called = known.n_relevant / known.n_pages
    return min(max(called, float(harvest.get("low", 0.0))), float(harvest.get("high", 1.0)))


def shift_to_count(relevances: Floats, n_relevant: int, threshold: float) -> Floats:
    """Move relevances in log-odds, all by the same, so that so many reach the threshold, or fewer where several are the same.

    A relevance of 0 stays.

    >>> shift_to_count(np.array([0.1, 0.2, 0.3, 0.0]), 2, 0.5).round(2).tolist()
    [0.4, 0.6, 0.72, 0.0]
    """
    log_odds = logit(np.clip(relevances, _CERTAIN, 1 - _CERTAIN))
    ordered = np.sort(log_odds[relevances > 0])[::-1]
    if not len(ordered):
        return relevances
    n_relevant = min(n_relevant, len(ordered))
    least = ordered[n_relevant - 1] if n_relevant else ordered[0] + 2.0
    beyond = ordered[n_relevant] if n_relevant < len(ordered) else least - 2.0
    if beyond == least:  # all that are the same, or none of them
        higher = ordered[ordered > least]
        least = higher[-1] if len(higher) else least + 2.0
    moved = expit(log_odds + logit(threshold) - (least + beyond) / 2)
    return np.where(relevances > 0, moved, 0.0)
