"""A regularised linear classifier of the positives against all unlabelled documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from focused.method.learning.estimators.base import LinearCountClassifier

LOSSES = ("logistic", "squared_hinge")


class AgainstUnlabeled(LinearCountClassifier):
    """Learn P against U as if the unlabelled documents were negatives; each class has total weight |P|.

    If the positives are a random sample, the probability of being labelled rises with the probability of being positive. So
    the ranking is right although the labels are not (Elkan and Noto 2008). The decision at 0 is not right: it needs
    `focused.method.learning.calibration`. Because each class weighs |P|, the regularisation depends on the number of
    positives, not on the number of unlabelled pages, and a single hidden positive in U has little weight.

    Parameters
    ----------
    loss : {"logistic", "squared_hinge"}, default="logistic"
        Logistic regression or a linear SVM.
    C : float, default=5.0
        Inverse strength of the L2 penalty for one positive document.
    random_state : int, RandomState instance or None, default=None
        Seed of the SVM solver; the logistic one needs none.
    """

    def __init__(
        self, *, loss: str = "logistic", C: float = 5.0, sublinear_tf: bool = True, random_state: Any = None
    ) -> None:
        self.loss = loss
        self.C = C
        self.sublinear_tf = sublinear_tf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> AgainstUnlabeled:
        """Fit on term counts `X` of shape (n_documents, n_terms) and two labels `y`, the larger positive."""
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(LOSSES)}. Got {self.loss!r}.")
        rows, positive = self._tfc_rows(X, y)
        weights = np.where(positive, 1.0, positive.sum() / (~positive).sum())
        if self.loss == "logistic":
            linear: Any = LogisticRegression(C=self.C, max_iter=1000)
        else:
            linear = LinearSVC(C=self.C, max_iter=10_000, random_state=self.random_state)
        linear.fit(rows, positive, sample_weight=weights)
        self.coef_, self.intercept_ = linear.coef_, linear.intercept_
        return self
