"""Decisions on the training rows by models that were not trained on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_predict

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse


def cross_fitted_decisions(
    linear: Any,
    rows: sparse.csr_matrix,
    positive: NDArray[np.bool_],
    weights: NDArray[np.float64],
    *,
    n_folds: int,
    random_state: Any,
) -> NDArray[np.float64]:
    """Return the decision on each row by a model fitted without the row's fold, shape (n_documents,).

    `linear` is cloned; `weights`, of shape (n_documents,), are those of its training. Folds are fewer if a class has fewer
    documents. ValueError if a class has only one document, or `n_folds` is below 2.
    """
    if n_folds < 2:
        raise ValueError(f"n_folds must be at least 2. Got {n_folds}.")
    n_positive = int(positive.sum())
    n_unlabeled = len(positive) - n_positive
    if min(n_positive, n_unlabeled) < 2:
        raise ValueError(
            "Cross-fitting needs at least two positive and two unlabelled documents, to judge each by a model that "
            f"has not seen it. Got {n_positive} positive and {n_unlabeled} unlabelled."
        )
    folds = StratifiedKFold(min(n_folds, n_positive, n_unlabeled), shuffle=True, random_state=random_state)
    decisions = cross_val_predict(
        linear, rows, positive, cv=folds, method="decision_function", params={"sample_weight": weights}
    )
    return np.asarray(decisions, dtype=np.float64)


def class_weights(positive: NDArray[np.bool_], unlabeled_weight: float = 1.0) -> NDArray[np.float64]:
    """Return weights: 1 for each positive, and in total `unlabeled_weight` times |P| for the unlabelled documents."""
    return np.where(positive, 1.0, unlabeled_weight * positive.sum() / max((~positive).sum(), 1))
