"""What the walk over a page finds: its text, with a mark wherever a node begins or ends, and what elements say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from focused.method.text.analyzer import mark

# The marks: of a node's end, of the ends of title and keywords, of the beginnings of nodes of each kind.
END, HEAD, NODE, BLOCK, HEADING, BODY, LINK = range(7)

_split_at_marks = re.compile(re.escape(mark(0)).replace("0\\ ", r"\d\ ")).split


@dataclass
class MarkedText:
    """A page's text and what its elements say beside it.

    A node is an element; phrase elements (``b``, ``span``, ...) that hold no node are part of their parent's text.
    A chunk is a run of text between two marks. Chunk 0 is the title, chunk 1 the keywords.
    """

    text: str = f"{mark(HEAD)}{mark(HEAD)}"
    #: Of each link node in document order, as written.
    link_targets: list[str] = field(default_factory=list)
    #: Which of those say ``rel=nofollow``.
    nofollow_links: set[int] = field(default_factory=set)
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
        return _split_at_marks(self.text)


def plain_text(text: str) -> MarkedText:
    """Return a page that is one text without links."""
    text = text.replace("\0", " ")
    return MarkedText(f"{mark(HEAD)}{mark(HEAD)}{mark(NODE)}{text}{mark(END)}")
