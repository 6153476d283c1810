"""1-DNFC: documents of the unlabelled set that are safely off topic [P13, Alg. 2]."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from focused.learning.base import CountClassifier, check_counts, check_examples
from focused.text.vocabulary import document_frequencies

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

logger = logging.getLogger(__name__)

LAMBDA_STEP = 0.05
TOO_FEW = ("error", "all")


class TooFewReliableNegativesError(ValueError):
    """No lambda below 1 leaves enough documents without a positive feature."""


class ReliableNegatives(NamedTuple):
    """What `reliable_negatives` found."""

    unlabeled_rows: NDArray[np.intp]
    """Rows of the unlabelled matrix that are reliable negatives."""
    positive_features: NDArray[np.intp]
    """Columns of the positive features PF."""
    lambda_used: float
    """The lambda that was used, at least the one asked for."""


def positive_features(
    positive_rates: NDArray[np.float64], unlabeled_rates: NDArray[np.float64], lambda_: float
) -> NDArray[np.intp]:
    """Return the terms with freq(t,P)/|P| > freq(t,U)/|U| and freq(t,P)/|P| > lambda [P13, Alg. 2, line 6].

    Parameters
    ----------
    positive_rates, unlabeled_rates : ndarray of shape (n_terms,)
        Share of the documents of P, and of U, that hold each term, in [0, 1].
    lambda_ : float
        In [0, 1). 0 is the unconstrained 1-DNF.
    """
    return np.flatnonzero((positive_rates > unlabeled_rates) & (positive_rates > lambda_))


def reliable_negatives(
    positive: sparse.csr_matrix,
    unlabeled: sparse.csr_matrix,
    *,
    lambda_start: float = 0.2,
    min_share: float = 0.05,
    too_few: str = "error",
) -> ReliableNegatives:
    """Find the documents of U that hold no positive feature, raising lambda until they are enough.

    Lambda rises by 0.05 until |RN| >= max(|P|, `min_share` |U|); the paper keeps it fixed, and training
    then collapses where almost no document is left (docs/method.md, D10).

    Parameters
    ----------
    positive, unlabeled : CSR matrices of shape (n_positive, n_terms) and (n_unlabeled, n_terms)
        Term counts.
    lambda_start : float
        The first lambda, in [0, 1); P13 uses 0.2.
    min_share : float
        The least share of U that must be reliable negatives, in [0, 1].
    too_few : {"error", "all"}
        What to do where there are too few at any lambda. "all" is the printed algorithm at lambda = 1: no
        term is a positive feature, so all of U passes for reliable negatives.

    Raises
    ------
    TooFewReliableNegativesError
        With `too_few="error"`, if no lambda below 1 leaves enough of them, or if no positive feature is
        left before they are enough: all of U would then pass for reliable negatives, for no reason.
    """
    n_positive, n_unlabeled = positive.shape[0], unlabeled.shape[0]
    if not 0 <= lambda_start < 1:
        raise ValueError(f"lambda_start must be in [0, 1). Got {lambda_start}.")
    if too_few not in TOO_FEW:
        raise ValueError(f"too_few must be one of {', '.join(TOO_FEW)}. Got {too_few!r}.")
    needed = max(n_positive, int(np.ceil(min_share * n_unlabeled)))
    positive_rates = document_frequencies(positive) / n_positive
    unlabeled_rates = document_frequencies(unlabeled) / n_unlabeled
    held = unlabeled.copy()
    held.data = (held.data > 0).astype(np.float64)
    best = 0
    # Steps are counted in whole numbers: adding 0.05 again and again would drift past rates like 0.3.
    for step in range(int(np.ceil((1.0 - lambda_start) / LAMBDA_STEP - 1e-9))):
        lambda_ = round(lambda_start + step * LAMBDA_STEP, 10)
        features = positive_features(positive_rates, unlabeled_rates, lambda_)
        if not len(features):
            break
        is_feature = np.zeros(unlabeled.shape[1])
        is_feature[features] = 1.0
        rows = np.flatnonzero(held @ is_feature == 0)
        best = max(best, len(rows))
        if len(rows) >= needed:
            if step:
                logger.info(
                    "1-DNFC: lambda raised from %.2f to %.2f, which leaves %d reliable negatives of %d unlabelled",
                    lambda_start,
                    lambda_,
                    len(rows),
                    n_unlabeled,
                )
            return ReliableNegatives(rows, features, lambda_)
    if too_few == "all":
        return ReliableNegatives(np.arange(n_unlabeled), np.empty(0, dtype=np.intp), 1.0)
    raise TooFewReliableNegativesError(
        f"1-DNFC must find at least {needed} reliable negatives among {n_unlabeled} unlabelled documents. "
        f"Got at most {best} with lambda from {lambda_start:.2f} to {lambda_:.2f}, where "
        + ("no positive feature is left. " if not len(features) else "nearly all hold a positive feature. ")
        + "Bring more unlabelled pages, less like the positives, or choose a learner that needs no reliable "
        "negatives (logistic)."
    )


class OneDNFC(CountClassifier):
    """Constrained 1-DNF [P13, Alg. 2]: reliable negatives, and a classifier that asks for a positive feature.

    A document that holds at least one positive feature is labelled positive, any other one is not.
    With `lambda_start=0` this is the plain 1-DNF of PEBL.

    Parameters
    ----------
    lambda_start : float, default=0.2
        Least share of the positives that must hold a positive feature; the paper's lambda. Raised by
        0.05 until there are enough reliable negatives.
    min_share : float, default=0.05
        Reliable negatives needed, as a share of the unlabelled documents; at least as many as positives.
    too_few : {"error", "all"}, default="error"
        Where there are too few at any lambda below 1: fail, or take all unlabelled documents.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Unlabelled, positive.
    lambda_ : float
        The lambda used.
    positive_features_ : ndarray of int
        Columns of the positive features.
    reliable_negative_indices_ : ndarray of int
        Rows of the X given to `fit` that are reliable negatives.
    n_features_in_ : int
        Number of terms.
    """

    def __init__(self, *, lambda_start: float = 0.2, min_share: float = 0.05, too_few: str = "error") -> None:
        self.lambda_start = lambda_start
        self.min_share = min_share
        self.too_few = too_few

    def fit(self, X: Any, y: Any) -> OneDNFC:
        """Find the reliable negatives.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Term counts.
        y : array-like of shape (n_documents,)
            Two labels: the larger is positive, the smaller unlabelled.

        Raises
        ------
        TooFewReliableNegativesError
            A ValueError, where no lambda below 1 leaves enough reliable negatives.
        """
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
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the number of positive features each document holds, less one half."""
        check_is_fitted(self)
        counts = check_counts(self, X)
        counts.data = (counts.data > 0).astype(np.float64)
        is_feature = np.zeros(counts.shape[1])
        is_feature[self.positive_features_] = 1.0
        return np.asarray(counts @ is_feature - 0.5, dtype=np.float64)
