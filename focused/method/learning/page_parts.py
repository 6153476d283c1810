"""Which part each training page plays: who trains the classifier, who stands for the web at large, what people say of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.training_set import LinkExamples, TermRule, TrainingSet, prepare, with_page_of_words

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PageMarks:
    """What is known of training pages beside their labels; flags and numbers of shape (n_pages,). By default nothing."""

    learnt_only: ArrayLike | None = None
    """Pages that train the classifier but are no random sample, such as those of a focused crawl. The prior, the
    calibrations of pages and blocks, the threshold and the figures come from all other pages."""
    left_aside: ArrayLike | None = None
    """Unlabelled pages that may well be relevant: neither training nor calibration uses them. As targets of links they have
    the relevance that the classifier gives them."""
    only_judged: ArrayLike | None = None
    """Unlabelled pages that belong to the population but do not train the classifier: they are probably relevant."""
    verdicts: ArrayLike | None = None
    """What people say of pages: 1 relevant, 0 not, NaN where nobody has said anything. They correct the line from decisions
    to relevances (`line_by_verdicts`): that of P and U alone may be far off where nearly all of U is relevant."""


@dataclass(frozen=True, slots=True)
class PageParts:
    """The part of each page of a `TrainingSet`; arrays of shape (n_pages,)."""

    trains: Flags
    """Pages that the classifier is trained on."""
    drawn: Flags
    """Pages that represent the web at large: the prior, the calibrations, the threshold and the figures come from them."""
    is_given: Flags
    """All but the page that is made of the words of a topic."""
    others_are_crawled: bool
    """Whether pages that are not `drawn` may come from a focused crawl, which is no random sample."""
    unlabeled_are_a_draw: bool
    """Whether all unlabelled pages are a draw from the web, so that their share of relevant pages can be estimated."""
    verdicts: NDArray[np.float64] | None
    """1 relevant, 0 not, NaN where nobody has said anything; None if there is no verdict at all."""


def assign_parts(
    counts: Any, y: ArrayLike, link_examples: LinkExamples | None, terms: TermRule, marks: PageMarks
) -> tuple[TrainingSet, PageParts]:
    """Return the training set of a topic, and the part that each of its pages plays.

    Parameters and errors as in `focused.method.learning.training.train_topic`.
    """
    n_given = counts.shape[0]
    learnt_only, left_aside, only_judged = marks.learnt_only, marks.left_aside, marks.only_judged
    verdicts = marks.verdicts
    if terms.words is not None:
        masks = (left_aside, only_judged, np.zeros(n_given) if learnt_only is None else learnt_only)
        counts, y, (left_aside, only_judged, learnt_only) = with_page_of_words(terms.words, counts, y, masks)
        verdicts = None if verdicts is None else np.append(np.asarray(verdicts, dtype=np.float64), np.nan)
    data = prepare(counts, y, link_examples, terms)
    data = replace(data, left_out=data.left_out[data.left_out < n_given])
    is_given = data.rows < n_given

    def flagged(mask: ArrayLike | None) -> Flags:
        if mask is None:
            return np.zeros(len(data.rows), dtype=np.bool_)
        return np.asarray(mask, dtype=np.bool_)[data.rows]

    kept = data.positive | ~flagged(left_aside)
    return data, PageParts(
        trains=kept & (data.positive | ~flagged(only_judged)),
        drawn=kept & ~flagged(learnt_only) & is_given,
        is_given=is_given,
        others_are_crawled=learnt_only is not None,
        unlabeled_are_a_draw=learnt_only is None and only_judged is None,
        verdicts=None if verdicts is None else np.asarray(verdicts, dtype=np.float64)[data.rows],
    )
