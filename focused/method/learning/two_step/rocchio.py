"""Rocchio: reliable negatives are nearer to the prototype of U than to that of P (Li and Liu 2003)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.two_step.base import ReliableNegativeFinder
from focused.method.learning.two_step.reliable_negatives import ReliableNegatives, select
from focused.method.text.vocabulary import document_frequencies
from focused.method.text.weighting import inverse_document_frequency, tfc

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse


def rocchio_negatives(
    positive: sparse.csr_matrix,
    unlabeled: sparse.csr_matrix,
    *,
    alpha: float = 16.0,
    beta: float = 4.0,
    min_share: float = 0.05,
    too_few: str = "error",
    random_state: Any = None,
) -> ReliableNegatives:
    """Find the documents of U whose cosine with U's prototype is at least that with P's.

    A class's prototype is alpha times the mean of its documents' tfc rows, less beta times that of the other class.

    Parameters
    ----------
    positive, unlabeled : CSR matrices of shape (n_positive, n_terms) and (n_unlabeled, n_terms)
        Term counts.
    alpha, beta : float
        Weights of the class's own and of the other documents, not negative; 16 and 4 in the source.
    min_share : float
        Reliable negatives needed, as a share of U, in [0, 1]; at least as many as positives.
    too_few : {"error", "all", "lowest"}
        If there are too few: fail, take all of U, or take the documents least like P.
    random_state : ignored
        The search draws nothing.

    Returns
    -------
    ReliableNegatives
        Scores: cosine with P's prototype less that with U's. Evidence: `idf_`, `direction_`.

    Raises
    ------
    TooFewReliableNegativesError
        With `too_few="error"`, if there are too few.
    """
    if alpha < 0 or beta < 0:
        raise ValueError(f"alpha and beta must not be negative. Got {alpha} and {beta}.")
    n_positive, n_unlabeled = positive.shape[0], unlabeled.shape[0]
    frequencies = document_frequencies(positive) + document_frequencies(unlabeled)
    idf = inverse_document_frequency(frequencies, n_positive + n_unlabeled)
    rows = tfc(unlabeled, idf)
    mean_p, mean_u = (np.asarray(part.mean(axis=0)).ravel() for part in (tfc(positive, idf), rows))
    direction = _unit(alpha * mean_p - beta * mean_u) - _unit(alpha * mean_u - beta * mean_p)
    return select(
        "Rocchio",
        rows @ direction,
        # If the prototypes are equal, all scores are 0 and tell nothing.
        0.0 if np.abs(direction).max(initial=0.0) > 1e-12 else -np.inf,
        {"idf_": idf, "direction_": direction},
        n_positive=n_positive,
        min_share=min_share,
        too_few=too_few,
        reason=" that are nearer to the prototype of U",
    )


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


class Rocchio(ReliableNegativeFinder):
    """Rocchio classifier of P against U.

    Parameters
    ----------
    alpha, beta : float, default=16.0 and 4.0
        Weights of a class's own and of the other documents in its prototype.
    min_share : float, default=0.05
        Reliable negatives needed, as a share of the unlabelled documents; at least as many as positives.
    too_few : {"error", "all", "lowest"}, default="lowest"
        If there are too few: fail, take all unlabelled documents, or those least like the positives.

    Attributes
    ----------
    idf_ : ndarray of shape (n_terms,)
    direction_ : ndarray of shape (n_terms,)
        Prototype of P less that of U, both of length 1.
    classes_, reliable_negatives_, threshold_, n_features_in_
        As in `ReliableNegativeFinder`.
    """

    idf_: NDArray[np.float64]
    direction_: NDArray[np.float64]

    def __init__(
        self, *, alpha: float = 16.0, beta: float = 4.0, min_share: float = 0.05, too_few: str = "lowest"
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.min_share = min_share
        self.too_few = too_few

    def _find(self, positive: sparse.csr_matrix, unlabeled: sparse.csr_matrix) -> ReliableNegatives:
        return rocchio_negatives(positive, unlabeled, **self.get_params(deep=False))

    def _scores(self, counts: sparse.csr_matrix) -> NDArray[np.float64]:
        return np.asarray(tfc(counts, self.idf_) @ self.direction_, dtype=np.float64)
