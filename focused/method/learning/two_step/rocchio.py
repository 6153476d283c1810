"""Rocchio: reliable negatives are nearer to the prototype of U than to that of P (Li and Liu 2003)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
    Scores: cosine with P's prototype less that with U's.
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
        {},
        n_positive=n_positive,
        min_share=min_share,
        too_few=too_few,
        reason=" that are nearer to the prototype of U",
    )


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
