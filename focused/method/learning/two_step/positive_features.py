"""Positive features: the terms that mark documents as possibly positive in the 1-DNF methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from focused.method.text.vocabulary import document_frequencies

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse


def document_rates(counts: sparse.csr_matrix) -> NDArray[np.float64]:
    """Return freq(t,S)/|S| for each term t: the share of the documents that hold it, in [0, 1]."""
    return np.asarray(document_frequencies(counts) / max(counts.shape[0], 1), dtype=np.float64)


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


def features_held(counts: sparse.csr_matrix, features: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return for each document how many of the `features` (columns) it holds, shape (n_documents,)."""
    held = counts.copy()
    held.data = (held.data > 0).astype(np.float64)
    is_feature = np.zeros(counts.shape[1])
    is_feature[features] = 1.0
    return np.asarray(held @ is_feature, dtype=np.float64)
