"""A linear SVM of the positives against the unlabelled documents that a first SVM does not call positive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.svm import LinearSVC

from focused.method.learning.estimators.base import LinearCountClassifier, check_examples
from focused.method.text.vocabulary import document_frequencies
from focused.method.text.weighting import smoothed_inverse_document_frequency, weighted_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Penalty of the second SVM for one positive: it grows with |P|, up to what the solver handles well.
_PENALTY_PER_POSITIVE, _MAX_PENALTY = 1 / 15, 50.0

_VIEW_VARIANCE = 0.05
"""Mean square of the distances of the documents' vector sums from their mean; the rows beside them have length 1."""


class ScreenedSVM(LinearCountClassifier):
    """Two linear SVMs; the second is not shown the unlabelled documents that the first calls positive (docs/method/, D29).

    In both, each class has total weight |P|. The first is trained on P against all of U. Its ranking is right although U
    holds positives (Elkan and Noto 2008), but these pull the border towards P. Unlabelled documents on its positive side are
    screened out. For the second SVM they are no negatives, and no positives either, because some of them are negatives that
    resemble the topic.

    Parameters
    ----------
    C : float or None, default=None
        Penalty of the second SVM for one positive. None: |P| / 15, at most 50, because many positives should be fitted more
        closely than few.
    C_first : float, default=1.0
        Penalty of the first SVM.
    min_share : float, default=0.05
        Least share of U that must remain as negatives, in [0, 1], and at least |P|. If fewer remain, nothing is screened out.
    term_vectors : array-like of shape (n_terms, n_dimensions) or None, default=None
        Word vectors of the terms, zeros where a term has none. The sum of a document's weighted vectors stands beside its
        row as a second view (docs/method/, D86). Terms that no document holds get their coefficients from their vectors.
    random_state : int, RandomState instance or None, default=None
        Seed of the solver.

    Attributes
    ----------
    term_weights_ : ndarray of shape (n_terms,)
        idf, smoothed: ln((1+N)/(1+n)) + 1. A word that most documents hold still distinguishes genres.
    C_ : float
        Penalty of the second SVM.
    reliable_negatives_ : ndarray of int
        Rows of the X given to `fit` that are the negatives of the second SVM.
    screened_out_ : ndarray of int
        Rows of the unlabelled documents that the second SVM is not shown.
    n_iter_ : int
        Number of SVMs: 2, or 1 if nothing was screened out.
    termination_condition_ : {"screened", "nothing_to_screen", "too_few_left"}
        Why training ended with this SVM.
    """

    def __init__(
        self,
        *,
        C: float | None = None,
        C_first: float = 1.0,
        min_share: float = 0.05,
        sublinear_tf: bool = True,
        term_vectors: Any = None,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.C_first = C_first
        self.min_share = min_share
        self.sublinear_tf = sublinear_tf
        self.term_vectors = term_vectors
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> ScreenedSVM:
        """Fit on term counts `X` of shape (n_documents, n_terms) and two labels `y`, the larger positive."""
        for name, value in (("C", self.C), ("C_first", self.C_first)):
            if value is not None and not value > 0:
                raise ValueError(f"{name} must be above 0. Got {value!r}.")
        if not 0 <= self.min_share <= 1:
            raise ValueError(f"min_share must be in [0, 1]. Got {self.min_share!r}.")
        counts, positive, self.classes_ = check_examples(self, X, y)
        n_positive, n_unlabeled = int(positive.sum()), int((~positive).sum())
        self.C_ = min(n_positive * _PENALTY_PER_POSITIVE, _MAX_PENALTY) if self.C is None else float(self.C)
        self.term_weights_ = smoothed_inverse_document_frequency(document_frequencies(counts), counts.shape[0])
        rows = weighted_rows(counts, self.term_weights_, sublinear=self.sublinear_tf)
        view, vectors = self._second_view(rows)
        if view is not None:
            rows = sparse.hstack([rows, sparse.csr_matrix(view)], format="csr")

        first = self._svm(self.C_first, rows, positive)
        suspect = ~positive & (first.decision_function(rows) > 0)
        if not suspect.any():
            self.termination_condition_ = "nothing_to_screen"
        elif n_unlabeled - suspect.sum() < max(n_positive, self.min_share * n_unlabeled):
            self.termination_condition_ = "too_few_left"
            suspect[:] = False
        else:
            self.termination_condition_ = "screened"
        self.n_iter_ = 2 if suspect.any() else 1
        self.screened_out_ = np.flatnonzero(suspect)
        self.reliable_negatives_ = np.flatnonzero(~positive & ~suspect)

        svm = self._finished(self._svm(self.C_, rows[~suspect], positive[~suspect]), rows, positive)
        self.coef_, self.intercept_ = svm.coef_, svm.intercept_
        if view is not None:
            # The second view is linear in the row, so it is told in coefficients of terms: judging costs what it did.
            n_terms = counts.shape[1]
            self.coef_ = svm.coef_[:, :n_terms] + svm.coef_[:, n_terms:] @ vectors.T
        return self

    def _finished(self, svm: LinearSVC, rows: sparse.csr_matrix, positive: NDArray[np.bool_]) -> LinearSVC:
        """Return the SVM that judges, from the second one and the rows of all documents."""
        return svm

    def _second_view(self, rows: sparse.csr_matrix) -> tuple[NDArray[np.float64] | None, NDArray[np.floating[Any]]]:
        """Return what stands beside the rows of documents, shape (n_documents, n_dimensions), and the vectors in that scale.

        None if the documents hold no term with a vector. Raises ValueError if there is not one vector a term.
        """
        n_terms = rows.shape[1]
        vectors = np.zeros((n_terms, 0)) if self.term_vectors is None else np.asarray(self.term_vectors)
        if vectors.ndim != 2 or len(vectors) != n_terms:
            raise ValueError(
                f"term_vectors must hold one row a term ({n_terms}). Got an array of shape {vectors.shape}."
            )
        held = np.unique(rows.indices)  # most terms with a vector stand in no document
        sums = np.asarray(rows[:, held] @ vectors[held], dtype=np.float64)
        variance = float(((sums - sums.mean(axis=0)) ** 2).sum(axis=1).mean())
        if variance == 0:
            return None, vectors
        scale = np.float32(np.sqrt(_VIEW_VARIANCE / variance))
        return scale * sums, scale * vectors

    def _svm(
        self, penalty: float, rows: sparse.csr_matrix, positive: NDArray[np.bool_], *, tolerance: float = 1e-4
    ) -> LinearSVC:
        weights = np.where(positive, 1.0, positive.sum() / (~positive).sum())
        svm = LinearSVC(C=penalty, tol=tolerance, max_iter=10_000, random_state=self.random_state)
        return svm.fit(rows, positive, sample_weight=weights)
