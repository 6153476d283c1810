"""Makes a topic with examples from a topic from words, once people have judged enough pages relevant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from focused.method.learning.learners import LEARNERS
from focused.method.topic.names import LOOKED_AROUND
from focused.retraining.assumed_positives import LEAST_POSITIVES
from focused.retraining.augmentation import AugmentedExamples, keys_of
from focused.retraining.page_labels import FIRST_MET, MAX_MET

if TYPE_CHECKING:
    from focused.method.topic import Topic
    from focused.retraining.judged_pages import JudgedPage
    from focused.retraining.run_labels import RunLabels

_OF_WORDS = ("keywords", "unlabeled", LOOKED_AROUND)
"""What a manifest says of the examples of a topic from words that is not so of the new ones."""


def has_enough_examples(topic: Topic, run: RunLabels) -> bool:
    """Tell whether people have said yes to so many pages of a crawl for a topic from words that these can be its examples.

    There must be pages to tell them from: of a crawl without any training only the judged pages are known.
    """
    if not topic.keyword_terms or topic.examples is None:
        return False
    return len(_wanted(run)) >= LEAST_POSITIVES and len(_of_nobody(run)) >= FIRST_MET


def with_examples_of_verdicts(topic: Topic, run: RunLabels) -> tuple[Topic, RunLabels]:
    """Return a topic from words as one from the pages that people said yes to, and the run without these verdicts.

    The words stand beside the examples from now on (docs/method/, D76). What people said no to stays as it is. Where the
    topic had unlabelled pages of its own, or of an earlier crawl, the general background stands in again: its next crawls
    learn from the pages that they meet.
    """
    examples = topic.examples
    assert examples is not None
    yes = _wanted(run)
    none = examples.where(np.zeros(len(examples.positive), dtype=np.bool_))
    about = {name: value for name, value in topic.manifest["examples"].items() if name not in _OF_WORDS}
    words = topic.manifest["examples"]["keywords"]
    about |= {"words": {name: words[name] for name in ("text", "terms")}, "positive": {"n_pages": len(yes)}}
    manifest = {**topic.manifest, "kind": "examples", "learner": LEARNERS[0], "examples": {"background": {}} | about}
    made = replace(topic, manifest=manifest)
    made.examples = AugmentedExamples(none, yes).with_labels(dict.fromkeys((page.number for page in yes), True))
    no: dict[int, bool] = {number: False for number, label in run.verdicts.items() if not label}
    return made, replace(run, labels=no, verdicts=no)


def with_least_relevant_drawn(run: RunLabels) -> list[JudgedPage]:
    """Return the pages of a crawl for a topic from words, the less relevant half of the latest as if it had been drawn.

    Such a crawl draws nothing. By what the words say few pages of that half are relevant, so a first model can tell the
    examples from them.
    """
    latest = sorted(_of_nobody(run)[-MAX_MET:], key=lambda page: page.relevance)
    drawn = {page.number for page in latest[: len(latest) // 2]}
    return [replace(page, is_drawn=page.number in drawn) for page in run.pages]


def _wanted(run: RunLabels) -> list[JudgedPage]:
    """Return the pages that people said yes to; of pages with the same address or text the first."""
    found, known = [], set[int]()
    for page in run.pages:
        if page.terms and run.verdicts.get(page.number):
            keys = keys_of(page)
            if known.isdisjoint(keys):
                found.append(page)
            known.update(keys)
    return found


def _of_nobody(run: RunLabels) -> list[JudgedPage]:
    """Return the pages with words that nobody has judged."""
    return [page for page in run.pages if page.terms and page.number not in run.verdicts]
