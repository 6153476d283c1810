"""Which link contexts to merge into clusters, by comparison variation [P15, Sect. 4]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def agglomerate(products: NDArray[np.float64], lambda_: float, compare: str = "smaller") -> NDArray[np.intp]:
    """Merge units into clusters until no pair passes the comparison [P15, Sect. 4, steps 1-5].

    C_i and C_j pass where prod (1 - Sim(u_k, C_j))^lambda <= max Sim(u_k, C_j) over all units u_k of C_i [P15, eq. 2]. Each
    time, the closest pair of those that pass is merged: where the closest pair of all fails, the next one is tried. A
    cluster's vector is the sum of its units, of length 1 again (docs/method/, D51). The scalar products of the units, which
    have length 1 or 0, are all that is needed, so a merge costs a few operations on whole rows of a matrix. `compare` says
    which of a pair plays C_i; of two equally large ones the one whose first unit came later counts as the smaller.

    Returns the first units of the two clusters merged, in order of merging, the smaller number first; shape (n_merges, 2).
    The new cluster is known by that one.
    """
    merges: list[tuple[int, int]] = []
    # The logarithms of 0 are those of identical units and of units that share nothing.
    with np.errstate(divide="ignore"):
        clusters = _Clusters(products, lambda_, compare == "smaller")
        while (pair := clusters.closest()) is not None:
            clusters.merge(*pair)
            merges.append(pair)
    return np.array(merges, dtype=np.intp).reshape(-1, 2)


class _Clusters:
    """Clusters as rows and columns of matrices, each in the place of its first unit.

    Row j of the matrices is about cluster j as a whole, C_j; its columns are the units (`products`) or clusters
    C_i that are compared with it.
    """

    def __init__(self, products: NDArray[np.float64], lambda_: float, smaller: bool) -> None:
        n = len(products)
        self.lambda_, self.smaller = lambda_, smaller
        self.cluster_of = np.arange(n)
        self.alive = np.ones(n, dtype=bool)
        self.sizes = np.ones(n, dtype=np.intp)
        # Grows with the size of a cluster; of two equally large ones it is less for the later one.
        self.rank = n - np.arange(n)
        self.products = products.copy()
        self.lengths = np.sqrt(np.diag(products))
        self.lengths[self.lengths == 0] = 1.0
        distances = _distance(products / self.lengths / self.lengths[:, np.newaxis])
        # Over the units u of C_i: the sum of ln(1 - Sim(u, C_j)), and the largest Sim(u, C_j).
        self.log_product = np.log(distances)
        self.most_alike = 1.0 - distances
        # Sim of each pair that passes, else -1.
        passes = lambda_ * self.log_product <= np.log(self.most_alike)
        self.scores = np.where(passes, self.most_alike, -1.0)
        np.fill_diagonal(self.scores, -1.0)
        self.partner = self.scores.argmax(axis=1) if n else np.empty(0, dtype=np.intp)
        self.best = self.scores.max(axis=1, initial=-1.0)

    def closest(self) -> tuple[int, int] | None:
        """Return the closest pair that should be merged, the smaller number first, or None."""
        first = int(self.best.argmax())
        if self.best[first] < 0:
            return None
        second = int(self.partner[first])
        return min(first, second), max(first, second)

    def merge(self, a: int, b: int) -> None:
        """Put cluster b into a, and compare the new one with all others."""
        n = len(self.alive)
        self.cluster_of[self.cluster_of == b] = a
        self.alive[b] = False
        self.sizes[a] += self.sizes[b]
        self.rank[a] = self.sizes[a] * n - a
        self.products[a] += self.products[b]
        with_clusters = np.bincount(self.cluster_of, self.products[a], n)
        self.lengths[a] = np.sqrt(with_clusters[a])
        # The new cluster as C_i.
        self.log_product[:, a] += self.log_product[:, b]
        np.maximum(self.most_alike[:, a], self.most_alike[:, b], out=self.most_alike[:, a])
        # The new cluster as C_j.
        distances = _distance(self.products[a] / self.lengths[a])
        self.log_product[a] = np.bincount(self.cluster_of, np.log(distances), n)
        self.most_alike[a] = 0.0
        np.maximum.at(self.most_alike[a], self.cluster_of, 1.0 - distances)
        self._compare(a, b, 1.0 - _distance(with_clusters / (self.lengths * self.lengths[a])))

    def _compare(self, a: int, b: int, sims: NDArray[np.float64]) -> None:
        is_smaller = self.rank[a] < self.rank
        plays_i = is_smaller if self.smaller else ~is_smaller
        log_product = np.where(plays_i, self.log_product[:, a], self.log_product[a])
        most_alike = np.where(plays_i, self.most_alike[:, a], self.most_alike[a])
        passes = self.alive & (self.lambda_ * log_product <= np.log(most_alike))
        passes[a] = False
        row = np.where(passes, sims, -1.0)
        self.scores[a] = self.scores[:, a] = row
        self.scores[:, b] = -1.0
        self.best[b] = -1.0
        better = row > self.best
        # Whose partner was one of the two, and who is less like the new cluster, must look at all again.
        again = self.alive & ~better & ((self.partner == a) | (self.partner == b))
        again[a] = True
        self.best[better], self.partner[better] = row[better], a
        rows = np.flatnonzero(again)
        found = self.scores[rows]
        self.partner[rows] = found.argmax(axis=1)
        self.best[rows] = found.max(axis=1)


def _distance(cosine: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 - Sim = |x - y| / sqrt(2) = sqrt(1 - x.y) of vectors of length 1, at most 1, from their cosine [P15, eq. 1]."""
    return np.sqrt(np.minimum(np.maximum(1.0 - cosine, 0.0), 1.0))
