"""Choose the terms of a topic's vocabulary: pure functions on count matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def canonical(counts: Any) -> sparse.csr_matrix:
    """Return counts as a CSR matrix of floats without duplicate entries and stored zeros.

    The argument is never changed. If it has that form already, the result shares its arrays.
    """
    matrix = sparse.csr_matrix(counts, dtype=np.float64)
    if matrix.has_canonical_format and matrix.data.all():
        return matrix
    matrix = matrix.copy()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def document_frequencies(counts: Any) -> NDArray[np.int64]:
    """Return for each term the number of documents that hold it.

    ``counts`` of shape (n_documents, n_terms): term counts in CSR form without duplicate entries; stored zeros do not count
    as held. The result is of shape (n_terms,).
    """
    held = counts.indices[counts.data > 0]
    return np.bincount(held, minlength=counts.shape[1]).astype(np.int64)


def total_frequencies(counts: Any) -> NDArray[np.float64]:
    """Return for each term how often it occurs in all documents together, shape (n_terms,)."""
    totals = np.bincount(counts.indices, weights=counts.data, minlength=counts.shape[1])
    return np.asarray(totals, dtype=np.float64)


def select_terms(
    counts: Any, positive: ArrayLike, *, min_total: int = 5, min_df_positive: int = 2, min_df: int = 5
) -> NDArray[np.int64]:
    """Return the sorted columns of the terms that are kept.

    A term is kept when it occurs at least `min_total` times (P13 6.1.2 prunes by frequency) and stands in `min_df_positive`
    positive documents or in `min_df` documents of the training set (docs/method/, D8). With only ten positives, `min_df`
    alone would delete most of a topic's words.

    ``counts`` of shape (n_documents, n_terms): term counts of the training set in CSR form. ``positive`` of shape
    (n_documents,): which documents are positive examples. Raises ValueError if `positive` does not name each document once.
    """
    is_positive = np.asarray(positive, dtype=bool)
    if is_positive.shape != (counts.shape[0],):
        raise ValueError(
            f"positive must hold one flag a document ({counts.shape[0]}). Got an array of shape {is_positive.shape}."
        )
    frequent = total_frequencies(counts) >= min_total
    topical = document_frequencies(counts[is_positive]) >= min_df_positive
    common = document_frequencies(counts) >= min_df
    return np.flatnonzero(frequent & (topical | common)).astype(np.int64)
