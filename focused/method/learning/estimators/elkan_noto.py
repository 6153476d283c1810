"""Elkan and Noto's learner: unlabelled documents count as positive and as negative, each with its probability."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from focused.method.learning.estimators.base import LinearCountClassifier
from focused.method.learning.estimators.cross_fitting import class_weights, cross_fitted_decisions
from focused.method.learning.estimators.mixture_proportion import C_ESTIMATORS, elkan_noto_prior


class ElkanNoto(LinearCountClassifier):
    """Logistic regression on weighted unlabelled documents [EN08, Sect. 3].

    A first logistic regression of P against U gives g(x) = p(labelled | x), and held-out positives give the label
    frequency c. An unlabelled document is positive with probability w(x) = (1 - c) / c * g(x) / (1 - g(x)). The second
    logistic regression takes each of them twice: as a positive of weight w and as a negative of weight 1 - w.

    Departure (docs/method/, D31): g is cross-fitted and Platt-scaled. So c is estimated on all positives, each held out once,
    and no hidden positive is weighted by a model that learnt it as a negative.

    Parameters
    ----------
    c_estimator : {"e1", "e2", "e3", "fitted"}, default="e1"
        How c is estimated, see `elkan_noto_prior`. "fitted" is much more accurate.
    balanced : bool, default=False
        Give each class the total weight |P| in both regressions, as `AgainstUnlabeled` does. The decision is then 0 not at
        probability 1/2, but where a page is equally likely in both classes.
    C : float, default=5.0
        Inverse strength of the L2 penalty for one positive document.
    n_folds : int, default=5
        Folds of the cross-fitting; fewer if a class has fewer documents.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds.

    Attributes
    ----------
    c_ : float
        Label frequency: the share of labelled documents among all positives of P and U, in (0, 1).
    prior_ : float
        Class prior of U that c_ implies, in (0, 1).
    weights_ : ndarray of shape (n_unlabeled,)
        w of each unlabelled document in the order of X, in [0, 1].
    """

    def __init__(
        self,
        *,
        c_estimator: str = "e1",
        balanced: bool = False,
        C: float = 5.0,
        n_folds: int = 5,
        sublinear_tf: bool = True,
        random_state: Any = None,
    ) -> None:
        self.c_estimator = c_estimator
        self.balanced = balanced
        self.C = C
        self.n_folds = n_folds
        self.sublinear_tf = sublinear_tf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> ElkanNoto:
        """Fit both regressions on term counts `X` of shape (n_documents, n_terms) and two labels `y`, the larger positive.

        A class of one document raises ValueError, because nothing can be held out.
        """
        if self.c_estimator not in C_ESTIMATORS:
            raise ValueError(f"c_estimator must be one of {', '.join(C_ESTIMATORS)}. Got {self.c_estimator!r}.")
        rows, positive = self._tfc_rows(X, y)
        regression = LogisticRegression(C=self.C, max_iter=1000)
        first_weights = class_weights(positive) if self.balanced else np.ones(len(positive))
        decisions = cross_fitted_decisions(
            regression, rows, positive, first_weights, n_folds=self.n_folds, random_state=self.random_state
        )
        found = elkan_noto_prior(decisions[positive], decisions[~positive], c_estimator=self.c_estimator)
        self.c_, self.prior_, self.weights_ = found.label_frequency, found.prior, found.probabilities

        n_positive, n_unlabeled = int(positive.sum()), len(self.weights_)
        twice = sparse.vstack([rows[positive], rows[~positive], rows[~positive]], format="csr")
        labels = np.arange(n_positive + 2 * n_unlabeled) < n_positive + n_unlabeled
        weights = np.concatenate([np.ones(n_positive), self.weights_, 1 - self.weights_])
        if self.balanced:
            for members in (labels, ~labels):
                weights[members] *= n_positive / max(weights[members].sum(), 1e-9)
        regression.fit(twice, labels, sample_weight=weights)
        self.coef_, self.intercept_ = regression.coef_, regression.intercept_
        return self
