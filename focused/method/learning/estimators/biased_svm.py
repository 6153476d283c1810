"""Linear learners of P against U whose penalties are chosen without negatives: biased SVM, weighted logistic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from focused.method.learning.estimators.base import LinearCountClassifier
from focused.method.learning.estimators.cross_fitting import class_weights
from focused.method.learning.estimators.lee_liu import Penalties, choose

if TYPE_CHECKING:
    from collections.abc import Sequence


class _ChosenPenalties(LinearCountClassifier):
    """Fit on all documents with the penalties that win in cross-validation; subclasses name the linear model."""

    n_folds: int
    sublinear_tf: bool
    random_state: Any

    def _fit(self, X: Any, y: Any, candidates: Sequence[Penalties]) -> Penalties:
        rows, positive = self._tfc_rows(X, y)
        choice = choose(candidates, self._linear, rows, positive, n_folds=self.n_folds, random_state=self.random_state)
        chosen = candidates[choice.best]
        self.criteria_, self.criterion_ = choice.criteria, float(choice.criteria[choice.best])
        weights = class_weights(positive, chosen.unlabeled_weight)
        self.C_positive_ = float(chosen.C)
        self.C_unlabeled_ = float(chosen.C * weights[~positive][0])
        linear = self._linear(chosen.C).fit(rows, positive, sample_weight=weights)
        self.coef_, self.intercept_ = linear.coef_, np.asarray(linear.intercept_, dtype=np.float64)
        return chosen

    def _linear(self, C: float) -> Any:
        raise NotImplementedError


class BiasedSVM(_ChosenPenalties):
    """Soft-margin linear SVM of P against U with different penalties for their errors [LDLLY03].

    Minimises |w|^2 / 2 + C+ (hinge losses of P) + C- (hinge losses of U). U holds positives but P no negatives, so C- is the
    smaller one. Both are chosen by Lee and Liu's criterion in cross-validation; the decision at 0 is the SVM's.

    Departure (docs/method/, D35): a small grid, in which C- is relative to |P| / |U| and so suits any size of U. The paper's
    grid has C- from 0.01 to 0.61 and C+ ten to 200 times that.

    Parameters
    ----------
    C_values : tuple of float, default=(0.1, 1.0, 10.0)
        Candidates for C+; ties go to the first.
    unlabeled_weights : tuple of float, default=(1.0, 0.3, 3.0)
        Candidates for |U| C- / (|P| C+), the weight of all unlabelled documents relative to that of all positives.
    n_folds : int, default=5
        Folds of the cross-validation; fewer if a class has fewer documents.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the SVM solver.

    Attributes
    ----------
    C_positive_, C_unlabeled_ : float
        The chosen penalties for one document, C+ and C-.
    unlabeled_weight_ : float
        |U| C- / (|P| C+) of the chosen penalties.
    criterion_ : float
        Their recall^2 / P(f = 1) in cross-validation; about 1 or less is no better than chance.
    criteria_ : ndarray of shape (n_candidates,)
        The criterion of all candidates: each of `C_values` with each of `unlabeled_weights`; the latter change faster.
    """

    def __init__(
        self,
        *,
        C_values: tuple[float, ...] = (0.1, 1.0, 10.0),
        unlabeled_weights: tuple[float, ...] = (1.0, 0.3, 3.0),
        n_folds: int = 5,
        sublinear_tf: bool = True,
        random_state: Any = None,
    ) -> None:
        self.C_values = C_values
        self.unlabeled_weights = unlabeled_weights
        self.n_folds = n_folds
        self.sublinear_tf = sublinear_tf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> BiasedSVM:
        """Choose the penalties and fit on term counts `X` of shape (n_documents, n_terms) and two labels `y`.

        The larger label is positive. A class of one document raises ValueError, because nothing can be held out.
        """
        grid = [Penalties(C, weight) for C in self.C_values for weight in self.unlabeled_weights]
        self.unlabeled_weight_ = self._fit(X, y, grid).unlabeled_weight
        return self

    def _linear(self, C: float) -> Any:
        return LinearSVC(C=C, loss="hinge", max_iter=100_000, random_state=self.random_state)


class WeightedLogistic(_ChosenPenalties):
    """Logistic regression of P against U, both classes of the same total weight [LL03].

    With these weights, |U| / (|P| + |U|) for a positive and |P| / (|P| + |U|) for an unlabelled document, a document is
    accepted if it is more likely as one of P than as one of U. The C of the L2 penalty is chosen by Lee and Liu's
    criterion in cross-validation. `AgainstUnlabeled` is the same with a fixed C.

    Parameters
    ----------
    C_values : tuple of float, default=(0.5, 5.0, 50.0)
        Candidates for the inverse strength of the L2 penalty for one positive document of weight 1; ties go to the first.
    n_folds, random_state
        As in `BiasedSVM`.

    Attributes
    ----------
    C_positive_, C_unlabeled_ : float
        C of the loss of one positive document, and of one unlabelled document: |P| / |U| times as much.
    criterion_, criteria_
        As in `BiasedSVM`; the candidates are `C_values`.
    """

    def __init__(
        self,
        *,
        C_values: tuple[float, ...] = (0.5, 5.0, 50.0),
        n_folds: int = 5,
        sublinear_tf: bool = True,
        random_state: Any = None,
    ) -> None:
        self.C_values = C_values
        self.n_folds = n_folds
        self.sublinear_tf = sublinear_tf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> WeightedLogistic:
        """Choose C and fit on term counts `X` of shape (n_documents, n_terms) and two labels `y`, as `BiasedSVM`."""
        self._fit(X, y, [Penalties(C, 1.0) for C in self.C_values])
        return self

    def _linear(self, C: float) -> Any:
        return LogisticRegression(C=C, max_iter=1000)
