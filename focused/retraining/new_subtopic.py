"""Finds a subtopic that people want and the topic's examples do not show: pages that may belong to it are no negatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.learning.learners import make_learner

if TYPE_CHECKING:
    from focused.method.topic import TopicExamples

Flags = npt.NDArray[np.bool_]

MIN_PAGES = 3
"""Fewer pages are no subtopic."""
_MAX_SHARE = 0.5
"""What resembles more of the unlabelled pages than this is no topic."""


def may_be_of_subtopic(
    examples: TopicExamples, n_own: int, subtopic: npt.NDArray[np.int64], random_state: int
) -> Flags:
    """Return which of the topic's own unlabelled pages may belong to a new subtopic; shape (n_pages,).

    A tenth of the web may be about what people want now, and so may be a tenth of the unlabelled pages. Against that
    many, the first few pages of a new subtopic count for nothing: a classifier learns them by heart, and finds no other.
    So a classifier tells them from all unlabelled pages, as the first step of the screened SVM does with the positives
    (docs/method/, D29). Unlabelled pages that it puts with the subtopic are not learnt from (D68).

    Pages that have nothing in common resemble next to nothing, so a few wrong verdicts leave next to nothing aside.
    The first ``n_own`` examples are the topic's own, under them are pages of a crawl; ``subtopic`` has rows of these.
    """
    found = np.zeros(examples.pages.shape[0], dtype=np.bool_)
    unlabeled = np.flatnonzero(~examples.positive[:n_own])
    if len(subtopic) < MIN_PAGES or not len(unlabeled):
        return found
    rows = np.concatenate([unlabeled, subtopic])
    model = make_learner("svm", random_state).fit(examples.pages[rows], np.arange(len(rows)) >= len(unlabeled))
    alike = model.decision_function(examples.pages[unlabeled]) > 0
    if alike.mean() <= _MAX_SHARE:
        found[unlabeled[alike]] = True
    return found
