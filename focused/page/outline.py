"""A page as parallel lists: its nodes in document order, its text in chunks, its link elements."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

CHUNK_END = " \0 "
"""Stands between two chunks of ``Outline.text``; the parser lets no NUL through."""


@dataclass
class Outline:
    """The part of a page's element tree that matters, and all of its text.

    Nodes are elements in document order; node v's descendants are the nodes ``v + 1:end[v]``. Phrase elements
    (``b``, ``span``, ...) that hold no node are part of their parent's text. A chunk is a run of text between the
    tags of nodes; node v holds the chunks ``first_chunk[v]:last_chunk[v]``. Chunk 0 is the title, chunk 1 the
    keywords.
    """

    parent: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    #: Largest number of content block tags on any path down from the node, itself not counted [P13, Sect. 3.1].
    height: list[int] = field(default_factory=list)
    #: Link elements in the node's subtree, itself counted.
    n_links: list[int] = field(default_factory=list)
    first_chunk: list[int] = field(default_factory=list)
    last_chunk: list[int] = field(default_factory=list)
    #: For each element that links to something its node, and its target as written.
    link_nodes: list[int] = field(default_factory=list)
    link_targets: list[str] = field(default_factory=list)
    #: Links that say ``rel=nofollow``.
    nofollow_nodes: set[int] = field(default_factory=set)
    #: Nodes h1-h6.
    headings: list[int] = field(default_factory=list)
    #: All chunks, each but an empty last one ended by ``CHUNK_END``.
    text: str = CHUNK_END + CHUNK_END
    #: The node of ``body``, or of all that a page without a proper body holds; -1 where there is no node.
    root: int = -1
    title: str = ""
    #: ``href`` of the first ``<base>``, as written.
    base: str = ""
    #: Target of ``<meta http-equiv=refresh>``, as written.
    refresh: str = ""
    #: Whether ``<meta name=robots>`` asks that no link be followed.
    nofollow: bool = False

    @cached_property
    def chunks(self) -> list[str]:
        """The chunks, white space as in the source."""
        return self.text.split(CHUNK_END)
