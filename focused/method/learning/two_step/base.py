"""Base class of the estimators of reliable negatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from focused.method.learning.estimators.base import CountClassifier, check_counts, check_examples

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from focused.method.learning.two_step.reliable_negatives import ReliableNegatives


class ReliableNegativeFinder(CountClassifier):
    """Find the reliable negatives of U, and label any document as the search would.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Unlabelled, positive.
    reliable_negatives_ : ndarray of int
        Rows of the X given to `fit` that are reliable negatives.
    threshold_ : float
        A document with a score up to this is labelled as not positive.
    n_features_in_ : int
        Number of terms.
    """

    reliable_negatives_: NDArray[np.intp]
    threshold_: float

    def fit(self, X: Any, y: Any) -> ReliableNegativeFinder:
        """Find the reliable negatives.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Term counts.
        y : array-like of shape (n_documents,)
            Two labels: the larger is positive, the smaller unlabelled.

        Raises
        ------
        TooFewReliableNegativesError
            A ValueError, if they are fewer than the positives or than `min_share` of the unlabelled documents, and
            `too_few="error"`.
        """
        counts, positive, self.classes_ = check_examples(self, X, y)
        found = self._find(counts[positive], counts[~positive])
        self.reliable_negatives_ = np.flatnonzero(~positive)[found.unlabeled_rows]
        self.threshold_ = found.threshold
        for name, value in found.evidence.items():
            setattr(self, name, value)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each document less the threshold, shape (n_documents,)."""
        check_is_fitted(self)
        return self._scores(check_counts(self, X)) - self.threshold_

    def _find(self, positive: sparse.csr_matrix, unlabeled: sparse.csr_matrix) -> ReliableNegatives:
        raise NotImplementedError

    def _scores(self, counts: sparse.csr_matrix) -> NDArray[np.float64]:
        raise NotImplementedError
