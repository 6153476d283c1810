"""Nearest neighbours: reliable negatives are far from even the nearest positives (Zhang and Zuo 2009)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.two_step.reliable_negatives import ReliableNegatives, noise_threshold, select
from focused.method.text.vocabulary import document_frequencies
from focused.method.text.weighting import inverse_document_frequency, tfc

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

# Cosines held at a time: 32 MB.
_CHUNK = 4_000_000


def nearest_negatives(
    positive: sparse.csr_matrix,
    unlabeled: sparse.csr_matrix,
    *,
    n_neighbors: int = 5,
    noise: float = 0.05,
    min_share: float = 0.05,
    too_few: str = "error",
    random_state: Any = None,
) -> ReliableNegatives:
    """Find the documents of U that are less similar to their nearest positives than nearly all positives are.

    A document's score is its mean cosine, on tfc rows, with the `n_neighbors` positives nearest to it; a positive's
    own score leaves itself out. The source sets its threshold by hand; here the positives set it (docs/method/, D17).
    A share `noise`, in [0, 1), of them may fall below it. `n_neighbors` is at least 1; at most |P| - 1 are used. Scores:
    the mean cosine with the nearest positives. ValueError if P holds fewer than two documents.
    """
    n_positive = positive.shape[0]
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1. Got {n_neighbors}.")
    if n_positive < 2:
        raise ValueError(f"Nearest neighbours need at least two positive documents. Got {n_positive}.")
    k = min(n_neighbors, n_positive - 1)
    frequencies = document_frequencies(positive) + document_frequencies(unlabeled)
    idf = inverse_document_frequency(frequencies, n_positive + unlabeled.shape[0])
    rows = tfc(positive, idf)
    return select(
        "Nearest neighbours",
        mean_cosine(tfc(unlabeled, idf), rows, k),
        noise_threshold(mean_cosine(rows, rows, k, leave_self_out=True), noise),
        {},
        n_positive=n_positive,
        min_share=min_share,
        too_few=too_few,
        reason=" less like the positives than these are like each other",
    )


def mean_cosine(
    rows: sparse.csr_matrix, positive_rows: sparse.csr_matrix, k: int, *, leave_self_out: bool = False
) -> NDArray[np.float64]:
    """Return for each L2-normalised row its mean cosine with the `k` nearest of `positive_rows`.

    With `leave_self_out` the rows are `positive_rows` themselves.
    """
    n_positive = positive_rows.shape[0]
    step = max(1, _CHUNK // n_positive)
    scores = np.empty(rows.shape[0])
    for start in range(0, rows.shape[0], step):
        products = (rows[start : start + step] @ positive_rows.T).tocoo()
        cosines = np.zeros(products.shape)
        cosines[products.row, products.col] = products.data
        if leave_self_out:
            own = np.arange(products.shape[0])
            cosines[own, start + own] = -np.inf
        nearest = np.partition(cosines, n_positive - k, axis=1)[:, n_positive - k :]
        # Summed in order, so that a document's score does not depend on the other documents in the same call.
        scores[start : start + step] = np.sort(nearest, axis=1).mean(axis=1)
    return scores
