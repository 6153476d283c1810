"""A linear SVM on labelled documents, trained on all of them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.svm import LinearSVC
from sklearn.utils.validation import validate_data

from focused.method.learning.estimators.base import check_examples
from focused.method.learning.two_step.training_negatives import TwoClassLearner
from focused.method.text.vocabulary import canonical, document_frequencies
from focused.method.text.weighting import inverse_document_frequency, refuse_negative, weighted_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray


class LabeledSVM(TwoClassLearner):
    """Base of the batch and the incremental SVM: their training set T, verdicts, and one linear SVM.

    T is P and the reliable negatives RN, or P and all other documents. Each class weighs |T| / 2 in the SVM, however few of
    its documents it is trained on. So an SVM trained on the support vectors only is the SVM of all of T.
    """

    C: float
    n_examples_seen_: NDArray[np.int64]
    examples_: sparse.csr_matrix
    example_labels_: NDArray[Any]

    def _training_set(self, X: Any, y: Any) -> tuple[sparse.csr_matrix, NDArray[np.bool_]]:
        """Return the counts of T and the flags of its positives; set idf and the attributes about T."""
        counts, positive, self.classes_ = check_examples(self, X, y)
        self.term_weights_ = inverse_document_frequency(document_frequencies(counts), counts.shape[0])
        used = self._training_flags(counts, positive)
        self.n_examples_seen_ = np.bincount(positive[used], minlength=2)
        return counts[used], positive[used]

    def _with_verdicts(self, X: Any, y: Any) -> tuple[sparse.csr_matrix, NDArray[np.bool_]]:
        """Return the kept examples, followed by the newly labelled ones."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, reset=False)
        refuse_negative(X, type(self).__name__)
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(
                f"y must hold the labels of fit, {self.classes_[0]} (negative) or {self.classes_[1]} (positive). "
                f"Got {unknown[0]}."
            )
        labels = np.concatenate([self.example_labels_, y])
        self.n_examples_seen_ = self.n_examples_seen_ + np.bincount(y == self.classes_[1], minlength=2)
        return sparse.vstack([self.examples_, canonical(X)], format="csr"), labels == self.classes_[1]

    def _rows(self, counts: sparse.csr_matrix) -> sparse.csr_matrix:
        return weighted_rows(counts, self.term_weights_, sublinear=bool(self.sublinear_tf))

    def _keep(self, counts: sparse.csr_matrix, positive: NDArray[np.bool_]) -> None:
        self.examples_ = counts
        self.example_labels_ = self.classes_[positive.astype(np.intp)]

    def _train(self, rows: sparse.csr_matrix, positive: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float]:
        """Return coefficients and intercept of a linear SVM on `rows`."""
        n_negative, n_positive = self.n_examples_seen_
        half = (n_negative + n_positive) / 2
        svm = LinearSVC(
            C=self.C,
            class_weight={False: half / n_negative, True: half / n_positive},
            random_state=self.random_state,
            max_iter=10_000,
        ).fit(rows, positive)
        return svm.coef_[0], float(svm.intercept_[0])


class BatchSVM(LabeledSVM):
    """Linear SVM on all of T at once: the baseline of `IncrementalSVM`.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the SVM.
    reliable, too_few, unlabeled_are_negative
        See `TwoClassLearner`.
    random_state : int, RandomState instance or None, default=None
        Seed of the SVM solver.

    Attributes
    ----------
    examples_ : CSR matrix of shape (n_examples, n_terms)
        Counts of all of T and of everything that `partial_fit` was given.
    example_labels_ : ndarray of shape (n_examples,)
    n_examples_seen_ : ndarray of shape (2,)
        Negative and positive examples so far.
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        reliable: str = "1-dnfii",
        too_few: str = "lowest",
        unlabeled_are_negative: bool = False,
        sublinear_tf: bool = False,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.reliable = reliable
        self.too_few = too_few
        self.unlabeled_are_negative = unlabeled_are_negative
        self.sublinear_tf = sublinear_tf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> BatchSVM:
        """Train on term counts `X` of shape (n_documents, n_terms) and two labels `y`, the larger positive."""
        return self._fit_all(*self._training_set(X, y))

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> BatchSVM:
        """Train again on everything so far and on new documents `X` with verdicts `y`.

        The labels are those of `fit`, but the smaller one now says negative; one of the two is enough.
        Before `fit`, it is `fit`. `classes` belongs to scikit-learn's interface and is ignored.
        """
        if not hasattr(self, "coef_"):
            return self.fit(X, y)
        return self._fit_all(*self._with_verdicts(X, y))

    def _fit_all(self, counts: sparse.csr_matrix, positive: NDArray[np.bool_]) -> BatchSVM:
        coef, intercept = self._train(self._rows(counts), positive)
        self.coef_, self.intercept_ = coef[np.newaxis, :], np.array([intercept])
        self._keep(counts, positive)
        return self
