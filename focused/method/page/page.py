"""A page, analysed once for everyone who needs it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from focused.method.page.lines import lines_of
from focused.method.page.own_text import OWN, SECTIONS, Flags, chunks_inside, own_chunks, stretches_of
from focused.method.page.sections import weighted_stretches

if TYPE_CHECKING:
    from focused.method.page.blocks import Partition
    from focused.method.page.lines import Lines
    from focused.method.page.marked_text import MarkedText
    from focused.method.page.outline import Outline

Integers = npt.NDArray[np.int64]
_NONE: Integers = np.zeros(0, dtype=np.int64)


class Link(NamedTuple):
    """A target that a page links to, by one or several elements."""

    url: str
    #: Indices into the page's anchors.
    anchors: list[int]


@dataclass
class Page:
    """One analysed page: a stream of term ids, and where its blocks, anchors and contexts lie in the stream.

    Positions count terms in ``terms``. Text chunk c holds the terms ``chunk_start[c]:chunk_start[c + 1]``. The first two
    chunks are the title and the keywords: they belong to the page but to no block. One more chunk follows the text: the
    title's terms once again, as terms of their own (``title: star``). They too belong to the page only (docs/method/, D9).
    """

    url: str
    #: Name of the encoding the page was read in.
    encoding: str
    marked_text: MarkedText
    outline: Outline
    blocks: Partition
    #: Target of a meta refresh, or an empty string. It is also among the links.
    refresh_url: str
    terms: npt.NDArray[np.int32]
    #: Shape (n_chunks + 2,).
    chunk_start: Integers
    #: What was left out: counts of links by reason, and of what limits cut off.
    cuts: Counter[str] = field(default_factory=Counter)
    #: What the page says of its language, a code without region; empty if nothing.
    declared_language: str = ""
    #: The targets of links in document order, numbered.
    link_numbers: dict[str, int] = field(default_factory=dict)
    #: The node of each link element that leads to a page, in document order, shape (n_anchors,) ...
    anchors: Integers = field(default_factory=lambda: _NONE)
    #: ... the number of its link, shape (n_anchors,) ...
    anchor_links: Integers = field(default_factory=lambda: _NONE)
    #: ... and its content block, shape (n_anchors,).
    anchor_blocks: Integers = field(default_factory=lambda: _NONE)

    @property
    def n_links(self) -> int:
        """Number of links."""
        return len(self.link_numbers)

    @cached_property
    def link_anchors(self) -> list[list[int]]:
        """For each link its elements: indices into ``anchors``."""
        found: list[list[int]] = [[] for _ in self.link_numbers]
        for anchor, number in enumerate(self.anchor_links.tolist()):
            found[number].append(anchor)
        return found

    @cached_property
    def links(self) -> list[Link]:
        """The links as objects, convenient for a few of them."""
        return list(map(Link, self.link_numbers, self.link_anchors))

    def best_of_anchors(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return for each link the largest of its anchors' values (docs/method/, D83).

        ``values`` of shape (n_anchors,): in [0, 1]. The result is of shape (n_links,).
        """
        best = np.zeros(self.n_links)
        np.maximum.at(best, self.anchor_links, values)
        return best

    @property
    def title(self) -> str:
        """Text of the title element, white space folded."""
        return self.marked_text.title

    @property
    def n_words(self) -> int:
        """Number of terms in the text, repeated ones included."""
        return int(self.chunk_start[-2])

    def stretches(self, text: str) -> tuple[Integers, Integers]:
        """Return the stretches of chunks that the page is judged by: first chunk and one past the last, each (n_stretches,).

        ``text``: one of `focused.method.page.own_text.TEXTS`. Only those of the sections overlap: their words count several
        times.
        """
        if text == SECTIONS:
            return self._sections
        if text == OWN and self._own_chunks is not None:
            return stretches_of(self._own_chunks)
        return np.array([0]), np.array([len(self.chunk_start) - 1])

    @cached_property
    def linked_chunks(self) -> Flags:
        """Flags of the chunks that stand in link elements; shape (n_chunks,), without the one that follows the text."""
        return chunks_inside(self.outline, self.outline.link_nodes)

    @cached_property
    def _own_chunks(self) -> Flags | None:
        return own_chunks(self.outline, self.chunk_start, self.linked_chunks)

    @cached_property
    def _sections(self) -> tuple[Integers, Integers]:
        return weighted_stretches(self.outline, self.chunk_start)

    def judged_terms(self, text: str) -> npt.NDArray[np.int32]:
        """Return the terms that the page is judged by; ``text`` as of `stretches`."""
        if text == OWN and (own := self._own_chunks) is not None:
            return self.terms[own.repeat(self.chunk_start[1:] - self.chunk_start[:-1])]
        if text != SECTIONS:
            return self.terms
        first, last = self.stretches(text)
        pieces = zip(self.chunk_start[first].tolist(), self.chunk_start[last].tolist(), strict=True)
        return np.concatenate([self.terms[start:stop] for start, stop in pieces])

    @property
    def n_blocks(self) -> int:
        """Number of content blocks."""
        return len(self.blocks.nodes)

    def stretch(self, node: int) -> tuple[int, int]:
        """Return the positions of the text of a node's subtree: first, one past the last."""
        first, last = self.outline.first_chunk[node], self.outline.last_chunk[node]
        return int(self.chunk_start[first]), int(self.chunk_start[last])

    @property
    def marks(self) -> dict[str, list[tuple[int, int]]]:
        """Stretches of the stream with a special role: ``title``, ``keywords``, ``heading``, ``anchor``."""
        title_end, keywords_end = self.chunk_start[1:3].tolist()
        return {
            "title": [(0, title_end)],
            "keywords": [(title_end, keywords_end)],
            "heading": [self.stretch(node) for node in self.outline.headings],
            "anchor": [self.stretch(node) for node in self.outline.link_nodes],
        }

    @cached_property
    def text(self) -> str:
        """The visible text of the body, one line for each piece of a content block."""
        chunks = self.marked_text.chunks
        # Chunks without a word are in no block; here they stay with the chunk before them.
        ends = [*(first for first, _, _ in self.blocks.segments[1:]), len(chunks)]
        lines = (" ".join(" ".join(chunks[first:last]).split()) for first, last in zip([2, *ends], ends, strict=False))
        return "\n".join(line for line in lines if line)

    @cached_property
    def lines(self) -> Lines:
        """The lines of the body, with what each is made of."""
        return lines_of(self.outline, self.marked_text.chunks, self.linked_chunks)

    @cached_property
    def in_anchor(self) -> bytearray:
        """For each chunk 1 if it stands in a link element (whatever its target), else 0."""
        inside = bytearray(len(self.marked_text.chunks))
        done = 0
        for node in self.outline.link_nodes.tolist():
            # Links that are not closed are nested, thousands of them on some pages: set no chunk twice.
            first, last = max(int(self.outline.first_chunk[node]), done), int(self.outline.last_chunk[node])
            if last > first:
                inside[first:last] = b"\1" * (last - first)
                done = last
        return inside

    def block_text(self, block: int) -> str:
        """Return the text of a content block, white space folded."""
        chunks = self.marked_text.chunks
        pieces = (chunks[first:last] for first, last, number in self.blocks.segments if number == block)
        return " ".join(" ".join(chunk for piece in pieces for chunk in piece).split())

    def aggregation_node(self, anchor: int) -> int:
        """Return the parent of a link element: the text of its subtree is the link context [P13, Sect. 3.2]."""
        return max(int(self.outline.parent[self.anchors[anchor]]), 0)

    @cached_property
    def _nofollow_nodes(self) -> frozenset[int]:
        return frozenset(self.outline.link_nodes[list(self.marked_text.nofollow_links)].tolist())

    def is_nofollow(self, link: Link) -> bool:
        """Tell whether the page asks not to follow a link, at every place where the link stands."""
        if not self.marked_text.nofollow_links:
            return self.marked_text.nofollow
        nodes = self._nofollow_nodes
        return self.marked_text.nofollow or all(self.anchors[anchor] in nodes for anchor in link.anchors)

    def anchor_text(self, anchor: int) -> str:
        """Return the text of a link element, or its label if it has no text."""
        node = self.anchors[anchor]
        first, last = int(self.outline.first_chunk[node]), int(self.outline.last_chunk[node])
        return " ".join(self.marked_text.between(first, last).split())

    def __getstate__(self) -> dict[str, Any]:
        """Refuse pickling: in another process the term ids would mean other terms."""
        raise TypeError("A Page cannot be pickled: its term ids belong to this process. Pickle its body instead.")
