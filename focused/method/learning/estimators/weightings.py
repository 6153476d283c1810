"""The term weightings a learner can be trained with, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.text.vocabulary import document_frequencies
from focused.method.text.weighting import (
    inverse_document_frequency,
    smoothed_inverse_document_frequency,
    tfipndf,
    tfipndf_term_weights,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy import sparse

WEIGHTINGS = ("tfc", "tfidf", "tfipndf", "tfipndf_independent")


def check_weighting(weighting: str) -> None:
    """Raise ValueError for an unknown name."""
    if weighting not in WEIGHTINGS:
        raise ValueError(f"weighting must be one of {', '.join(WEIGHTINGS)}. Got {weighting!r}.")


def judged_term_weights(
    weighting: str, counts: sparse.csr_matrix, positive: NDArray[np.bool_], known: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the factors of the term frequencies of a document to be judged, shape (n_terms,).

    ln(N/n_i), smoothed for "tfidf", and times the larger of the two class rates for "tfipndf_independent". A document
    to be judged has no class: "tfipndf" weights it by tfc [P13, Sect. 5]. All `counts`, the training
    documents, count for N and n_i; class rates are computed from the `known` ones (docs/method/, D21).
    """
    frequencies, n_documents = document_frequencies(counts), counts.shape[0]
    if weighting == "tfidf":
        return smoothed_inverse_document_frequency(frequencies, n_documents)
    idf = inverse_document_frequency(frequencies, n_documents)
    if weighting == "tfipndf_independent":
        return tfipndf_term_weights(counts[known], positive[known], idf)
    return idf


def training_rows(
    weighting: str,
    counts: sparse.csr_matrix,
    rows: sparse.csr_matrix,
    positive: NDArray[np.bool_],
    term_weights: NDArray[np.float64],
    *,
    sublinear: bool,
) -> sparse.csr_matrix:
    """Return the weighted training rows: by class for "tfipndf", else `rows` unchanged.

    `counts` and `rows` are the documents to train on, as counts and weighted by `term_weights`.
    """
    if weighting == "tfipndf":
        return tfipndf(counts, positive, term_weights, sublinear=sublinear)
    return rows
