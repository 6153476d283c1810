"""A side of the topic that its examples do not show, and that people want: pages that may belong to it are no negatives.

See docs/method/, D68.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.retraining.acceptance import accepted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from focused.method.topic import Topic, TopicExamples
    from focused.retraining.judged_pages import JudgedPage

Flags = npt.NDArray[np.bool_]

MIN_PAGES = 3
"""Fewer pages are no side of a topic."""
_MAX_SHARE = 0.5
"""What resembles more of the unlabelled pages than this is no topic."""


def new_side(
    topic: Topic, pages: Sequence[JudgedPage], labels: Mapping[int, bool], verdicts: Collection[int]
) -> set[int]:
    """Return the numbers of the pages that people want and that the topic's own model calls irrelevant.

    Parameters
    ----------
    topic : Topic
        As it was before the crawl.
    pages : sequence of JudgedPage
    labels : mapping
        Of a page's number: whether it is relevant.
    verdicts : collection of int
        Numbers of the pages whose label is a verdict.
    """
    wanted = {number: True for number in verdicts if labels.get(number)}
    if not wanted:
        return set()
    return {number for number, is_accepted in accepted(topic, topic, pages, wanted).items() if not is_accepted}


def resembling(examples: TopicExamples, n_own: int, side: npt.NDArray[np.int64], random_state: int) -> Flags:
    """Return which of the topic's own unlabelled pages may belong to a side of it; shape (n_pages,).

    A tenth of the web may be about what people want now, and so may be a tenth of the unlabelled pages. Against that
    many the first few pages of a new side count for nothing: a classifier learns them by heart, and finds no other. So
    they are set against all unlabelled pages on their own, as the positives are in the first step of the screened SVM
    (docs/method/, D29), and what lies on their side of that border is not learnt from.

    Pages that have nothing in common resemble next to nothing, so a few wrong verdicts leave next to nothing aside.

    Parameters
    ----------
    examples : TopicExamples
        The topic's own, and under them pages of a crawl.
    n_own : int
        Number of the topic's own.
    side : ndarray of int
        Rows of the pages of the side.
    random_state : int
        Seed of the solver.
    """
    from focused.method.learning.learners import make_learner

    found = np.zeros(examples.pages.shape[0], dtype=np.bool_)
    unlabeled = np.flatnonzero(~examples.positive[:n_own])
    if len(side) < MIN_PAGES or not len(unlabeled):
        return found
    rows = np.concatenate([unlabeled, side])
    model = make_learner("svm", random_state).fit(examples.pages[rows], np.arange(len(rows)) >= len(unlabeled))
    alike = model.decision_function(examples.pages[unlabeled]) > 0
    if alike.mean() <= _MAX_SHARE:
        found[unlabeled[alike]] = True
    return found
