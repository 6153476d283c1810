"""Iterated linear SVMs, of which the last decides: PEBL, and the same with a guard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.two_step.two_step_svm import TwoStepSVM

if TYPE_CHECKING:
    from numpy.typing import NDArray


class IteratedSVM(TwoStepSVM):
    """The last SVM before the iteration runs away from the positives.

    As `WVC`, but the last SVM that has not lost positives is the classifier.

    Parameters
    ----------
    weighting : {"tfc", "tfidf", "tfipndf", "tfipndf_independent"}, default="tfc"
        See `WVC`.
    reliable : str, default="1-dnfc"
        See `WVC`.
    C : float, default=1.0
        Penalty of each linear SVM.
    lambda_start, min_share, too_few
        See `WVC`.
    guard : float or None, default=0.05
        Stop when p_i falls below p_0 by more than this, and keep the SVM before. None: no guard.
    max_rounds : int, default=50
        Stop after this many SVMs.
    sublinear_tf : bool, default=False
        Use 1 + ln(count) for the term frequency.
    random_state : int, RandomState instance or None, default=None
        Seed of the SVM solver, and of the spies.

    Attributes
    ----------
    voter_weights_ : ndarray of shape (n_iter_,)
        1 for the last SVM, 0 for all others.
    n_iter_ : int
        Number of SVMs.
    classes_, coef_, intercept_, term_weights_, voter_coefs_, voter_intercepts_, voter_recalls_, n_negatives_,
    termination_condition_, reliable_negatives_, lambda_, positive_features_, n_features_in_
        See `WVC`.
    """

    def _stage_weights(self, n_voters: int) -> NDArray[np.float64]:
        weights = np.zeros(n_voters)
        weights[-1] = 1.0
        return weights


class PEBL(IteratedSVM):
    """Positive example based learning: 1-DNF, then SVMs until no negative is found (Yu, Han and Chang 2002).

    The last SVM decides, even if it has lost the positives. PEBL is the baseline of [P13, Table 1]. Its linear
    SVMs have balanced classes (docs/method/, D18), and it does not train on too few reliable negatives (D13).

    Parameters and attributes as in `IteratedSVM`, with other defaults for `reliable` ("1-dnf") and `guard` (None).
    """

    def __init__(
        self,
        *,
        weighting: str = "tfc",
        reliable: str = "1-dnf",
        C: float = 1.0,
        lambda_start: float = 0.2,
        min_share: float = 0.05,
        too_few: str = "lowest",
        guard: float | None = None,
        max_rounds: int = 50,
        sublinear_tf: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            weighting=weighting,
            reliable=reliable,
            C=C,
            lambda_start=lambda_start,
            min_share=min_share,
            too_few=too_few,
            guard=guard,
            max_rounds=max_rounds,
            sublinear_tf=sublinear_tf,
            random_state=random_state,
        )
