"""Two-class learners: their negatives are reliable ones, or all documents that are not positive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.estimators.base import LinearCountClassifier
from focused.method.learning.two_step import check_method, find_negatives
from focused.method.learning.two_step.reliable_negatives import check_too_few

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse


class TwoClassLearner(LinearCountClassifier):
    """Base of the learners that train on P and the reliable negatives, or on P and all other documents.

    Parameters
    ----------
    reliable : str
        The search for reliable negatives, a name of `focused.method.learning.two_step.RELIABLE_NEGATIVES`.
    too_few : {"error", "all", "lowest"}, default="lowest"
        If there are too few of them: fail, take all other documents, or take the least positive ones.
    unlabeled_are_negative : bool, default=False
        False: the negatives are the reliable ones. True: all documents that are not positive, for training sets whose
        labels are complete.

    Attributes
    ----------
    reliable_negatives_ : ndarray of int
        Rows of the X given to `fit` that serve as negatives.
    most_common_ : float or None
        Share of U above which terms were no positive features ("1-dnfc-rare"); None with another method.
    """

    reliable: str
    too_few: str
    unlabeled_are_negative: bool
    random_state: Any
    reliable_negatives_: NDArray[np.intp]
    most_common_: float | None = None

    def _training_flags(self, counts: sparse.csr_matrix, positive: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Choose the negatives, and return the flags of the documents to train on."""
        check_method(self.reliable)
        check_too_few(self.too_few)
        if self.unlabeled_are_negative:
            self.reliable_negatives_ = np.flatnonzero(~positive)
        else:
            self.reliable_negatives_, evidence = find_negatives(
                self.reliable, counts, positive, too_few=self.too_few, random_state=self.random_state
            )
            self.most_common_ = evidence.get("most_common_")
        used = positive.copy()
        used[self.reliable_negatives_] = True
        return used
