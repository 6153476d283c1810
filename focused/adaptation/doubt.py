"""Verdicts that all other examples speak against: slips of the hand, or worse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.adaptation.held_out import N_PARTS
from focused.learning.learners import make_learner

if TYPE_CHECKING:
    from scipy import sparse

MIN_VERDICTS = 10
"""Of each label; with fewer nobody can say which of them are typical."""
MIN_SHARE = 0.1
"""Of the verdicts; where fewer are doubtful they are the hard cases of somebody who is right, and teach most."""


def doubtful(
    learner: str,
    counts: sparse.csr_matrix,
    positive: npt.NDArray[np.bool_],
    part: npt.NDArray[np.int64],
    random_state: int,
) -> npt.NDArray[np.bool_]:
    """Return which verdicts look less like their own label than the typical verdict of the other, shape (n_examples,).

    Each verdict is judged by a model of all other examples and of the verdicts of the other parts. A page called
    relevant is doubtful if its decision lies below the median of those called irrelevant, and the other way round. So a
    minority of wrong verdicts is found out by the right ones, while a new side of the topic, of which there are several
    pages, is not: these stand by each other. Where less than a tenth of the verdicts are doubtful none is left out. What
    is doubtful changes nothing; it is neither learnt nor turned round.

    Parameters
    ----------
    learner : str
        A name of `focused.learning.learners.LEARNERS`.
    counts : CSR matrix of shape (n_examples, n_terms)
    positive : ndarray of bool of shape (n_examples,)
    part : ndarray of int of shape (n_examples,)
        The part of each verdict, below `N_PARTS`; -1 of what is no verdict.
    random_state : int
        Seed of the learner.
    """
    found = np.zeros(len(positive), dtype=np.bool_)
    decisions = np.full(len(positive), np.nan)
    for number in range(N_PARTS):
        judged = part == number
        if judged.any():
            model = make_learner(learner, random_state).fit(counts[~judged], positive[~judged])
            decisions[judged] = model.decision_function(counts[judged])
    said_yes, said_no = (part >= 0) & positive, (part >= 0) & ~positive
    if min(said_yes.sum(), said_no.sum()) < MIN_VERDICTS:
        return found
    found |= said_yes & (decisions < np.median(decisions[said_no]))
    found |= said_no & (decisions > np.median(decisions[said_yes]))
    return found if found.sum() >= MIN_SHARE * (part >= 0).sum() else np.zeros_like(found)
