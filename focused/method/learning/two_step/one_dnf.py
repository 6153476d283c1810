"""1-DNF: reliable negatives hold no term that is commoner in P than in U (PEBL; Yu, Han and Chang 2002)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.method.learning.two_step.base import ReliableNegativeFinder
from focused.method.learning.two_step.positive_features import document_rates, features_held, positive_features
from focused.method.learning.two_step.reliable_negatives import ReliableNegatives, select

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy import sparse


def one_dnf_negatives(
    positive: sparse.csr_matrix,
    unlabeled: sparse.csr_matrix,
    *,
    min_share: float = 0.05,
    too_few: str = "error",
    random_state: Any = None,
) -> ReliableNegatives:
    """Find the documents of U without a positive feature, a term with freq(t,P)/|P| > freq(t,U)/|U|.

    With few positives and many unlabelled documents, a term becomes a positive feature through a single positive, and hardly
    any document is left. 1-DNFC and 1-DNFII correct that.

    Parameters
    ----------
    positive, unlabeled : CSR matrices of shape (n_positive, n_terms) and (n_unlabeled, n_terms)
        Term counts.
    min_share : float
        Reliable negatives needed, as a share of U, in [0, 1]; at least as many as positives.
    too_few : {"error", "all", "lowest"}
        If there are too few: fail, take all of U, or take the documents with the fewest positive features.
    random_state : ignored
        The search draws nothing.

    Returns
    -------
    ReliableNegatives
        Scores: the number of positive features held. Evidence: `positive_features_`.

    Raises
    ------
    TooFewReliableNegativesError
        With `too_few="error"`, if there are too few, or if no term is a positive feature: then nothing would distinguish
        reliable negatives from the rest of U.
    """
    features = positive_features(document_rates(positive), document_rates(unlabeled), 0.0)
    n_features = len(features)
    return select(
        "1-DNF",
        features_held(unlabeled, features),
        # Without positive features all scores are 0 and tell nothing.
        0.0 if n_features else -1.0,
        {"positive_features_": features},
        n_positive=positive.shape[0],
        min_share=min_share,
        too_few=too_few,
        reason=f" without any of the {n_features} positive features" if n_features else ": no term is commoner in P",
    )


class OneDNF(ReliableNegativeFinder):
    """1-DNF: a document that holds a positive feature is labelled positive, any other one is not.

    Parameters
    ----------
    min_share : float, default=0.05
        Reliable negatives needed, as a share of the unlabelled documents; at least as many as positives.
    too_few : {"error", "all", "lowest"}, default="lowest"
        If there are too few: fail, take all unlabelled documents, or those with the fewest positive features.

    Attributes
    ----------
    positive_features_ : ndarray of int
        Columns of the positive features.
    classes_, reliable_negatives_, threshold_, n_features_in_
        As in `ReliableNegativeFinder`.
    """

    positive_features_: NDArray[np.intp]

    def __init__(self, *, min_share: float = 0.05, too_few: str = "lowest") -> None:
        self.min_share = min_share
        self.too_few = too_few

    def _find(self, positive: sparse.csr_matrix, unlabeled: sparse.csr_matrix) -> ReliableNegatives:
        return one_dnf_negatives(positive, unlabeled, min_share=self.min_share, too_few=self.too_few)

    def _scores(self, counts: sparse.csr_matrix) -> NDArray[np.float64]:
        return features_held(counts, self.positive_features_)
