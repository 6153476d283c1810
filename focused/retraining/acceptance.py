"""Decides whether a retrained model is worse than the one in use, by held-out examples: average precision and decisions.

Average precision sees the order of pages only. A model may keep the order and call hardly any page relevant.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold

from focused.method.learning.held_out import first_equal_rows
from focused.method.learning.learners import make_learner

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from scipy import sparse

    from focused.method.topic import Topic

N_PARTS = 3
# How much may be lost, as multiples of the tolerance of average precision: thirty positives tell recall in steps of 0.033.
_OF_F1, _OF_RECALL, _OF_SKILL, _OF_KEPT = 2.5, 5.0, 5.0, 5.0


@dataclass(frozen=True)
class Comparison:
    """Average precision on held-out examples, in [0, 1]."""

    new: float
    in_use: float
    first: float

    def why_worse(self, tolerance: float) -> str:
        """Return why a new model is not to be used; empty if it may be."""
        best = max(self.in_use, self.first)
        if self.new >= best - tolerance:
            return ""
        which = "in use" if self.in_use >= self.first else "before the crawl"
        return f"average precision {self.new:.3f} on held-out examples; of the model {which} {best:.3f}"


def parts_of(positive: npt.NDArray[np.bool_], random_state: int) -> npt.NDArray[np.int64]:
    """Return for each example the part in which it is kept apart, drawn with the seed; shape (n_examples,)."""
    part = np.empty(len(positive), dtype=np.int64)
    folds = StratifiedKFold(N_PARTS, shuffle=True, random_state=random_state)
    for number, (_, held_out) in enumerate(folds.split(np.zeros(len(positive)), positive)):
        part[held_out] = number
    return part


@dataclass(eq=False)
class HeldOutExamples:
    """Examples in parts that are kept apart one after the other, to judge models that have learnt from other parts."""

    #: A name of `focused.method.learning.learners.LEARNERS`.
    learner: str
    #: Shape (n_examples, n_terms).
    counts: sparse.csr_matrix
    #: By what the models are judged; shape (n_examples,), as ``part``.
    positive: npt.NDArray[np.bool_]
    #: Part in which an example is kept apart; -1: it is never judged.
    part: npt.NDArray[np.int64]
    random_state: int

    def __post_init__(self) -> None:
        self._first = first_equal_rows(self.counts)

    def average_precision(self, trained: npt.NDArray[np.int8]) -> float:
        """Return the mean average precision on the parts that are kept apart, in [0, 1].

        For each part a model is trained on all other parts, but for copies of its pages, and judges that part. Positives
        and negatives weigh the same in total: there are a hundred unlabelled pages for each positive, so the few of them
        that are relevant would decide otherwise.

        Parameters
        ----------
        trained : ndarray of int of shape (n_examples,)
            What the model in question learns an example as, where it is not kept apart: 1 positive, 0 not, -1 not at all.

        Raises
        ------
        ValueError
            If no part holds both positives and other examples.
        """
        found = []
        for number in range(N_PARTS):
            judged = self.part == number
            flags = self.positive[judged]
            if not flags.any() or flags.all():
                continue
            # A crawl meets pages that are examples already: a copy would tell what is asked.
            learnt = (trained >= 0) & ~np.isin(self._first, self._first[judged])
            model = make_learner(self.learner, self.random_state).fit(self.counts[learnt], trained[learnt] > 0)
            weights = np.where(flags, 1.0, flags.sum() / (~flags).sum())
            decisions = model.decision_function(self.counts[judged])
            found.append(average_precision_score(flags, decisions, sample_weight=weights))
        if not found:
            raise ValueError("There are too few examples to keep any apart.")
        return float(np.mean(found))


@dataclass(frozen=True)
class AcceptanceFigures:
    """How well a model by `Retraining` decides about the topic's own examples, each held out.

    Figures of two models can be compared where both have the same examples and the same share of relevant pages.
    """

    #: At the model's threshold, in [0, 1].
    recall: float
    f1: float
    #: 1 - Brier score / (pi (1 - pi)): 1 without an error, 0 where all have the relevance pi; by chance also above 1.
    skill: float

    def why_worse(
        self, first: AcceptanceFigures, tolerance: float, *, widens: bool = False, is_assumed: bool = False
    ) -> str:
        """Return why a new model is not to be used; empty if it may be (docs/method/, D64).

        It is compared with the ``first``, which has learnt from no page of the crawl. F1 may be 2.5 times the tolerance of
        average precision lower, recall and skill five times. Verdicts may widen a topic (`mostly_verdicts`) to pages that
        count as errors by its own examples; then only recall is compared. Nothing is where, besides, these examples were
        assumed (``is_assumed``): they are pages that somebody's words found, and people know better.
        """
        if is_assumed:
            return ""
        figures = [("recall", self.recall, first.recall, _OF_RECALL)]
        if not widens:
            figures += [("F1", self.f1, first.f1, _OF_F1), ("Brier skill", self.skill, first.skill, _OF_SKILL)]
        for name, new, before, times in figures:
            if new < before - times * tolerance - 1e-9:
                return f"{name} {new:.3f} at the threshold, on held-out examples; before the crawl {before:.3f}"
        return ""

    def rounded(self) -> dict[str, float]:
        """Return the figures by name, for a file."""
        return {name: round(value, 6) for name, value in asdict(self).items()}


def mostly_verdicts(labels: Collection[int], verdicts: Collection[int]) -> bool:
    """Return whether at least half of the pages that joined have a verdict; both by number."""
    return len(labels) > 0 and 2 * len(verdicts) >= len(labels)


def acceptance_figures(topic: Topic) -> AcceptanceFigures:
    """Return how well a topic's model decides, from the figures of its training by `Retraining`."""
    figures = topic.manifest["figures"]
    prior = float(figures["prior"])
    return AcceptanceFigures(figures["recall"], figures["f1"], 1 - figures["brier"] / (prior * (1 - prior)))


def without_contradicted(
    accepted: Mapping[int, bool], labels: Mapping[int, bool], verdicts: Collection[int]
) -> dict[int, bool]:
    """Return the labels without those by relevance that the topic's own model contradicts, which accepted pages or did not.

    A model that has learnt from the crawl gives the relevances by which pages join. Without this its errors would
    confirm themselves (docs/method/, D67). Labels that are verdicts stay.
    """
    return {n: label for n, label in labels.items() if n in verdicts or accepted.get(n, label) == label}


def why_forgets(
    accepted: Mapping[int, bool], labels: Mapping[int, bool], verdicts: Collection[int], tolerance: float
) -> str:
    """Return why a new model is not to be used that calls pages irrelevant which joined the positives; else empty.

    Of those without a verdict a share of five times the tolerance may be lost.
    """
    joined = [n for n in accepted if labels.get(n) and n not in verdicts]
    n_lost = sum(not accepted[n] for n in joined)
    if n_lost <= _OF_KEPT * tolerance * len(joined):
        return ""
    return f"{n_lost} of {len(joined)} pages that joined the positives would be irrelevant"
