"""The weighted voting classifier: SVMs trained in turn on P and a growing set of negatives [P13, Alg. 3]."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.svm import LinearSVC

from focused.learning.base import LinearCountClassifier, check_examples
from focused.learning.one_dnfc import reliable_negatives
from focused.text.vocabulary import document_frequencies
from focused.text.weighting import (
    inverse_document_frequency,
    tfipndf,
    tfipndf_term_weights,
    weighted_rows,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

logger = logging.getLogger(__name__)

WEIGHTINGS = ("tfc", "tfipndf", "tfipndf_independent")


class WVC(LinearCountClassifier):
    """Weighted voting classifier over iterated linear SVMs [P13, Alg. 3].

    The negatives start as the reliable negatives of 1-DNFC. Each round trains an SVM on the positives
    and the negatives so far, and moves what it labels negative among the remaining unlabelled documents
    to the negatives, until a round moves none. The final decision is the mean of the SVMs' decisions,
    weighted by the share p_i of the positives that SVM_i recognises. It is linear, so one coefficient
    vector holds the whole vote.

    Departures (docs/method.md): linear SVMs with balanced classes instead of LIBSVM's defaults (D11); a
    guard that stops before an SVM that has lost positives (D12); p_i on tfc rows (D13).

    Parameters
    ----------
    weighting : {"tfc", "tfipndf", "tfipndf_independent"}, default="tfipndf"
        How training rows are weighted. "tfipndf": by class, recomputed each round as the negatives grow;
        a document to be judged has no class and is weighted by tfc [P13, Sect. 5].
        "tfipndf_independent": by the larger of the two class rates (of P and the reliable negatives, D14),
        in training and in prediction.
    C : float, default=1.0
        Penalty of each linear SVM.
    lambda_start : float, default=0.2
        See `OneDNFC`.
    min_share : float, default=0.05
        See `OneDNFC`.
    too_few : {"error", "all"}, default="error"
        See `OneDNFC`.
    guard : float, default=0.05
        Stop when p_i falls below p_0 by more than this; the SVM that did is left out.
    max_rounds : int, default=50
        Stop after this many SVMs.
    sublinear_tf : bool, default=False
        Use 1 + ln(count) for the term frequency.
    random_state : int, RandomState instance or None, default=None
        Seed of the SVM solver.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Unlabelled, positive.
    coef_ : ndarray of shape (1, n_terms)
        Coefficients of the whole vote.
    intercept_ : ndarray of shape (1,)
    term_weights_ : ndarray of shape (n_terms,)
        What multiplies the term frequencies of a document to be judged (idf, unless class-independent).
    voter_coefs_ : ndarray of shape (n_iter_, n_terms)
        Coefficients of each SVM.
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
    lambda_ : float
    positive_features_ : ndarray of int
    reliable_negative_indices_ : ndarray of int
        As in `OneDNFC`.
    n_features_in_ : int
    """

    def __init__(
        self,
        *,
        weighting: str = "tfipndf",
        C: float = 1.0,
        lambda_start: float = 0.2,
        min_share: float = 0.05,
        too_few: str = "error",
        guard: float = 0.05,
        max_rounds: int = 50,
        sublinear_tf: bool = False,
        random_state: Any = None,
    ) -> None:
        self.weighting = weighting
        self.C = C
        self.lambda_start = lambda_start
        self.min_share = min_share
        self.too_few = too_few
        self.guard = guard
        self.max_rounds = max_rounds
        self.sublinear_tf = sublinear_tf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> WVC:
        """Train the voters.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Term counts.
        y : array-like of shape (n_documents,)
            Two labels: the larger is positive, the smaller unlabelled.

        Raises
        ------
        TooFewReliableNegativesError
            A ValueError, when 1-DNFC finds too few reliable negatives at any lambda.
        """
        if self.weighting not in WEIGHTINGS:
            raise ValueError(f"weighting must be one of {', '.join(WEIGHTINGS)}. Got {self.weighting!r}.")
        if self.max_rounds < 1:
            raise ValueError(f"max_rounds must be at least 1. Got {self.max_rounds}.")
        counts, positive, self.classes_ = check_examples(self, X, y)
        found = reliable_negatives(
            counts[positive],
            counts[~positive],
            lambda_start=self.lambda_start,
            min_share=self.min_share,
            too_few=self.too_few,
        )
        self.lambda_ = found.lambda_used
        self.positive_features_ = found.positive_features
        self.reliable_negative_indices_ = np.flatnonzero(~positive)[found.unlabeled_rows]

        negative = np.zeros(len(positive), dtype=bool)
        negative[self.reliable_negative_indices_] = True
        idf = inverse_document_frequency(document_frequencies(counts), counts.shape[0])
        self.term_weights_ = idf
        if self.weighting == "tfipndf_independent":
            known = positive | negative
            self.term_weights_ = tfipndf_term_weights(counts[known], positive[known], idf)
        rows = weighted_rows(counts, self.term_weights_, sublinear=self.sublinear_tf)
        self._vote(counts, rows, positive, negative, idf)
        return self

    def _vote(
        self,
        counts: sparse.csr_matrix,
        rows: sparse.csr_matrix,
        positive: NDArray[np.bool_],
        negative: NDArray[np.bool_],
        idf: NDArray[np.float64],
    ) -> None:
        """Run the rounds on the judged `rows` and set the fitted attributes; `negative` grows in place."""
        coefs: list[NDArray[np.float64]] = []
        intercepts: list[float] = []
        recalls: list[float] = []
        sizes: list[int] = []
        self.termination_condition_ = "max_rounds"
        for _ in range(self.max_rounds):
            known = positive | negative
            svm = self._train(counts[known], rows[known], positive[known], idf)
            coef, intercept = svm.coef_[0], float(svm.intercept_[0])
            decisions = rows @ coef + intercept
            recall = float(np.mean(decisions[positive] > 0))
            if recalls and recall < recalls[0] - self.guard:
                self.termination_condition_ = "positives_lost"
                break
            coefs.append(coef)
            intercepts.append(intercept)
            recalls.append(recall)
            sizes.append(int(negative.sum()))
            new = ~known & (decisions <= 0)
            if not new.any():
                self.termination_condition_ = "no_new_negatives"
                break
            negative |= new
        self.n_iter_ = len(coefs)
        self.voter_recalls_ = np.array(recalls)
        self.n_negatives_ = np.array(sizes)
        # No voter recognises any positive: their weights would all be 0/0, so all count the same.
        total = self.voter_recalls_.sum()
        self.voter_weights_ = self.voter_recalls_ / total if total else np.full(len(recalls), 1 / len(recalls))
        self.voter_coefs_ = np.vstack(coefs)
        self.coef_ = (self.voter_weights_ @ self.voter_coefs_)[np.newaxis, :]
        self.intercept_ = np.array([self.voter_weights_ @ np.array(intercepts)])
        logger.debug("WVC: %d voters, stopped by %s", self.n_iter_, self.termination_condition_)

    def _train(
        self,
        counts: sparse.csr_matrix,
        rows: sparse.csr_matrix,
        positive: NDArray[np.bool_],
        idf: NDArray[np.float64],
    ) -> LinearSVC:
        if self.weighting == "tfipndf":
            rows = tfipndf(counts, positive, idf, sublinear=self.sublinear_tf)
        svm = LinearSVC(C=self.C, class_weight="balanced", random_state=self.random_state, max_iter=10_000)
        return svm.fit(rows, positive)
