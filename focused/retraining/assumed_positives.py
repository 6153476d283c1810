"""Assumes positives among the examples of a topic from words, so that it can be trained again (docs/method/, D70)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from focused.method.learning.learners import LEARNERS
from focused.retraining.drift import example_relevance

if TYPE_CHECKING:
    from focused.method.topic import Topic

LEAST_POSITIVES = 10
"""Nothing can be learnt from fewer pages."""


def with_assumed_positives(topic: Topic) -> Topic:
    """Return a topic from words with those of its examples as positives that its model was made to call relevant.

    They are the unlabelled pages nearest to the words: the share that was assumed when the topic was made, at least ten. A
    retraining learns from them and from the pages that joined, with the default learner. Other topics are returned as they
    are, and so is a topic that has been trained from a run since.
    """
    examples = topic.examples
    if topic.manifest.get("kind") != "keywords" or examples is None or examples.positive.any():
        return topic
    n_pages = examples.pages.shape[0]
    share = float(topic.manifest.get("figures", {}).get("share", 0))
    n_positive = min(max(round(share * n_pages), LEAST_POSITIVES), n_pages)
    nearest = np.argsort(-example_relevance(topic, examples), kind="stable")[:n_positive]
    positive = np.zeros(n_pages, dtype=np.bool_)
    positive[nearest] = True
    manifest = {**topic.manifest, "learner": LEARNERS[0]}
    made = replace(topic, manifest=manifest)
    made.examples = replace(examples, positive=positive)
    return made
