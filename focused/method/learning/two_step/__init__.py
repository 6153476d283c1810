"""Step one of learning from positive and unlabelled pages: documents of U that are safely off topic.

Each method is a function `(positive, unlabeled, *, min_share, too_few, random_state, ...)` of the term counts of P and U
(CSR, a row a document) that returns `ReliableNegatives`. At least max(|P|, min_share |U|) documents are needed. If there are
fewer, *too_few* says what happens: "error" raises TooFewReliableNegativesError, a ValueError.

- Methods, each a module: `one_dnf`, `one_dnfc` [P13], `one_dnfc_rare`, `one_dnfii` [P15], `spy`, `rocchio`,
  `nearest_positives`. `reliable_negatives` is what they return.
- Step two, a classifier of P against them: `wvc` [P13], `batch_svm`, `incremental_svm` [P15] with `informative_examples`,
  `iterated_svm` (PEBL), `psoc` with its `particle_swarm`; `svm_rounds` and `training_negatives` are shared by several;
  `naive_bayes` [L16].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.learning.two_step.nearest_positives import nearest_negatives
from focused.method.learning.two_step.one_dnf import one_dnf_negatives
from focused.method.learning.two_step.one_dnfc import one_dnfc_negatives
from focused.method.learning.two_step.one_dnfc_rare import one_dnfc_rare_negatives
from focused.method.learning.two_step.one_dnfii import one_dnfii_negatives
from focused.method.learning.two_step.reliable_negatives import ReliableNegatives, TooFewReliableNegativesError
from focused.method.learning.two_step.rocchio import rocchio_negatives
from focused.method.learning.two_step.spy import spy_negatives

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from scipy import sparse

__all__ = ["RELIABLE_NEGATIVES", "ReliableNegatives", "TooFewReliableNegativesError", "check_method", "find_negatives"]

RELIABLE_NEGATIVES: dict[str, Callable[..., ReliableNegatives]] = {
    "1-dnf": one_dnf_negatives,
    "1-dnfc": one_dnfc_negatives,
    "1-dnfc-rare": one_dnfc_rare_negatives,
    "1-dnfii": one_dnfii_negatives,
    "spy": spy_negatives,
    "rocchio": rocchio_negatives,
    "knn": nearest_negatives,
}
"""The methods by name."""


def check_method(reliable: str) -> None:
    """Raise ValueError for an unknown name."""
    if reliable not in RELIABLE_NEGATIVES:
        raise ValueError(f"reliable must be one of {', '.join(RELIABLE_NEGATIVES)}. Got {reliable!r}.")


def find_negatives(
    reliable: str, counts: sparse.csr_matrix, positive: NDArray[np.bool_], *, too_few: str, random_state: Any
) -> tuple[NDArray[np.intp], dict[str, Any]]:
    """Return the rows of `counts` that are reliable negatives, ascending, and the evidence of the search."""
    search = RELIABLE_NEGATIVES[reliable]
    found = search(counts[positive], counts[~positive], too_few=too_few, random_state=random_state)
    return np.flatnonzero(~positive)[found.unlabeled_rows], found.evidence
