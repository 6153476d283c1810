"""Non-negative PU learning (Kiryo, Niu, du Plessis and Sugiyama, NeurIPS 2017) with a linear model."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from focused.method.learning.estimators.base import LinearCountClassifier
from focused.method.learning.estimators.class_prior import estimate_prior
from focused.method.learning.estimators.cross_fitting import class_weights, cross_fitted_decisions
from focused.method.learning.estimators.pu_risk import LOSSES, pu_risk

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

logger = logging.getLogger(__name__)

# As in `AgainstUnlabeled`: the estimated prior should not depend on the C of the risk.
_C_OF_PRIOR = 5.0
_STOPPED = {0: "converged", 1: "max_iter", 2: "line_search"}


class NonNegativePU(LinearCountClassifier):
    """Minimise the non-negative PU risk of a linear decision f [K17, eq. 6].

    With a loss l and the class prior pi of U, the mean loss of the negatives is that of U less the part of its positives, and
    the risk is

        pi mean_P l(f) + max(0, mean_U l(-f) - pi mean_P l(-f)) + pi / (2 C |P|) |w|^2.

    A flexible model drives the middle part below 0, although no true risk is negative; the max removes that gain.

    Departure (docs/method/, D34): L-BFGS minimises one smooth problem on all documents from f = 0. The corner of the max is
    rounded off, and the sigmoid loss starts from the solution for the logistic loss. The paper takes stochastic steps,
    backwards if the middle part is negative.

    Parameters
    ----------
    prior : float or None, default=None
        pi, in (0, 1). None: estimated by `estimate_prior` from cross-fitted decisions of P against U.
    loss : {"sigmoid", "logistic"}, default="sigmoid"
        1 / (1 + exp(z)), the paper's, or ln(1 + exp(-z)).
    balanced : bool, default=False
        Weigh positives and negatives 1/2 each instead of pi and 1 - pi [SCX21]: if pi is small, the plain risk is nearly as
        low for calling everything negative.
    C : float, default=50.0
        Inverse strength of the L2 penalty for one positive document. With the plain sigmoid risk, a small prior and a strong
        penalty (below 50), calling everything negative has the least risk; `balanced` works down to 1.
    tol : float, default=1e-5
        Stop when no component of the gradient is larger, in units of the weight of the positives.
    max_iter : int, default=500
        Stop after this many steps.
    n_folds : int, default=5
        Folds of the cross-fitting where the prior is estimated.
    random_state : int, RandomState instance or None, default=None
        Seed of those folds.

    Attributes
    ----------
    prior_ : float
        pi, given or estimated.
    n_iter_ : int
        Number of steps with this loss.
    loss_curve_ : ndarray of shape (n_iter_ + 1,)
        The minimised function (in units of the weight of the positives) before the first and after each step; decreasing.
    termination_condition_ : {"converged", "max_iter", "line_search"}
        Why the steps ended. "line_search": no lower value was found in the direction of the step.
    """

    def __init__(
        self,
        *,
        prior: float | None = None,
        loss: str = "sigmoid",
        balanced: bool = False,
        C: float = 50.0,
        tol: float = 1e-5,
        max_iter: int = 500,
        n_folds: int = 5,
        sublinear_tf: bool = True,
        random_state: Any = None,
    ) -> None:
        self.prior = prior
        self.loss = loss
        self.balanced = balanced
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.n_folds = n_folds
        self.sublinear_tf = sublinear_tf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> NonNegativePU:
        """Minimise the risk on term counts `X` of shape (n_documents, n_terms) and two labels `y`, the larger positive.

        ValueError if a parameter is out of its range, or the prior is to be estimated and a class has only one document.
        """
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(LOSSES)}. Got {self.loss!r}.")
        if self.prior is not None and not 0 < self.prior < 1:
            raise ValueError(f"prior must be None or in (0, 1). Got {self.prior}.")
        if not self.C > 0 or self.max_iter < 1:
            raise ValueError(f"C must be above 0 and max_iter at least 1. Got {self.C} and {self.max_iter}.")
        rows, positive = self._tfc_rows(X, y)
        self.prior_ = self._estimated_prior(rows, positive) if self.prior is None else float(self.prior)

        start = np.zeros(rows.shape[1] + 1)
        # The sigmoid loss is flat far from 0 and gives no direction; so the logistic loss, which is not flat, goes first.
        for loss in LOSSES[: LOSSES.index(self.loss) + 1]:
            risk = pu_risk(rows, positive, self.prior_, loss=loss, balanced=self.balanced, C=self.C)
            result, curve = _descend(risk, start, self.tol, self.max_iter)
            start = result.x
        self.coef_, self.intercept_ = result.x[np.newaxis, :-1], result.x[-1:]
        self.loss_curve_, self.n_iter_ = np.array(curve), len(curve) - 1
        self.termination_condition_ = _STOPPED[result.status]
        logger.debug("nnPU: prior %.3g, %d steps, %s", self.prior_, self.n_iter_, self.termination_condition_)
        return self

    def _estimated_prior(self, rows: sparse.csr_matrix, positive: NDArray[np.bool_]) -> float:
        first, weights = LogisticRegression(C=_C_OF_PRIOR, max_iter=1000), class_weights(positive)
        decisions = cross_fitted_decisions(
            first, rows, positive, weights, n_folds=self.n_folds, random_state=self.random_state
        )
        return estimate_prior(decisions[positive], decisions[~positive]).prior


def _descend(risk: Any, start: NDArray[np.float64], tol: float, max_iter: int) -> tuple[Any, list[float]]:
    """Return scipy's result, and the value before the first and after each step."""
    curve = [risk(start)[0]]

    # scipy recognises this form of the callback by the name of its only argument.
    def note(intermediate_result: Any) -> None:
        curve.append(float(intermediate_result.fun))

    options = {"maxiter": max_iter, "maxfun": 10 * max_iter, "gtol": tol, "ftol": 1e-9}
    return minimize(risk, start, jac=True, method="L-BFGS-B", callback=note, options=options), curve
