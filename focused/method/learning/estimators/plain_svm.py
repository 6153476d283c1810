"""The plain linear SVM of P against U: the baseline that treats unlabelled documents as negatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from focused.method.learning.estimators.base import LinearCountClassifier, check_examples
from focused.method.learning.estimators.weightings import check_weighting, judged_term_weights, training_rows
from focused.method.text.weighting import weighted_rows


class PlainSVM(LinearCountClassifier):
    """Linear SVM with balanced classes of P against U, the baseline of [P15, Fig. 7].

    Parameters
    ----------
    weighting : {"tfc", "tfidf", "tfipndf", "tfipndf_independent"}, default="tfc"
        How training rows are weighted, see `WVC`; the negatives of TFIPNDF are all of U.
    C : float, default=1.0
        Penalty of the SVM.
    random_state : int, RandomState instance or None, default=None
        Seed of the solver.
    """

    def __init__(
        self, *, weighting: str = "tfc", C: float = 1.0, sublinear_tf: bool = False, random_state: Any = None
    ) -> None:
        self.weighting = weighting
        self.C = C
        self.sublinear_tf = sublinear_tf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> PlainSVM:
        """Fit on term counts `X` of shape (n_documents, n_terms) and two labels `y`, the larger positive."""
        check_weighting(self.weighting)
        counts, positive, self.classes_ = check_examples(self, X, y)
        self.term_weights_ = judged_term_weights(self.weighting, counts, positive, np.ones(len(positive), dtype=bool))
        rows = weighted_rows(counts, self.term_weights_, sublinear=self.sublinear_tf)
        rows = training_rows(self.weighting, counts, rows, positive, self.term_weights_, sublinear=self.sublinear_tf)
        svm = LinearSVC(C=self.C, class_weight="balanced", random_state=self.random_state, max_iter=10_000)
        svm.fit(rows, positive)
        self.coef_, self.intercept_ = svm.coef_, svm.intercept_
        return self
