"""Clustering of link contexts by comparison variation: CFu-trees [P15, Sect. 4]."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from focused.method.strategies.cfu_forest import COMPARED, Forest
from focused.method.strategies.cfu_insertion import insert_units
from focused.method.strategies.cluster_merging import agglomerate
from focused.method.text.vocabulary import canonical
from focused.method.text.weighting import normalized

MOST_AT_ONCE = 1000
"""Units that `fit` merges at once: it holds six matrices of this many rows and columns, 50 MB."""


class CFuTree(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster short texts by merging the closest pairs that pass the comparison variation [P15, Sect. 4].

    Each cluster is a binary tree whose leaves are units and whose inner nodes hold the sum of their units. Two clusters
    are merged if prod (1 - Sim(u_k, C_j))^lambda <= max Sim(u_k, C_j) over the units u_k of one of them, with Sim = 1 -
    sqrt(1 - cosine) [P15, eq. 1-2]; so the data determine the number of clusters. With lambda = 3 two single units are
    merged from a cosine of 0.5344 on.

    `fit` repeatedly merges the closest pair that passes. `partial_fit` inserts units one by one, see
    `focused.method.strategies.cfu_insertion.insert_units`.

    Departures (docs/method/): the vector of a cluster is normalised to length 1, and the smaller cluster is C_i
    (D51); our reading of insertion, which the paper leaves open (D52).

    Parameters
    ----------
    lambda_ : float, default=3.0
        Positive; larger values merge more.
    compare : {"smaller", "larger"}, default="smaller"
        Which of two clusters is C_i, whose units are compared with the other cluster as a whole; the paper does not say. With
        many units in C_i the product is small, and nearly everything is merged.

    Attributes
    ----------
    labels_ : ndarray of shape (n_units,)
        Cluster of each unit so far, in the order in which they came; clusters are counted from 0 by their
        first units.
    n_clusters_ : int
    cluster_centers_ : CSR matrix of shape (n_clusters_, n_terms)
        Sum of the units of each cluster, of length 1.
    forest_ : Forest
        The trees.
    units_ : CSR matrix of shape (n_units, n_terms)
        The units so far, of length 1.
    n_features_in_ : int
    """

    def __init__(self, *, lambda_: float = 3.0, compare: str = "smaller") -> None:
        self.lambda_ = lambda_
        self.compare = compare

    def fit(self, X: Any, y: Any = None) -> CFuTree:
        """Cluster units anew.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_units, n_terms)
            Term weights or counts; rows of any length. A unit without a term is a cluster of its
            own. From the 1001st unit on, units are inserted as by `partial_fit`.
        y : ignored
        """
        self._check_parameters()
        rows = self._unit_rows(X, reset=True)
        at_once = rows[:MOST_AT_ONCE]
        forest = Forest(rows, self.lambda_, self.compare)
        forest.roots = {unit: forest.leaf(unit) for unit in range(at_once.shape[0])}
        products = (at_once @ at_once.T).toarray()
        for a, b in agglomerate(products, self.lambda_, self.compare).tolist():
            forest.roots[a] = forest.join(forest.roots[a], forest.roots.pop(b))
        if rows.shape[0] > MOST_AT_ONCE:
            insert_units(forest, range(MOST_AT_ONCE, rows.shape[0]))
        return self._finish(forest)

    def partial_fit(self, X: Any, y: Any = None) -> CFuTree:
        """Insert the units `X`, of shape (n_units, n_terms), one after the other; before `fit`, this is `fit`."""
        if not hasattr(self, "forest_"):
            return self.fit(X)
        self._check_parameters()
        forest = self.forest_
        n_before = forest.rows.shape[0]
        forest.rows = sparse.vstack([forest.rows, self._unit_rows(X, reset=False)], format="csr")
        forest.lambda_, forest.compare = self.lambda_, self.compare
        insert_units(forest, range(n_before, forest.rows.shape[0]))
        return self._finish(forest)

    def _finish(self, forest: Forest) -> CFuTree:
        n_units = forest.rows.shape[0]
        labels = np.empty(n_units, dtype=np.intp)
        for number, first in enumerate(sorted(forest.roots)):
            labels[forest.units(forest.roots[first])] = number
        self.forest_, self.units_, self.labels_, self.n_clusters_ = forest, forest.rows, labels, len(forest.roots)
        members = sparse.csr_matrix(
            (np.ones(n_units), (labels, np.arange(n_units))), shape=(len(forest.roots), n_units)
        )
        self.cluster_centers_ = normalized(sparse.csr_matrix(members @ forest.rows))
        return self

    def _unit_rows(self, X: Any, *, reset: bool) -> sparse.csr_matrix:
        checked = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        return normalized(canonical(checked).copy())

    def _check_parameters(self) -> None:
        if not 0 < self.lambda_ < float("inf"):
            raise ValueError(f"lambda_ must be positive and finite. Got {self.lambda_}.")
        if self.compare not in COMPARED:
            raise ValueError(f"compare must be one of {', '.join(COMPARED)}. Got {self.compare!r}.")

    def __sklearn_is_fitted__(self) -> bool:
        # The parameter lambda_ looks like a fitted attribute.
        return hasattr(self, "forest_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
