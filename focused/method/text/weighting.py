"""Term weights of text units: idf, tfc and TFIPNDF, from sparse counts to sparse L2-normalised rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from focused.method.text.vocabulary import canonical, document_frequencies

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def inverse_document_frequency(frequencies: ArrayLike, n_documents: int) -> NDArray[np.float64]:
    """Return ln(N / n_i) for each term, 0 for a term that no document holds [P13, eq. 3].

    ``frequencies`` of shape (n_terms,): n_i, the number of documents that hold the term. ``n_documents``: N. The papers count
    text units or documents; we count training documents (docs/method/, D6).
    """
    n_i = np.asarray(frequencies, dtype=np.float64)
    # A term outside the collection gets weight 0, not infinity.
    return np.log(n_documents / np.where(n_i > 0, n_i, n_documents)) if n_documents else np.zeros_like(n_i)


def smoothed_inverse_document_frequency(frequencies: ArrayLike, n_documents: int) -> NDArray[np.float64]:
    """Return ln((1 + N) / (1 + n_i)) + 1 for each term, the default of scikit-learn's TfidfTransformer.

    Unlike ln(N / n_i) it is above 0 for a term that every document holds. Arguments as of `inverse_document_frequency`.
    """
    return np.log((1 + n_documents) / (1 + np.asarray(frequencies, dtype=np.float64))) + 1.0


def term_frequency(counts: Any, *, sublinear: bool = False) -> sparse.csr_matrix:
    """Return the counts f as floats, or 1 + ln f where `sublinear` (docs/method/, D7)."""
    tf = canonical(counts).copy()
    if sublinear:
        tf.data = 1.0 + np.log(tf.data)
    return tf


def weighted_rows(counts: Any, term_weights: ArrayLike, *, sublinear: bool = False) -> sparse.csr_matrix:
    """Multiply term frequencies by one weight a term and L2-normalise each row; empty rows stay empty."""
    rows = term_frequency(counts, sublinear=sublinear)
    rows.data *= np.asarray(term_weights, dtype=np.float64)[rows.indices]
    return normalized(rows)


def normalized(rows: sparse.csr_matrix) -> sparse.csr_matrix:
    """Divide each row by its Euclidean length, in place; rows of zeros stay zero."""
    squares = np.add.reduceat(np.append(rows.data**2, 0.0), rows.indptr[:-1])
    lengths = np.sqrt(np.where(np.diff(rows.indptr) > 0, squares, 0.0))
    lengths[lengths == 0] = 1.0
    rows.data /= np.repeat(lengths, np.diff(rows.indptr))
    return rows


def tfc(counts: Any, idf: ArrayLike, *, sublinear: bool = False) -> sparse.csr_matrix:
    """Return the tfc rows of text units: f_ki ln(N/n_i), L2-normalised [P13, eq. 3; L14, eq. 1; L16, eq. 12].

    ``counts`` of shape (n_units, n_terms): f_ki, the count of term i in unit k. ``idf`` of shape (n_terms,): ln(N/n_i) of the
    training documents, see `inverse_document_frequency`. ``sublinear``: use 1 + ln f_ki in place of f_ki; a departure
    (docs/method/, D7).
    """
    return weighted_rows(counts, idf, sublinear=sublinear)


def class_rates(counts: Any, positive: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return P_i/S_P and N_i/S_N: the share of the positive, and of the negative, documents that hold term i.

    Raises ValueError if one of the classes has no document.
    """
    is_positive = np.asarray(positive, dtype=bool)
    n_positive = int(is_positive.sum())
    n_negative = len(is_positive) - n_positive
    if not n_positive or not n_negative:
        raise ValueError(
            f"TFIPNDF must have documents of both classes. Got {n_positive} positive and {n_negative} negative ones."
        )
    rows = canonical(counts)
    in_positive = document_frequencies(rows[is_positive]) / n_positive
    in_negative = document_frequencies(rows[~is_positive]) / n_negative
    return in_positive, in_negative


def tfipndf(
    counts: Any, positive: ArrayLike, idf: ArrayLike, *, sublinear: bool = False, normalize: bool = True
) -> sparse.csr_matrix:
    """Weight training documents by TFIPNDF [P13, eq. 1-2; L14, eq. 3-6].

    A document of class P gets f_ki (P_i/S_P) ln(N/n_i), one of class N gets f_ki (N_i/S_N) ln(N/n_i). The weights depend on
    the labels, so they are for training only: a text of unknown class is weighted by `tfc`.

    ``counts`` of shape (n_documents, n_terms): counts of the documents of both classes. ``positive`` of shape (n_documents,):
    True for class P, False for class N. ``idf`` of shape (n_terms,): ln(N/n_i). ``normalize``: L2-normalise the rows (eq. 2);
    False gives eq. 1.
    """
    is_positive = np.asarray(positive, dtype=bool)
    in_positive, in_negative = class_rates(counts, is_positive)
    rows = term_frequency(counts, sublinear=sublinear)
    by_class = np.vstack([in_negative, in_positive])
    class_of_entry = np.repeat(is_positive.astype(np.intp), np.diff(rows.indptr))
    rows.data *= by_class[class_of_entry, rows.indices] * np.asarray(idf, dtype=np.float64)[rows.indices]
    return normalized(rows) if normalize else rows


def tfipndf_term_weights(counts: Any, positive: ArrayLike, idf: ArrayLike) -> NDArray[np.float64]:
    """Return max(P_i/S_P, N_i/S_N) ln(N/n_i): TFIPNDF without the class, for training and prediction alike.

    Parameters and shapes as in `tfipndf`; use the result with `weighted_rows`.
    """
    in_positive, in_negative = class_rates(counts, positive)
    return np.maximum(in_positive, in_negative) * np.asarray(idf, dtype=np.float64)


def refuse_negative(counts: Any, who: str) -> None:
    """Raise ValueError when a count is negative."""
    values = counts.data if sparse.issparse(counts) else counts
    if values.size and values.min() < 0:
        raise ValueError(f"Negative values in data passed to {who}: X must hold term counts, got {values.min()}.")
