"""Choose labelled documents to train on again: unclear ones, and those near the hyperplane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse


def word_shares(counts: sparse.csr_matrix, totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Q(d) of each document: the sum over its words of N(T_id) / N(T_i) [P15, eq. 3].

    Parameters
    ----------
    counts : CSR matrix of shape (n_documents, n_terms)
        N(T_id), the count of word i in document d.
    totals : ndarray of shape (n_terms,)
        N(T_i), the count of word i in the training set.
    """
    shares = counts.copy()
    shares.data = counts.data / totals[counts.indices]
    return np.asarray(shares.sum(axis=1), dtype=np.float64).ravel()


def least_clear(q: NDArray[np.float64], right: NDArray[np.bool_], mu: float) -> NDArray[np.bool_]:
    """Flag the `mu` % of the rightly classified documents whose Q is lowest, rounded up.

    Documents without a word have Q = 0. On a site of near-empty pages they would fill the selection; they teach nothing and
    are left out (docs/method/, D24).
    """
    candidates = np.flatnonzero(right & (q > 0))
    chosen = candidates[np.argsort(q[candidates], kind="stable")[: int(np.ceil(mu / 100 * len(candidates)))]]
    dark = np.zeros(len(q), dtype=bool)
    dark[chosen] = True
    return dark


def strongest(margins: NDArray[np.float64], positive: NDArray[np.bool_], n_most: int) -> NDArray[np.intp]:
    """Return at most `n_most` rows, in order: the smallest margins, both classes taking turns (docs/method/, D26)."""
    if len(margins) <= n_most:
        return np.arange(len(margins))
    turn = np.empty(len(margins))
    for members in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        turn[members[np.argsort(margins[members], kind="stable")]] = np.arange(len(members))
    return np.sort(np.argsort(turn, kind="stable")[:n_most])
