"""Which documents a two-class learner takes for negatives: reliable ones, or all that are not positive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.learning.reliable import RELIABLE_NEGATIVES, check_method

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse


def negatives(
    counts: sparse.csr_matrix,
    positive: NDArray[np.bool_],
    *,
    reliable: str,
    unlabeled_are_negative: bool,
    random_state: Any = None,
) -> NDArray[np.intp]:
    """Return the rows of `counts` that serve as negatives, in rising order.

    Parameters
    ----------
    counts : CSR matrix of shape (n_documents, n_terms)
        Term counts.
    positive : ndarray of bool of shape (n_documents,)
    reliable : str
        A name of `focused.learning.reliable.RELIABLE_NEGATIVES`.
    unlabeled_are_negative : bool
        True: every document that is not positive. False: the reliable negatives among them.
    random_state : int, RandomState instance or None
        Seed of methods that draw.

    Raises
    ------
    TooFewReliableNegativesError
        A ValueError, where reliable negatives are asked for and too few are found.
    """
    check_method(reliable)
    others = np.flatnonzero(~positive)
    if unlabeled_are_negative:
        return others
    found = RELIABLE_NEGATIVES[reliable](counts[positive], counts[~positive], random_state=random_state)
    return np.sort(others[found.unlabeled_rows])
