"""Step one of learning from positive and unlabelled pages: documents of U that are safely off topic.

Each method is a function `(positive_counts, unlabeled_counts, *, min_share, too_few, random_state, ...)` that returns
`ReliableNegatives`, and an estimator that keeps what the search learnt. None returns fewer than max(|P|, `min_share`
|U|) documents unless U is smaller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.learning.two_step.nearest_positives import NearestPositives, nearest_negatives
from focused.method.learning.two_step.one_dnf import OneDNF, one_dnf_negatives
from focused.method.learning.two_step.one_dnfc import OneDNFC, one_dnfc_negatives
from focused.method.learning.two_step.one_dnfii import OneDNFII, one_dnfii_negatives
from focused.method.learning.two_step.reliable_negatives import ReliableNegatives, TooFewReliableNegativesError
from focused.method.learning.two_step.rocchio import Rocchio, rocchio_negatives
from focused.method.learning.two_step.spy import Spy, spy_negatives

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "RELIABLE_NEGATIVES",
    "NearestPositives",
    "OneDNF",
    "OneDNFC",
    "OneDNFII",
    "ReliableNegatives",
    "Rocchio",
    "Spy",
    "TooFewReliableNegativesError",
    "check_method",
]

RELIABLE_NEGATIVES: dict[str, Callable[..., ReliableNegatives]] = {
    "1-dnf": one_dnf_negatives,
    "1-dnfc": one_dnfc_negatives,
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
