"""Base classes of the learners: labels, checks, and the linear decision on weighted rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from focused.method.text.vocabulary import canonical, document_frequencies
from focused.method.text.weighting import inverse_document_frequency, refuse_negative, tfc, weighted_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse


def check_examples(estimator: Any, X: Any, y: Any) -> tuple[sparse.csr_matrix, NDArray[np.bool_], NDArray[Any]]:
    """Validate what `fit` was given; return counts, the flags of the positives, and the two classes.

    The larger of the two labels is the positive class, the smaller one is unlabelled: (0, 1), (-1, 1), (False, True) and
    ("a", "b") are all valid. ValueError if X is not a matrix of counts or y does not hold two classes.
    """
    X, y = validate_data(estimator, X, y, accept_sparse="csr", dtype=np.float64)
    name = type(estimator).__name__
    check_classification_targets(y)
    classes = np.unique(y)
    if len(classes) == 1:
        raise ValueError(
            f"{name} needs two classes in y, positive (the larger label) and unlabelled (the smaller). "
            f"Got one class: {classes[0]}."
        )
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. "
            f"The type of the target is {type_of_target(y)}: {name} got {len(classes)} classes in y."
        )
    refuse_negative(X, name)
    return canonical(X), y == classes[1], classes


def check_counts(estimator: Any, X: Any) -> sparse.csr_matrix:
    """Validate the documents that a fitted estimator is to judge."""
    checked = validate_data(estimator, X, accept_sparse="csr", dtype=np.float64, reset=False)
    refuse_negative(checked, type(estimator).__name__)
    return canonical(checked)


class CountClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A two-class classifier of sparse term counts; subclasses add `fit` and `decision_function`."""

    classes_: NDArray[Any]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return one value a document; above 0 means the positive class."""
        raise NotImplementedError

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each document: `classes_[1]` where the decision is above 0."""
        check_is_fitted(self)
        return self.classes_[(self.decision_function(X) > 0).astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # scikit-learn's check data are dense: every document holds every term, so all idf are 0.
        tags.classifier_tags.poor_score = True
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


class LinearCountClassifier(CountClassifier):
    """A classifier whose decision is linear in L2-normalised rows of weighted term frequencies.

    A learner from another package is a subclass whose parameters all have defaults. `fit(X, y)` takes term counts, a sparse
    matrix of shape (n_documents, n_terms), and two labels: the larger is positive, the smaller unlabelled
    (`check_examples` validates both). If it has a parameter `random_state`, that is set. `sublinear_tf`, `coef_`,
    `intercept_` and `term_weights_` are enough to score text units without the estimator and its package.

    Parameters
    ----------
    sublinear_tf : bool
        Use 1 + ln(count) for the term frequency (docs/method/, D7).

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Unlabelled (or negative), positive.
    coef_ : ndarray of shape (1, n_terms)
    intercept_ : ndarray of shape (1,)
    term_weights_ : ndarray of shape (n_terms,)
        Factors of the term frequencies of a document to be judged: idf, unless the subclass says more.
    n_features_in_ : int
    """

    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]
    term_weights_: NDArray[np.float64]
    sublinear_tf: bool

    def _tfc_rows(self, X: Any, y: Any) -> tuple[sparse.csr_matrix, NDArray[np.bool_]]:
        """Validate what `fit` was given and learn idf; return the tfc rows of all documents and the flags of the positives."""
        counts, positive, self.classes_ = check_examples(self, X, y)
        self.term_weights_ = inverse_document_frequency(document_frequencies(counts), counts.shape[0])
        return tfc(counts, self.term_weights_, sublinear=self.sublinear_tf), positive

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the signed decision of each document, shape (n_documents,); above 0 means positive."""
        check_is_fitted(self)
        rows = weighted_rows(check_counts(self, X), self.term_weights_, sublinear=self.sublinear_tf)
        return np.asarray(rows @ self.coef_[0] + self.intercept_[0], dtype=np.float64)
