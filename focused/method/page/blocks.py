"""Content Block Partition [P13, Alg. 1; L16, Sect. 4]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from focused.method.page.outline import Outline

Integers = npt.NDArray[np.int64]

_NONE: Integers = np.zeros(0, dtype=np.int64)


@dataclass(slots=True)
class Partition:
    """The content blocks of a page. They are disjoint and cover the whole text and every link.

    A block is either the whole subtree of a node, or the text that stands directly in a node that was split.
    """

    #: For each block its node: the one it is, or the one whose own text it is.
    nodes: list[int] = field(default_factory=list)
    #: Pieces of text in document order: first chunk, one past the last chunk, and block, each of shape (n_pieces,).
    first_chunk: Integers = field(default_factory=lambda: _NONE)
    last_chunk: Integers = field(default_factory=lambda: _NONE)
    block: Integers = field(default_factory=lambda: _NONE)
    #: For each whole-subtree block in document order: its node, and its number, each of shape (n_subtrees,).
    subtrees: Integers = field(default_factory=lambda: _NONE)
    subtree_blocks: Integers = field(default_factory=lambda: _NONE)

    @property
    def segments(self) -> list[tuple[int, int, int]]:
        """The pieces of text: first chunk, one past the last chunk, block."""
        return list(zip(self.first_chunk.tolist(), self.last_chunk.tolist(), self.block.tolist(), strict=True))

    def of_nodes(self, nodes: Integers) -> Integers:
        """Return for each node the whole-subtree block that it lies in."""
        found: Integers = self.subtree_blocks[self.subtrees.searchsorted(nodes, "right") - 1]
        return found

    def add_root(self, root: int) -> None:
        """If the root is no block (because it was split), add an empty block for it."""
        if not len(self.subtrees) or self.subtrees[0] != root:
            self.subtrees = np.concatenate(([root], self.subtrees))
            self.subtree_blocks = np.concatenate(([len(self.nodes)], self.subtree_blocks))
            self.nodes.append(root)


def heights(outline: Outline) -> list[int]:
    """Return for each node the largest number of block tags on a path down from it, not counting the node.

    [P13, Sect. 3.1]
    """
    node = len(outline.parent)
    # The parent of a root is -1, so the extra last place stands for it.
    found = [0] * (node + 1)
    for up, height in zip(outline.parent[::-1].tolist(), outline.is_block[::-1].tolist(), strict=True):
        node -= 1
        below = found[node] + height
        if below > found[up]:
            found[up] = below
    del found[-1]
    return found


def partition(outline: Outline, alpha: float, min_links: int) -> Partition:
    """Divide the root of a page into content blocks.

    A node is split if it is at least ``alpha`` times as high as the root and one of its children holds at least ``min_links``
    links; otherwise it is a block. If the rule splits a node, it splits all nodes around it as well, so all nodes can be
    decided at once instead of recursively. Departures: a page without any block tag is one block (D1), and the text that
    stands directly in a split node is one block per node (D2).

    ``alpha``: in [0, 1]; larger means fewer, larger blocks. ``min_links``: the paper's k, at least 1.
    """
    root = outline.root
    if root < 0:
        return Partition()
    stop, n_nodes = int(outline.end[root]), len(outline.end)
    height = heights(outline)
    # Nodes outside the root do not count. The parent of a root is -1 and has a place of its own.
    has_such_child = np.zeros(n_nodes + 1, dtype=np.bool_)
    below = slice(root + 1, stop)
    has_such_child[outline.parent[below][outline.n_links[below] >= min_links]] = True
    least_height = max(alpha * height[root], 1e-9)  # D1
    is_split = has_such_child
    is_split[:-1] &= np.fromiter(height, np.int64, n_nodes) >= least_height
    if not is_split[root]:
        subtrees, gaps, owners = np.array([root]), _NONE, _NONE
    else:
        # A subtree without text and links is no block.
        first, last, tokens = outline.first_chunk, outline.last_chunk, outline.tokens_before
        is_subtree = is_split[outline.parent] & ~is_split[:-1]
        is_subtree &= (tokens[last] > tokens[first]) | (outline.n_links > 0)
        subtrees = is_subtree.nonzero()[0]
        # The chunks that follow the beginning of a split node, or the end of a child of it.
        split = is_split[:-1].nonzero()[0]
        children = is_split[outline.parent].nonzero()[0]
        gaps = np.concatenate((first[split], last[children]))
        owners = np.concatenate((split, outline.parent[children]))
        is_filled = tokens[gaps + 1] > tokens[gaps]
        gaps, owners = gaps[is_filled], owners[is_filled]
    first_chunk = np.concatenate((outline.first_chunk[subtrees], gaps))
    order = first_chunk.argsort()
    nodes = np.concatenate((subtrees, owners))[order].tolist()
    number_of = {node: number for number, node in enumerate(dict.fromkeys(nodes))}
    return Partition(
        nodes=list(number_of),
        first_chunk=first_chunk[order],
        last_chunk=np.concatenate((outline.last_chunk[subtrees], gaps + 1))[order],
        block=np.fromiter(map(number_of.__getitem__, nodes), np.int64, len(nodes)),
        subtrees=subtrees,
        subtree_blocks=np.fromiter(map(number_of.__getitem__, subtrees.tolist()), np.int64, len(subtrees)),
    )
