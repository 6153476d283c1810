"""Step two of learning from positive and unlabelled pages: linear SVMs, each trained on more negatives than the last."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

from focused.method.learning.estimators.base import LinearCountClassifier, check_counts, check_examples
from focused.method.learning.estimators.weightings import check_weighting, judged_term_weights, training_rows
from focused.method.learning.two_step import RELIABLE_NEGATIVES, check_method
from focused.method.learning.two_step.svm_rounds import train_rounds
from focused.method.text.weighting import weighted_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy import sparse

    from focused.method.learning.two_step.svm_rounds import Rounds, Train

logger = logging.getLogger(__name__)


class TwoStepSVM(LinearCountClassifier):
    """Reliable negatives, then iterated linear SVMs whose decisions are summed in a weighted vote.

    Subclasses define in `_stage_weights` how the SVMs vote.
    """

    voter_coefs_: NDArray[np.float64]
    voter_intercepts_: NDArray[np.float64]
    voter_recalls_: NDArray[np.float64]
    voter_weights_: NDArray[np.float64]

    def __init__(
        self,
        *,
        weighting: str = "tfc",
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
        self.weighting = weighting
        self.reliable = reliable
        self.C = C
        self.lambda_start = lambda_start
        self.min_share = min_share
        self.too_few = too_few
        self.guard = guard
        self.max_rounds = max_rounds
        self.sublinear_tf = sublinear_tf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> TwoStepSVM:
        """Find the reliable negatives and train the SVMs.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Term counts.
        y : array-like of shape (n_documents,)
            Two labels: the larger is positive, the smaller unlabelled.

        Raises
        ------
        TooFewReliableNegativesError
            A ValueError, when there are too few reliable negatives and `too_few="error"`.
        """
        check_weighting(self.weighting)
        check_method(self.reliable)
        if self.max_rounds < 1:
            raise ValueError(f"max_rounds must be at least 1. Got {self.max_rounds}.")
        counts, positive, self.classes_ = check_examples(self, X, y)
        negative = self._reliable_negatives(counts, positive)
        self.term_weights_ = judged_term_weights(self.weighting, counts, positive, positive | negative)
        rows = weighted_rows(counts, self.term_weights_, sublinear=self.sublinear_tf)

        def train(positive: NDArray[np.bool_], negative: NDArray[np.bool_]) -> LinearSVC:
            known = positive | negative
            of_known = training_rows(
                self.weighting,
                counts[known],
                rows[known],
                positive[known],
                self.term_weights_,
                sublinear=self.sublinear_tf,
            )
            svm = LinearSVC(C=self.C, class_weight="balanced", random_state=self.random_state, max_iter=10_000)
            return svm.fit(of_known, positive[known])

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
        """Yield the decisions of the model after each round, as if the rounds had ended there.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Term counts.

        Yields
        ------
        ndarray of shape (n_documents,)
            The last ones are those of `decision_function`.
        """
        check_is_fitted(self)
        rows = weighted_rows(check_counts(self, X), self.term_weights_, sublinear=self.sublinear_tf)
        decisions = rows @ self.voter_coefs_.T + self.voter_intercepts_
        for n_voters in range(1, self.n_iter_ + 1):
            yield decisions[:, :n_voters] @ self._stage_weights(n_voters)

    def _reliable_negatives(self, counts: sparse.csr_matrix, positive: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the flags of the reliable negatives; set the attributes about them and their search."""
        found = RELIABLE_NEGATIVES[self.reliable](
            counts[positive],
            counts[~positive],
            min_share=self.min_share,
            too_few=self.too_few,
            random_state=self.random_state,
            **({"lambda_start": self.lambda_start} if self.reliable == "1-dnfc" else {}),
        )
        self.lambda_ = found.evidence.get("lambda_")
        self.positive_features_ = found.evidence.get("positive_features_")
        self.reliable_negatives_ = np.flatnonzero(~positive)[found.unlabeled_rows]
        negative = np.zeros(len(positive), dtype=bool)
        negative[self.reliable_negatives_] = True
        return negative

    def _weigh_voters(self, train: Train, rows: sparse.csr_matrix, positive: NDArray[np.bool_], rounds: Rounds) -> None:
        """Learn what `_stage_weights` needs beyond the recalls. Most subclasses need nothing."""

    def _stage_weights(self, n_voters: int) -> NDArray[np.float64]:
        """Return the weights, summing to 1, of the first `n_voters` SVMs."""
        raise NotImplementedError
