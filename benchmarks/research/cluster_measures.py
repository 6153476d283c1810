"""The baselines and the measure for the clustering of link contexts [P15, Sect. 6]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics.cluster import contingency_matrix

from focused.method.text.vocabulary import canonical
from focused.method.text.weighting import normalized

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def cluster_f_measure(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Return the mean F-measure of the clusters, weighted by their sizes (docs/method/, D84), in (0, 1] [P15, eq. 7-10].

    A cluster represents the class of most of its units: n of the cluster's c units, and of the class's k. Its precision
    is n / c, its recall n / k, its F-measure 2 n / (c + k). Of classes with the same n the smaller one is taken; the
    paper does not say.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_units,)
        Class and cluster of each unit.

    Raises
    ------
    ValueError
        If there is no unit, or not one class and one cluster for each.
    """
    if not np.size(labels_true):
        raise ValueError("labels_true must hold at least one unit. Got none.")
    both = contingency_matrix(labels_true, labels_pred)
    of_class, of_cluster = both.sum(axis=1, keepdims=True), both.sum(axis=0)
    f_measures = 2 * both / (of_class + of_cluster)
    of_largest = np.where(both == both.max(axis=0), f_measures, 0.0).max(axis=0)
    return float(of_largest @ of_cluster / of_cluster.sum())


def hac_labels(X: Any, n_clusters: int) -> NDArray[np.intp]:
    """Return the clusters of scikit-learn's agglomerative clustering: average linkage of cosine distances.

    Parameters
    ----------
    X : sparse matrix of shape (n_units, n_terms)
        Term weights; rows of any length.
    n_clusters : int
        From 1 to n_units.

    Returns
    -------
    ndarray of shape (n_units,)
    """
    rows = _unit_rows(X)
    distances = np.maximum(1.0 - (rows @ rows.T).toarray(), 0.0)
    np.fill_diagonal(distances, 0.0)
    model = AgglomerativeClustering(n_clusters=n_clusters, metric="precomputed", linkage="average")
    return np.asarray(model.fit_predict(distances), dtype=np.intp)


def k_means_labels(X: Any, n_clusters: int, random_state: Any = None) -> NDArray[np.intp]:
    """Return the clusters of scikit-learn's K-means on rows of length 1; parameters as in `hac_labels`."""
    model = KMeans(n_clusters=n_clusters, n_init=10, random_state=random_state)
    return np.asarray(model.fit_predict(_unit_rows(X)), dtype=np.intp)


def _unit_rows(X: Any) -> Any:
    return normalized(canonical(X).copy())
