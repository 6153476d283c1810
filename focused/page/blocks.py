"""Content Block Partition [P13, Alg. 1; L16, Sect. 4]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from focused.page.outline import Outline


Integers = npt.NDArray[np.int64]


@dataclass(slots=True)
class Partition:
    """The content blocks of a page: disjoint, together the whole text and every link.

    A block is either the whole subtree of a node, or the text that stands directly in a node that was split.
    """

    #: For each block the node it is, or whose own text it is.
    nodes: list[int] = field(default_factory=list)
    #: Pieces of text (first chunk, one past the last chunk, block), in document order.
    segments: list[tuple[int, int, int]] = field(default_factory=list)
    #: For each whole-subtree block in document order: its node, and its number.
    subtrees: list[int] = field(default_factory=list)
    subtree_blocks: list[int] = field(default_factory=list)

    def of_nodes(self, nodes: Integers) -> Integers:
        """Return the block that each of some nodes lies in, among those that are whole subtrees."""
        found: Integers = np.array(self.subtree_blocks)[np.array(self.subtrees).searchsorted(nodes, "right") - 1]
        return found

    def add_root(self, root: int) -> None:
        """Where the root is no block, as when it was split, let it have one of its own, without text."""
        if not self.subtrees or self.subtrees[0] != root:
            self.subtrees.insert(0, root)
            self.subtree_blocks.insert(0, len(self.nodes))
            self.nodes.append(root)


def heights(outline: Outline) -> list[int]:
    """Return for each node the largest number of block tags on a path down from it, itself not counted.

    [P13, Sect. 3.1]
    """
    node = len(outline.parent)
    # The place beyond the last node is what -1, the parent of a root, refers to.
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

    A node is split where it is at least ``alpha`` times as high as the root and a child of it holds at least
    ``min_links`` links; otherwise it is a block. Departures: a page without any block tag is one block (D1), and
    the text that stands directly in a split node is one block per node (D2).

    Parameters
    ----------
    outline : Outline
    alpha : float
        In [0, 1]; larger means fewer, larger blocks.
    min_links : int
        The paper's k, at least 1.
    """
    found, root = Partition(), outline.root
    if root < 0:
        return found
    # Lists: a page is looked at node by node, and of an array each would take three times as long.
    end, n_links, height = outline.end.tolist(), outline.n_links.tolist(), heights(outline)
    first_chunk, last_chunk = outline.first_chunk.tolist(), outline.last_chunk.tolist()
    tokens_before = outline.tokens_before.tolist()
    least_height = max(alpha * height[root], 1e-9)  # D1
    segments, nodes = found.segments, found.nodes
    # Entries are nodes still to be examined, and the gaps of direct text between them: (node, None) or
    # (split node, (first, last chunk)). A stack, for pages may be deeper than Python recurses.
    stack: list[tuple[int, tuple[int, int] | None]] = [(root, None)]
    own_block: dict[int, int] = {}
    while stack:
        node, gap = stack.pop()
        if gap is not None:
            block = own_block.get(node)
            if block is None:
                block = own_block[node] = len(nodes)
                nodes.append(node)
            segments.append((*gap, block))
            continue
        children: list[int] = []
        if n_links[node] and height[node] >= least_height:
            child, stop = node + 1, end[node]
            is_split = False
            while child < stop:
                children.append(child)
                is_split = is_split or n_links[child] >= min_links
                child = end[child]
            if not is_split:
                children = []
        first, last = first_chunk[node], last_chunk[node]
        if not children:
            is_filled = tokens_before[last] > tokens_before[first]
            if is_filled or n_links[node] or node == root:  # a refresh is a link, even of an empty page
                block = len(nodes)
                nodes.append(node)
                found.subtrees.append(node)
                found.subtree_blocks.append(block)
                if is_filled:
                    segments.append((first, last, block))
            continue
        for child in reversed(children):
            behind = last_chunk[child]
            if tokens_before[behind] < tokens_before[last]:
                stack.append((node, (behind, last)))
            stack.append((child, None))
            last = first_chunk[child]
        if tokens_before[first] < tokens_before[last]:
            stack.append((node, (first, last)))
    return found
