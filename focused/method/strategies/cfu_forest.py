"""CFu-trees: binary trees whose nodes hold the sums of their units [P15, Sect. 4]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from scipy import sparse

NONE = -1
COMPARED = ("smaller", "larger")
"""Which cluster of a pair plays C_i, whose units are compared with the other one as a whole."""


def similarity(cosine: ArrayLike) -> NDArray[np.float64]:
    """Return Sim = 1 - |x - y| / sqrt(2) = 1 - sqrt(1 - x.y) of vectors of length 1 from their cosine [P15, eq. 1].

    In [0, 1]; vectors more than a right angle apart, which term weights cannot be, are as unlike as those that share no term.
    """
    return 1.0 - np.sqrt(np.clip(1.0 - np.asarray(cosine, dtype=np.float64), 0.0, 1.0))


def comparison_variation(similarities: ArrayLike, lambda_: float) -> bool:
    """Return whether C_i and C_j are to be merged, from Sim(u_k, C_j) of all units u_k of C_i [P15, eq. 2].

    They are where prod (1 - Sim(u_k, C_j))^lambda <= max Sim(u_k, C_j), with lambda above 0. The product is a sum of
    logarithms here: that of a few hundred units would be 0. Two clusters without a common term are never merged.

    >>> comparison_variation([0.3177], 3), comparison_variation([0.3176], 3)
    (True, False)
    """
    units = np.asarray(similarities, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return bool(lambda_ * np.log(1.0 - units).sum() <= np.log(units.max()))


class Forest:
    """A forest in which each tree is a cluster, known by its first unit.

    A leaf is a unit, a row of length 1 (or 0); an inner node has two children. Nodes are numbers and not
    objects: linked objects could be nested too deep to be pickled.

    Parameters
    ----------
    rows : CSR matrix of shape (n_units, n_terms)
        The units; some may be in no tree yet.
    lambda_, compare
        As in `CFuTree`.

    Attributes
    ----------
    left, right, parent : list of int
        Neighbours of each node; -1 if there is none.
    unit : list of int
        The unit of a leaf, -1 for an inner node.
    first, n_units : list of int
        The first unit under each node, and the number of its units.
    roots : dict of int
        The root of each tree, by its first unit.
    """

    def __init__(self, rows: sparse.csr_matrix, lambda_: float, compare: str) -> None:
        self.rows, self.lambda_, self.compare = rows, lambda_, compare
        self.left: list[int] = []
        self.right: list[int] = []
        self.parent: list[int] = []
        self.unit: list[int] = []
        self.first: list[int] = []
        self.n_units: list[int] = []
        self.roots: dict[int, int] = {}
        # Terms and weights of each node's sum; None until it is needed.
        self._sums: list[tuple[NDArray[np.intp], NDArray[np.float64]] | None] = []

    def leaf(self, unit: int) -> int:
        """Make a leaf for a unit, outside all trees, and return it."""
        return self._new(NONE, NONE, unit, unit, 1)

    def join(self, a: int, b: int) -> int:
        """Put a new node over two nodes without a parent and return it."""
        node = self._new(a, b, NONE, min(self.first[a], self.first[b]), self.n_units[a] + self.n_units[b])
        self.parent[a] = self.parent[b] = node
        return node

    def put(self, node: int, in_place_of: int, parent: int) -> None:
        """Make `node` the child of `parent` in place of `in_place_of`; without a parent it is a root."""
        self.parent[node] = parent
        if parent != NONE:
            children = self.left if self.left[parent] == in_place_of else self.right
            children[parent] = node

    def sibling(self, node: int) -> int:
        """Return the other child of a node's parent."""
        parent = self.parent[node]
        return self.right[parent] if self.left[parent] == node else self.left[parent]

    def root(self, node: int) -> int:
        """Return the root of a node's tree."""
        while self.parent[node] != NONE:
            node = self.parent[node]
        return node

    def renew(self, node: int) -> None:
        """Recompute the sum of an inner node after its children have changed."""
        a, b = self.left[node], self.right[node]
        self.first[node] = min(self.first[a], self.first[b])
        self.n_units[node] = self.n_units[a] + self.n_units[b]
        self._sums[node] = None

    def units(self, node: int) -> NDArray[np.intp]:
        """Return the units under a node, in no certain order."""
        found, waiting = [], [node]
        while waiting:
            node = waiting.pop()
            if self.unit[node] != NONE:
                found.append(self.unit[node])
            else:
                waiting += (self.left[node], self.right[node])
        return np.array(found, dtype=np.intp)

    def length(self, node: int) -> float:
        """Return the length of the sum of a node's units."""
        return float(np.linalg.norm(self._sum(node)[1]))

    def vector(self, node: int) -> NDArray[np.float64]:
        """Return the sum of a node's units, normalised to length 1 (docs/method/, D51), shape (n_terms,)."""
        terms, weights = self._sum(node)
        vector = np.zeros(self.rows.shape[1])
        vector[terms] = weights / max(self.length(node), 1e-300)
        return vector

    def cosine(self, node: int, vector: NDArray[np.float64]) -> float:
        """Return the cosine of a node's sum with a vector of length 1."""
        terms, weights = self._sum(node)
        return float(weights @ vector[terms]) / max(self.length(node), 1e-300)

    def alike(self, a: int, b: int) -> bool:
        """Return whether two nodes pass the comparison variation [P15, eq. 2]."""
        # Of two equally large trees the later one counts as the smaller.
        a, b = sorted((a, b), key=lambda node: (self.n_units[node], -self.first[node]))
        c_i, c_j = (a, b) if self.compare == "smaller" else (b, a)
        if self.unit[c_i] != NONE:
            cosines = np.array([self.cosine(c_j, self.vector(c_i))])
        else:
            cosines = self.rows[self.units(c_i)] @ self.vector(c_j)
        return comparison_variation(similarity(cosines), self.lambda_)

    def _new(self, left: int, right: int, unit: int, first: int, n_units: int) -> int:
        self.left.append(left)
        self.right.append(right)
        self.parent.append(NONE)
        self.unit.append(unit)
        self.first.append(first)
        self.n_units.append(n_units)
        self._sums.append(None)
        return len(self.left) - 1

    def _sum(self, node: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        known = self._sums[node]
        if known is not None:
            return known
        if self.unit[node] != NONE:
            stretch = slice(*self.rows.indptr[self.unit[node] : self.unit[node] + 2])
            known = self.rows.indices[stretch], self.rows.data[stretch]
        else:
            known = _added(*self._entries(node))
        self._sums[node] = known
        return known

    def _entries(self, node: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return terms and weights whose sum is the node's: those of its children, or of its units if cheaper."""
        children = [self._sums[child] for child in (self.left[node], self.right[node])]
        parts = [known for known in children if known is not None]
        if len(parts) < 2:
            units = self.rows[self.units(node)]
            return units.indices, units.data
        return np.concatenate([terms for terms, _ in parts]), np.concatenate([weights for _, weights in parts])


def _added(terms: NDArray[np.intp], weights: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Sum the weights of equal terms."""
    different, places = np.unique(terms, return_inverse=True)
    return different, np.bincount(places, weights, len(different)).astype(np.float64, copy=False)
