"""The screened SVM, followed by rounds in which the likeliest unlabelled documents join the positives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.estimators.screened_svm import ScreenedSVM

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse
    from sklearn.svm import LinearSVC

_ROUNDS = (0.1, 0.2, 0.3, 0.4)
"""The share of the positives expected in U that has joined after each round."""
_SCREENED = 0.5
"""Weight of the screened SVM in the result, which the joined documents cannot lead away."""
# Rounds only choose who joins: nearly the best border is good enough, in half of the time.
_TOLERANCE = 0.05


class JoinedSVM(ScreenedSVM):
    """A screened SVM whose likeliest unlabelled documents become positives, more of them in each round (docs/method/, D88).

    Few positives hold few of a topic's words. In each of four rounds the unlabelled documents with the highest decisions join
    the positives, up to 10, 20, 30 and 40 % of the positives that U is expected to hold. As many that come next are left out,
    because they may be either. The result is the mean of the last round and the screened SVM, each in units of the spread of
    U's decisions.

    Parameters
    ----------
    hidden_share : float or None, default=None
        Expected share of positives in U, in (0, 1). None: nothing joins, and the result is that of `ScreenedSVM`.
    C, C_first, min_share, sublinear_tf, term_vectors, random_state
        As in `ScreenedSVM`; the rounds have the penalty of the second SVM.

    Attributes
    ----------
    joined_ : ndarray of int
        Rows of the X given to `fit` that joined the positives of the last round.
    """

    def __init__(
        self,
        *,
        C: float | None = None,
        C_first: float = 1.0,
        min_share: float = 0.05,
        sublinear_tf: bool = True,
        term_vectors: Any = None,
        hidden_share: float | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            C=C,
            C_first=C_first,
            min_share=min_share,
            sublinear_tf=sublinear_tf,
            term_vectors=term_vectors,
            random_state=random_state,
        )
        self.hidden_share = hidden_share

    def _finished(self, svm: LinearSVC, rows: sparse.csr_matrix, positive: NDArray[np.bool_]) -> LinearSVC:
        if self.hidden_share is not None and not 0 < self.hidden_share < 1:
            raise ValueError(f"hidden_share must lie between 0 and 1. Got {self.hidden_share!r}.")
        unlabeled = np.flatnonzero(~positive)
        n_hidden = (self.hidden_share or 0.0) * len(unlabeled)
        self.joined_ = unlabeled[:0]
        screened = decisions = svm.decision_function(rows)[unlabeled]
        if not n_hidden or not screened.std():
            return svm
        last = svm
        for share in _ROUNDS:
            n_joined = max(round(share * n_hidden), 1)
            if 2 * n_joined >= len(unlabeled):
                break
            likeliest = unlabeled[np.argsort(-decisions, kind="stable")]
            self.joined_ = np.sort(likeliest[:n_joined])
            is_positive, is_learnt = positive.copy(), np.ones(len(positive), dtype=np.bool_)
            is_positive[self.joined_] = True
            is_learnt[likeliest[n_joined : 2 * n_joined]] = False
            last = self._svm(self.C_, rows[is_learnt], is_positive[is_learnt], tolerance=_TOLERANCE)
            decisions = last.decision_function(rows)[unlabeled]
        if not decisions.std():
            return svm
        of_screened = _SCREENED * float(decisions.std() / screened.std())
        last.coef_ = (1 - _SCREENED) * last.coef_ + of_screened * svm.coef_
        last.intercept_ = (1 - _SCREENED) * last.intercept_ + of_screened * svm.intercept_
        return last
