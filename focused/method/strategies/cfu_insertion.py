"""Insertion of units into CFu-trees, one by one [P15, Sect. 4]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from focused.method.strategies.cfu_forest import NONE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from focused.method.strategies.cfu_forest import Forest


def insert_units(forest: Forest, units: Iterable[int]) -> None:
    """Insert rows of the forest that are in no tree yet (docs/method/, D52).

    A unit joins the closest node, leaf or inner, of the closest tree if the two pass the comparison, else it starts a tree.
    On the way up each subtree is compared with its sibling again: one that fails becomes a tree of its own, and the sibling
    replaces their parent. Last, each changed tree is merged with its closest tree if they pass.
    """
    index = _Index(forest)
    for unit in units:
        leaf = forest.leaf(unit)
        vector = forest.vector(leaf)
        node = _closest_node(forest, index.closest_root(vector, NONE), vector)
        if node == NONE or not forest.alike(leaf, node):
            index.enter(leaf)
            continue
        index.leave(forest.root(node))
        changed = _graft(forest, leaf, node)
        for root in changed:
            index.enter(root, None if len(changed) > 1 else leaf)
        for root in changed:
            _merge_on(forest, index, root)


class _Index:
    """Finds the closest tree by one product with all units: it keeps the tree of each unit, and the trees' lengths."""

    def __init__(self, forest: Forest) -> None:
        self.forest = forest
        n = forest.rows.shape[0]
        # Units that are in no tree yet belong to a tree n of length 0.
        self.tree_of = np.full(n, n, dtype=np.intp)
        self.lengths = np.zeros(n + 1)
        for root in forest.roots.values():
            self.enter(root)

    def enter(self, root: int, added: int | None = None) -> None:
        """Note a new or changed tree; if it has only grown, `added` is its new node."""
        first = self.forest.first[root]
        self.forest.roots[first] = root
        self.tree_of[self.forest.units(root if added is None else added)] = first
        self.lengths[first] = self.forest.length(root)

    def leave(self, root: int) -> None:
        """Forget a tree before it changes."""
        first = self.forest.first[root]
        del self.forest.roots[first]
        self.lengths[first] = 0.0

    def closest_root(self, vector: NDArray[np.float64], but: int) -> int:
        """Return the root most similar to a vector, except one root; -1 if no tree shares a term with it."""
        products = np.bincount(self.tree_of, weights=self.forest.rows @ vector, minlength=len(self.lengths))
        cosines = np.divide(products, self.lengths, out=np.zeros_like(products), where=self.lengths > 0)
        if but != NONE:
            cosines[self.forest.first[but]] = 0.0
        first = int(cosines.argmax())
        return self.forest.roots[first] if cosines[first] > 0 else NONE


def _closest_node(forest: Forest, root: int, vector: NDArray[np.float64]) -> int:
    """Go down from a root while a child is more similar to the vector than its parent; return the node."""
    if root == NONE:
        return NONE
    node, at_node = root, forest.cosine(root, vector)
    while forest.unit[node] == NONE:
        children = forest.left[node], forest.right[node]
        cosines = [forest.cosine(child, vector) for child in children]
        best = int(cosines[1] > cosines[0])
        if cosines[best] <= at_node:
            break
        node, at_node = children[best], cosines[best]
    return node


def _graft(forest: Forest, leaf: int, node: int) -> list[int]:
    """Put a leaf beside a node, split above it what fails the comparison, and return the roots of the trees."""
    above = forest.parent[node]
    joined = forest.join(node, leaf)
    forest.put(joined, node, above)
    node, cut = joined, []
    while (parent := forest.parent[node]) != NONE:
        forest.renew(parent)
        sibling = forest.sibling(node)
        if forest.alike(node, sibling):
            node = parent
            continue
        forest.put(sibling, parent, forest.parent[parent])
        forest.parent[node] = NONE
        cut.append(node)
        node = sibling
    return [node, *cut]


def _merge_on(forest: Forest, index: _Index, root: int) -> None:
    """Merge a tree with the closest one while the two pass the comparison."""
    # An earlier merge may have put this tree under another root.
    while forest.roots.get(forest.first[root]) == root:
        other = index.closest_root(forest.vector(root), root)
        if other == NONE or not forest.alike(root, other):
            return
        index.leave(root)
        index.leave(other)
        root = forest.join(root, other)
        index.enter(root)
