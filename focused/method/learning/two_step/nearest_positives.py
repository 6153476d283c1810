"""Nearest neighbours: reliable negatives are far from even the nearest positives (Zhang and Zuo 2009)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.two_step.base import ReliableNegativeFinder
from focused.method.learning.two_step.reliable_negatives import ReliableNegatives, below_most, select
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

    Parameters
    ----------
    positive, unlabeled : CSR matrices of shape (n_positive, n_terms) and (n_unlabeled, n_terms)
        Term counts.
    n_neighbors : int
        k, at least 1; at most |P| - 1.
    noise : float
        Share of the positives that may fall below the threshold, in [0, 1).
    min_share : float
        Reliable negatives needed, as a share of U, in [0, 1]; at least as many as positives.
    too_few : {"error", "all", "lowest"}
        If there are too few: fail, take all of U, or take the documents least like P.
    random_state : ignored
        The search draws nothing.

    Returns
    -------
    ReliableNegatives
        Scores: mean cosine with the nearest positives. Evidence: `idf_`, `positive_rows_`, `n_neighbors_`.

    Raises
    ------
    TooFewReliableNegativesError
        With `too_few="error"`, if there are too few.
    ValueError
        If P holds fewer than two documents.
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
    among_positives = mean_cosine(rows, rows, k, leave_self_out=True)
    return select(
        "Nearest neighbours",
        mean_cosine(tfc(unlabeled, idf), rows, k),
        below_most(among_positives, noise),
        {"idf_": idf, "positive_rows_": rows, "n_neighbors_": k},
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


class NearestPositives(ReliableNegativeFinder):
    """Mean cosine with the nearest positives, with a threshold that nearly all positives reach.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of nearest positives that count.
    noise : float, default=0.05
        Share of the positives that may fall below the threshold, in [0, 1).
    min_share : float, default=0.05
        Reliable negatives needed, as a share of the unlabelled documents; at least as many as positives.
    too_few : {"error", "all", "lowest"}, default="lowest"
        If there are too few: fail, take all unlabelled documents, or those least like the positives.

    Attributes
    ----------
    idf_ : ndarray of shape (n_terms,)
    positive_rows_ : CSR matrix of shape (n_positive, n_terms)
        tfc rows of the positives.
    n_neighbors_ : int
        k, at most |P| - 1.
    classes_, reliable_negatives_, threshold_, n_features_in_
        As in `ReliableNegativeFinder`.
    """

    idf_: NDArray[np.float64]
    positive_rows_: sparse.csr_matrix
    n_neighbors_: int

    def __init__(
        self, *, n_neighbors: int = 5, noise: float = 0.05, min_share: float = 0.05, too_few: str = "lowest"
    ) -> None:
        self.n_neighbors = n_neighbors
        self.noise = noise
        self.min_share = min_share
        self.too_few = too_few

    def _find(self, positive: sparse.csr_matrix, unlabeled: sparse.csr_matrix) -> ReliableNegatives:
        return nearest_negatives(positive, unlabeled, **self.get_params(deep=False))

    def _scores(self, counts: sparse.csr_matrix) -> NDArray[np.float64]:
        return mean_cosine(tfc(counts, self.idf_), self.positive_rows_, self.n_neighbors_)
