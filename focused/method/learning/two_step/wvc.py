"""The weighted voting classifier: SVMs trained in turn on P and a growing set of negatives [P13, Alg. 3]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.two_step.two_step_svm import TwoStepSVM

if TYPE_CHECKING:
    from numpy.typing import NDArray


class WVC(TwoStepSVM):
    """Weighted voting classifier over iterated linear SVMs [P13, Alg. 3].

    The negatives start as the reliable negatives of 1-DNFC. Each round trains an SVM on the positives and the negatives
    so far. The remaining unlabelled documents that it labels negative become negatives, until a round moves none. The
    final decision is the mean of the SVMs' decisions, weighted by the share p_i of the positives that SVM_i recognises.
    It is linear, so one coefficient vector represents the whole vote.

    Departures (docs/method/): linear SVMs with balanced classes instead of LIBSVM's defaults (D18); a guard that stops before
    an SVM loses positives (D19); p_i on tfc rows (D20).

    Parameters
    ----------
    weighting : {"tfc", "tfidf", "tfipndf", "tfipndf_independent"}, default="tfipndf"
        How training rows are weighted. "tfidf": as tfc with scikit-learn's smoothed idf. "tfipndf": by
        class, recomputed each round as the negatives grow; a document to be judged has no class and is
        weighted by tfc [P13, Sect. 5]. "tfipndf_independent": by the larger of the two class rates (of P
        and the reliable negatives, D21), in training and in prediction.
    reliable : str, default="1-dnfc"
        The search for reliable negatives, a name of `focused.method.learning.two_step.RELIABLE_NEGATIVES`.
    C : float, default=1.0
        Penalty of each linear SVM.
    lambda_start : float, default=0.2
        See `OneDNFC`; no effect with another `reliable`.
    min_share : float, default=0.05
        See `OneDNFC`.
    too_few : {"error", "all", "lowest"}, default="lowest"
        If there are too few reliable negatives: fail, take all unlabelled documents, or those that the search scores lowest.
    guard : float or None, default=0.05
        Stop before an SVM whose p_i is below p_0 by more than this. None: no guard.
    max_rounds : int, default=50
        Stop after this many SVMs.
    sublinear_tf : bool, default=False
        Use 1 + ln(count) for the term frequency.
    random_state : int, RandomState instance or None, default=None
        Seed of the SVM solver, and of the spies.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Unlabelled, positive.
    coef_ : ndarray of shape (1, n_terms)
        Coefficients of the whole vote.
    intercept_ : ndarray of shape (1,)
    term_weights_ : ndarray of shape (n_terms,)
        Factors of the term frequencies of a document to be judged (idf, unless class-independent).
    voter_coefs_ : ndarray of shape (n_iter_, n_terms)
        Coefficients of each SVM.
    voter_intercepts_ : ndarray of shape (n_iter_,)
    voter_weights_ : ndarray of shape (n_iter_,)
        Weights of the votes, p_i / sum p; they sum to 1.
    voter_recalls_ : ndarray of shape (n_iter_,)
        p_i, the share of the positives that SVM_i labels positive.
    n_negatives_ : ndarray of shape (n_iter_,)
        Number of negatives that each SVM was trained on.
    n_iter_ : int
        Number of SVMs that vote.
    termination_condition_ : {"no_new_negatives", "positives_lost", "max_rounds"}
        Why the rounds ended.
    reliable_negatives_ : ndarray of int
        Rows of the X given to `fit` that are reliable negatives.
    lambda_ : float or None
        1-DNFC's lambda; None with another method.
    positive_features_ : ndarray of int or None
        Columns of the positive features; None with a method that has none.
    n_features_in_ : int
    """

    def __init__(
        self,
        *,
        weighting: str = "tfipndf",
        reliable: str = "1-dnfc",
        C: float = 1.0,
        lambda_start: float = 0.2,
        min_share: float = 0.05,
        too_few: str = "lowest",
        guard: float | None = 0.05,
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

    def _stage_weights(self, n_voters: int) -> NDArray[np.float64]:
        recalls = self.voter_recalls_[:n_voters]
        # If no voter recognises any positive, all weights would be 0/0, so all voters count the same.
        return recalls / recalls.sum() if recalls.any() else np.full(n_voters, 1 / n_voters)
