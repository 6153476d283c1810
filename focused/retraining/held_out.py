"""Whether a model that is trained again is worse: judged on examples that were kept from it."""

from __future__ import annotations

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


def parts_of(positive: npt.NDArray[np.bool_], random_state: int) -> npt.NDArray[np.int64]:
    """Return for each example the part in which it is kept apart, drawn with the seed; shape (n_examples,)."""
    part = np.empty(len(positive), dtype=np.int64)
    folds = StratifiedKFold(N_PARTS, shuffle=True, random_state=random_state)
    for number, (_, held_out) in enumerate(folds.split(np.zeros(len(positive)), positive)):
        part[held_out] = number
    return part


def held_out_score(
    learner: str,
    counts: sparse.csr_matrix,
    positive: npt.NDArray[np.bool_],
    part: npt.NDArray[np.int64],
    trained: npt.NDArray[np.int8],
    random_state: int,
) -> float:
    """Return the mean average precision on the parts that are kept apart, in [0, 1].

    For each part a model is trained on all others, but for copies of its pages, and judges that part. Positives and
    negatives weigh the same in total: with the hundred unlabelled pages that stand against each positive, the unlabelled
    pages that are relevant themselves would decide.

    Parameters
    ----------
    learner : str
        A name of `focused.method.learning.learners.LEARNERS`.
    counts : CSR matrix of shape (n_examples, n_terms)
    positive : ndarray of bool of shape (n_examples,)
        By what the models are judged.
    part : ndarray of int of shape (n_examples,)
        Part in which an example is kept apart; -1: it is never judged.
    trained : ndarray of int of shape (n_examples,)
        What the model in question learns an example as, where it is not kept apart: 1 positive, 0 not, -1 not at all.
    random_state : int
        Seed of the learner.
    """
    found = []
    first = first_equal_rows(counts)
    for number in range(N_PARTS):
        judged = part == number
        # A crawl meets pages that are examples already: a copy would tell what is asked.
        learnt = (trained >= 0) & ~np.isin(first, first[judged])
        if not positive[judged].any() or positive[judged].all():
            continue
        model = make_learner(learner, random_state).fit(counts[learnt], trained[learnt] > 0)
        flags = positive[judged]
        weights = np.where(flags, 1.0, flags.sum() / (~flags).sum())
        found.append(average_precision_score(flags, model.decision_function(counts[judged]), sample_weight=weights))
    if not found:
        raise ValueError("There are too few examples to keep any apart.")
    return float(np.mean(found))
