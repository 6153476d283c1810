"""Rounds of SVMs: each is trained on the negatives that the previous one found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from scipy import sparse

    from focused.method.learning.estimators.text_svm import TextSVM

    # From the flags of the positives and of the negatives to train on.
    Train = Callable[[NDArray[np.bool_], NDArray[np.bool_]], TextSVM]


class Rounds(NamedTuple):
    """The SVMs of all rounds; `n` of them."""

    coefs: NDArray[np.float64]
    """Shape (n, n_terms)."""
    intercepts: NDArray[np.float64]
    recalls: NDArray[np.float64]
    """p_i, the share of the positives that SVM_i labels positive."""
    n_negatives: NDArray[np.intp]
    """Number of negatives that SVM_i was trained on."""
    joined: NDArray[np.intp]
    """First round in which each document was a negative; `n` for the others. Shape (n_documents,)."""
    termination: str


def train_rounds(
    train: Train,
    rows: sparse.csr_matrix,
    positive: NDArray[np.bool_],
    negative: NDArray[np.bool_],
    *,
    guard: float | None,
    max_rounds: int,
) -> Rounds:
    """Repeatedly train an SVM and move the documents it labels negative to the negatives [P13, Alg. 3, lines 5-13].

    Parameters
    ----------
    train : callable
        Trains on the documents flagged as positive and as negative.
    rows : CSR matrix of shape (n_documents, n_terms)
        The documents as they are judged.
    positive, negative : ndarray of bool of shape (n_documents,)
        P, and the reliable negatives.
    guard : float or None
        Stop before an SVM with p_i < p_0 - guard (docs/method/, D19); None keeps all.
    max_rounds : int
        At least 1.
    """
    coefs: list[NDArray[np.float64]] = []
    intercepts: list[float] = []
    recalls: list[float] = []
    sizes: list[int] = []
    negative = negative.copy()
    joined = np.where(negative, 0, max_rounds)
    termination = "max_rounds"
    for _ in range(max_rounds):
        coef, intercept = train(positive, negative)
        decisions = rows @ coef + intercept
        recall = float(np.mean(decisions[positive] > 0))
        if guard is not None and recalls and recall < recalls[0] - guard:
            termination = "positives_lost"
            break
        coefs.append(coef)
        intercepts.append(intercept)
        recalls.append(recall)
        sizes.append(int(negative.sum()))
        new = ~(positive | negative) & (decisions <= 0)
        if not new.any():
            termination = "no_new_negatives"
            break
        negative |= new
        joined[new] = len(coefs)
    return Rounds(
        np.vstack(coefs),
        np.array(intercepts),
        np.array(recalls),
        np.array(sizes),
        np.minimum(joined, len(coefs)),
        termination,
    )
