"""The weighted voting classifier: SVMs trained in turn on P and a growing set of negatives [P13, Alg. 3]."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from focused.method.learning.estimators.base import LinearCountClassifier, check_counts, check_examples
from focused.method.learning.estimators.text_svm import check_kernel, train_svm
from focused.method.learning.estimators.weightings import check_weighting, judged_term_weights, training_rows
from focused.method.learning.two_step import check_method, find_negatives
from focused.method.learning.two_step.svm_rounds import train_rounds
from focused.method.text.weighting import weighted_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy import sparse

    from focused.method.learning.estimators.text_svm import TextSVM
    from focused.method.learning.two_step.svm_rounds import Rounds, Train

logger = logging.getLogger(__name__)


class WVC(LinearCountClassifier):
    """Weighted voting classifier over iterated linear SVMs [P13, Alg. 3].

    The negatives start as the reliable negatives of 1-DNFC. Each round trains an SVM on the positives and the negatives
    so far. The remaining unlabelled documents that it labels negative become negatives, until a round moves none. The
    final decision is the mean of the SVMs' decisions, weighted by the share p_i of the positives that SVM_i recognises.
    It is linear, so one coefficient vector represents the whole vote. Subclasses weigh the votes in another way.

    Departures (docs/method/): linear SVMs with balanced classes instead of LIBSVM's defaults (D18); a guard that stops before
    an SVM loses positives (D19); p_i on tfc rows (D20).

    Parameters
    ----------
    weighting : {"tfc", "tfidf", "tfipndf", "tfipndf_independent"}, default="tfipndf"
        How training rows are weighted. "tfidf": as tfc with scikit-learn's smoothed idf. "tfipndf": by class, recomputed each
        round as the negatives grow; a document to be judged has no class and is weighted by tfc [P13, Sect. 5].
        "tfipndf_independent": by the larger of the two class rates (of P and the reliable negatives, D21), in training and in
        prediction.
    reliable : str, default="1-dnfc"
        The search for reliable negatives, a name of `focused.method.learning.two_step.RELIABLE_NEGATIVES`.
    kernel : {"linear", "libsvm"}, default="linear"
        Linear SVMs with balanced classes, or LIBSVM's defaults, as P13 prints them; see `text_svm.train_svm`.
    C : float, default=1.0
        Penalty of each SVM.
    too_few : {"error", "all", "lowest"}, default="lowest"
        If there are too few reliable negatives: fail, take all unlabelled documents, or those that the search scores lowest.
    guard : float or None, default=0.05
        Stop before an SVM whose p_i is below p_0 by more than this. None: no guard.
    max_rounds : int, default=50
        Stop after this many SVMs.
    random_state : int, RandomState instance or None, default=None
        Seed of the SVM solver, and of the spies.

    Attributes
    ----------
    voter_coefs_ : ndarray of shape (n_iter_, n_terms)
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
    most_common_ : float or None
        Share of U above which terms were no positive features ("1-dnfc-rare"); None with another method.
    positive_features_ : ndarray of int or None
        Columns of the positive features; None with a method that has none.
    """

    voter_coefs_: NDArray[np.float64]
    voter_intercepts_: NDArray[np.float64]
    voter_recalls_: NDArray[np.float64]
    voter_weights_: NDArray[np.float64]

    def __init__(
        self,
        *,
        weighting: str = "tfipndf",
        reliable: str = "1-dnfc",
        kernel: str = "linear",
        C: float = 1.0,
        too_few: str = "lowest",
        guard: float | None = 0.05,
        max_rounds: int = 50,
        sublinear_tf: bool = False,
        random_state: Any = None,
    ) -> None:
        self.weighting = weighting
        self.reliable = reliable
        self.kernel = kernel
        self.C = C
        self.too_few = too_few
        self.guard = guard
        self.max_rounds = max_rounds
        self.sublinear_tf = sublinear_tf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> WVC:
        """Find the reliable negatives and train the SVMs.

        With `too_few="error"` and too few reliable negatives: TooFewReliableNegativesError, a ValueError.
        """
        check_weighting(self.weighting)
        check_method(self.reliable)
        check_kernel(self.kernel)
        if self.max_rounds < 1:
            raise ValueError(f"max_rounds must be at least 1. Got {self.max_rounds}.")
        counts, positive, self.classes_ = check_examples(self, X, y)
        self.reliable_negatives_, evidence = find_negatives(
            self.reliable, counts, positive, too_few=self.too_few, random_state=self.random_state
        )
        self.lambda_, self.positive_features_ = evidence.get("lambda_"), evidence.get("positive_features_")
        self.most_common_ = evidence.get("most_common_")
        negative = np.zeros(len(positive), dtype=bool)
        negative[self.reliable_negatives_] = True
        self.term_weights_ = judged_term_weights(self.weighting, counts, positive, positive | negative)
        rows = weighted_rows(counts, self.term_weights_, sublinear=self.sublinear_tf)

        def train(positive: NDArray[np.bool_], negative: NDArray[np.bool_]) -> TextSVM:
            known = positive | negative
            labels, weights = positive[known], self.term_weights_
            of_known = training_rows(
                self.weighting, counts[known], rows[known], labels, weights, sublinear=self.sublinear_tf
            )
            return train_svm(of_known, labels, kernel=self.kernel, C=self.C, random_state=self.random_state)

        rounds = train_rounds(train, rows, positive, negative, guard=self.guard, max_rounds=self.max_rounds)
        self.n_iter_ = len(rounds.recalls)
        self.voter_coefs_, self.voter_intercepts_ = rounds.coefs, rounds.intercepts
        self.voter_recalls_, self.n_negatives_ = rounds.recalls, rounds.n_negatives
        self.termination_condition_ = rounds.termination
        self._weigh_voters(train, rows, positive, rounds)
        self.voter_weights_ = self._stage_weights(self.n_iter_)
        self.coef_ = (self.voter_weights_ @ self.voter_coefs_)[np.newaxis, :]
        self.intercept_ = np.array([self.voter_weights_ @ self.voter_intercepts_])
        logger.debug("%s: %d SVMs, stopped by %s", type(self).__name__, self.n_iter_, self.termination_condition_)
        return self

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the decisions, shape (n_documents,), of the model after each round, as if the rounds had ended there."""
        check_is_fitted(self)
        rows = weighted_rows(check_counts(self, X), self.term_weights_, sublinear=self.sublinear_tf)
        decisions = rows @ self.voter_coefs_.T + self.voter_intercepts_
        for n_voters in range(1, self.n_iter_ + 1):
            yield decisions[:, :n_voters] @ self._stage_weights(n_voters)

    def _weigh_voters(self, train: Train, rows: sparse.csr_matrix, positive: NDArray[np.bool_], rounds: Rounds) -> None:
        """Learn what `_stage_weights` needs beyond the recalls."""

    def _stage_weights(self, n_voters: int) -> NDArray[np.float64]:
        """Return the weights, summing to 1, of the first `n_voters` SVMs."""
        recalls = self.voter_recalls_[:n_voters]
        # If no voter recognises any positive, all weights would be 0/0, so all voters count the same.
        return recalls / recalls.sum() if recalls.any() else np.full(n_voters, 1 / n_voters)
