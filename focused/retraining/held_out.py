"""Whether a model that is trained again is worse: average precision on examples that were kept from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold

from focused.method.learning.held_out import first_equal_rows
from focused.method.learning.learners import make_learner

if TYPE_CHECKING:
    from scipy import sparse

N_PARTS = 3


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


class HeldOutExamples:
    """Examples in parts that are kept apart one after the other, to judge models that have learnt from other parts.

    Parameters
    ----------
    learner : str
        A name of `focused.method.learning.learners.LEARNERS`.
    counts : CSR matrix of shape (n_examples, n_terms)
    positive : ndarray of bool of shape (n_examples,)
        By what the models are judged.
    part : ndarray of int of shape (n_examples,)
        Part in which an example is kept apart; -1: it is never judged.
    random_state : int
        Seed of the learner.
    """

    def __init__(
        self,
        learner: str,
        counts: sparse.csr_matrix,
        positive: npt.NDArray[np.bool_],
        part: npt.NDArray[np.int64],
        random_state: int,
    ) -> None:
        self._learner = learner
        self._counts = counts
        self._positive = positive
        self._part = part
        self._random_state = random_state
        self._first = first_equal_rows(counts)

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
            judged = self._part == number
            flags = self._positive[judged]
            if not flags.any() or flags.all():
                continue
            # A crawl meets pages that are examples already: a copy would tell what is asked.
            learnt = (trained >= 0) & ~np.isin(self._first, self._first[judged])
            model = make_learner(self._learner, self._random_state).fit(self._counts[learnt], trained[learnt] > 0)
            weights = np.where(flags, 1.0, flags.sum() / (~flags).sum())
            decisions = model.decision_function(self._counts[judged])
            found.append(average_precision_score(flags, decisions, sample_weight=weights))
        if not found:
            raise ValueError("There are too few examples to keep any apart.")
        return float(np.mean(found))
