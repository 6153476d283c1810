"""Choose the negatives of a two-class learner: reliable negatives, or all documents that are not positive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.two_step import RELIABLE_NEGATIVES, check_method
from focused.method.learning.two_step.reliable_negatives import check_too_few

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse


def negatives(
    counts: sparse.csr_matrix,
    positive: NDArray[np.bool_],
    *,
    reliable: str,
    too_few: str,
    unlabeled_are_negative: bool,
    random_state: Any = None,
) -> NDArray[np.intp]:
    """Return the rows of `counts` that serve as negatives, in ascending order.

    Parameters
    ----------
    counts : CSR matrix of shape (n_documents, n_terms)
        Term counts.
    positive : ndarray of bool of shape (n_documents,)
    reliable : str
        A name of `focused.method.learning.two_step.RELIABLE_NEGATIVES`.
    too_few : {"error", "all", "lowest"}
        If there are too few reliable negatives: fail, take all other documents, or take the least positive ones.
    unlabeled_are_negative : bool
        True: every document that is not positive. False: the reliable negatives among them.
    random_state : int, RandomState instance or None
        Seed of methods that draw.

    Raises
    ------
    TooFewReliableNegativesError
        A ValueError, if too few reliable negatives are found and `too_few="error"`.
    """
    check_method(reliable)
    check_too_few(too_few)
    unlabeled = np.flatnonzero(~positive)
    if unlabeled_are_negative:
        return unlabeled
    found = RELIABLE_NEGATIVES[reliable](
        counts[positive], counts[~positive], too_few=too_few, random_state=random_state
    )
    return np.sort(unlabeled[found.unlabeled_rows])
