"""One-class SVM: learns from the positives alone (Manevitz and Yousef 2002)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import OneClassSVM

from focused.method.learning.estimators.base import LinearCountClassifier, check_examples
from focused.method.learning.estimators.weightings import check_weighting, judged_term_weights, training_rows
from focused.method.text.weighting import weighted_rows


class OneClass(LinearCountClassifier):
    """Linear one-class SVM on the weighted rows of P, the baseline OCS of [P13, Fig. 9, Table 1].

    U is used for term weights only. The kernel is linear (LIBSVM's default is RBF; docs/method/, D30). Time is
    quadratic in |P|: thousands of positives take seconds.

    Parameters
    ----------
    weighting : {"tfc", "tfidf", "tfipndf", "tfipndf_independent"}, default="tfc"
        How training rows are weighted, see `WVC`; P13 uses TFIPNDF.
    nu : float, default=0.5
        Upper bound on the share of positives left outside, in (0, 1]; LIBSVM's default.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_terms)
        Not negative: no term speaks against the topic.
    n_support_vectors_ : int
        Positives on the border or outside.
    """

    def __init__(self, *, weighting: str = "tfc", nu: float = 0.5, sublinear_tf: bool = False) -> None:
        self.weighting = weighting
        self.nu = nu
        self.sublinear_tf = sublinear_tf

    def fit(self, X: Any, y: Any) -> OneClass:
        """Fit on term counts `X` of shape (n_documents, n_terms) and two labels `y`, the larger positive."""
        if not 0 < self.nu <= 1:
            raise ValueError(f"nu must be in (0, 1]. Got {self.nu}.")
        check_weighting(self.weighting)
        counts, positive, self.classes_ = check_examples(self, X, y)
        self.term_weights_ = judged_term_weights(self.weighting, counts, positive, np.ones(len(positive), dtype=bool))
        rows = weighted_rows(counts, self.term_weights_, sublinear=self.sublinear_tf)
        rows = training_rows(self.weighting, counts, rows, positive, self.term_weights_, sublinear=self.sublinear_tf)
        rows = rows[positive]
        svm = OneClassSVM(kernel="linear", nu=self.nu).fit(rows)
        self.n_support_vectors_ = len(svm.support_)
        # LIBSVM's own coef_ is a sparse matrix; the sum over the support vectors is the same, as an array.
        multipliers = np.zeros(rows.shape[0])
        multipliers[svm.support_] = svm.dual_coef_.data
        self.coef_ = (rows.T @ multipliers)[np.newaxis, :]
        self.intercept_ = np.asarray(svm.intercept_, dtype=np.float64)
        return self
