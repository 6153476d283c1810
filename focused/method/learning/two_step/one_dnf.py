"""Positive features, and 1-DNF: reliable negatives hold none of them (PEBL; Yu, Han and Chang 2002)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from focused.method.learning.two_step.reliable_negatives import ReliableNegatives, select
from focused.method.text.vocabulary import document_frequencies

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from scipy import sparse


def document_rates(counts: sparse.csr_matrix) -> NDArray[np.float64]:
    """Return freq(t,S)/|S| for each term t: the share of the documents that hold it, in [0, 1]."""
    return np.asarray(document_frequencies(counts) / max(counts.shape[0], 1), dtype=np.float64)


def positive_features(
    positive_rates: NDArray[np.float64], unlabeled_rates: NDArray[np.float64], lambda_: float
) -> NDArray[np.intp]:
    """Return the terms with freq(t,P)/|P| > freq(t,U)/|U| and freq(t,P)/|P| > lambda [P13, Alg. 2, line 6].

    Rates have shape (n_terms,), from `document_rates`; lambda is in [0, 1), and 0 is the unconstrained 1-DNF.
    """
    return np.flatnonzero((positive_rates > unlabeled_rates) & (positive_rates > lambda_))


def features_held(counts: sparse.csr_matrix, features: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return for each document how many of the `features` (columns) it holds, shape (n_documents,)."""
    held = counts.copy()
    held.data = (held.data > 0).astype(np.float64)
    is_feature = np.zeros(counts.shape[1])
    is_feature[features] = 1.0
    return np.asarray(held @ is_feature, dtype=np.float64)


class FeatureTrial(NamedTuple):
    """The last set of positive features that was tried, and what it left."""

    step: int
    features: NDArray[np.intp]
    #: How many of the features each document holds, and the documents that hold none; None if these are too few.
    scores: NDArray[np.float64] | None
    rows: NDArray[np.intp] | None
    #: The most documents that any of the sets left.
    most: int


def first_enough(unlabeled: sparse.csr_matrix, choices: Iterable[NDArray[np.intp]], needed: int) -> FeatureTrial:
    """Try sets of positive features in turn, until enough documents hold none of them, or a set is empty."""
    step, features, most = 0, np.zeros(0, dtype=np.intp), 0
    for step, features in enumerate(choices):
        if not len(features):
            break
        scores = features_held(unlabeled, features)
        rows = np.flatnonzero(scores == 0)
        most = max(most, len(rows))
        if len(rows) >= needed:
            return FeatureTrial(step, features, scores, rows, most)
    return FeatureTrial(step, features, None, None, most)


def one_dnf_negatives(
    positive: sparse.csr_matrix,
    unlabeled: sparse.csr_matrix,
    *,
    min_share: float = 0.05,
    too_few: str = "error",
    random_state: Any = None,
) -> ReliableNegatives:
    """Find the documents of U without a positive feature, a term with freq(t,P)/|P| > freq(t,U)/|U|.

    With few positives and many unlabelled documents, a term becomes a positive feature through a single positive, and
    hardly any document is left. 1-DNFC and 1-DNFII correct that. Scores: the number of positive features held. If no term
    is a positive feature, none is found: nothing would distinguish reliable negatives from the rest of U.
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
