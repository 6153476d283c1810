"""The result of the walk over a page: its text, with a mark wherever a node begins or ends, and its attributes."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from focused.method.page.claims import Claims
from focused.method.page.robots_directives import of_metas
from focused.method.text.analyzer import MARK_CHAR, MARK_DIGITS, N_MARKS, mark

# The marks: the end of a node, the end of the title and of the keywords, the start of a node of each kind. A phrase is a
# phrase element that holds a node; furniture is an element whose attributes say that it is a menu or the like.
END, HEAD, NODE, BLOCK, PHRASE_NODE, BODY, LINK, FURNITURE = range(8)
TAG_KINDS = {
    tag: kind
    for kind, tag in enumerate(
        (
            *("h1", "h2", "h3", "h4", "h5", "h6", "nav", "aside", "header", "footer", "main", "article"),
            *("p", "li", "ul", "ol", "dl", "dt", "dd", "table", "tr", "th", "td", "pre", "blockquote"),
        ),
        FURNITURE + 1,
    )
}
"""Tags whose nodes have a kind of their own: main text and Markdown need them."""
HEADINGS = range(TAG_KINDS["h1"], TAG_KINDS["h6"] + 1)
assert max(TAG_KINDS.values()) < N_MARKS

_MARK_CHARS = len(mark(0))
_split_at_marks = re.compile(re.escape(mark(0)).replace("0\\ ", rf"[{MARK_DIGITS}]\ ")).split


@dataclass
class MarkedText:
    """A page's text with marks, and what the attributes of its elements say.

    A node is an element; phrase elements (``b``, ``span``, ...) that hold no node are part of their parent's text.
    A chunk is a run of text between two marks. Chunk 0 is the title, chunk 1 the keywords.
    """

    text: str = f"{mark(HEAD)}{mark(HEAD)}"
    #: Target of each link node in document order, as written.
    link_targets: list[str] = field(default_factory=list)
    #: Indices of the targets whose link says ``rel=nofollow``.
    nofollow_links: set[int] = field(default_factory=set)
    #: The number of the first item of a numbered list, as written, if it is not 1; by the list's node.
    list_starts: dict[int, str] = field(default_factory=dict)
    title: str = ""
    #: ``href`` of the first ``<base>``, as written.
    base: str = ""
    #: Target of ``<meta http-equiv=refresh>``, as written.
    refresh: str = ""
    #: Targets of ``<link rel=next>`` and ``<link rel=prev>``, as written.
    series: list[str] = field(default_factory=list)
    #: Name, in small letters, and content of each ``<meta>`` that may be meant for robots.
    robots: list[tuple[str, str]] = field(default_factory=list)

    #: Where emphasised texts begin and end in the text, and their kinds: ``strong``, ``em`` or ``code``; noted if the walker
    #: is told to. Each lies in one chunk: elements that hold a node are left out. They may lie within each other.
    emphasis: list[tuple[int, int, str]] = field(default_factory=list)
    #: Targets, as written, of ``<link rel=alternate>`` to feeds.
    feeds: list[str] = field(default_factory=list)
    #: What the page says of itself.
    claims: Claims = field(default_factory=Claims)

    @cached_property
    def nofollow(self) -> bool:
        """Whether ``<meta name=robots>`` asks not to follow the page's links."""
        return of_metas(self.robots).nofollow

    @cached_property
    def chunks(self) -> list[str]:
        """The chunks, with the white space of the source."""
        return _split_at_marks(self.text)

    def emphasis_of_chunks(self) -> dict[int, list[tuple[int, int, str]]]:
        """Return what is emphasised in each chunk that holds some: begin and end in the chunk, and the kind."""
        starts = list(accumulate((len(chunk) + _MARK_CHARS for chunk in self.chunks), initial=0))
        found: dict[int, list[tuple[int, int, str]]] = {}
        for first, stop, kind in self.emphasis:
            chunk = bisect_right(starts, first) - 1
            if first < stop <= starts[chunk + 1] - _MARK_CHARS:
                found.setdefault(chunk, []).append((first - starts[chunk], stop - starts[chunk], kind))
        return found

    def joined(self, first: int, last: int) -> str:
        """Return the text of a line: neighbouring chunks that no edge of a block divides, white space folded."""
        return " ".join("".join(self.chunks[first:last]).split())

    def between(self, first: int, last: int) -> str:
        """Return some of the chunks as one text: for a few of them not all need to be cut apart."""
        marks = self._marks
        if first >= last or first > len(marks):
            return ""
        start = int(marks[first - 1]) + _MARK_CHARS if first else 0
        return " ".join(_split_at_marks(self.text[start : int(marks[last - 1]) if last <= len(marks) else None]))

    @cached_property
    def _marks(self) -> npt.NDArray[np.int64]:
        """Where the marks begin in the text."""
        characters = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        places: npt.NDArray[np.int64] = (characters == ord(MARK_CHAR)).nonzero()[0]
        return places - mark(0).index(MARK_CHAR)


def plain_text(text: str) -> MarkedText:
    """Return a page that is one text without links."""
    text = text.replace("\0", " ")
    return MarkedText(f"{mark(HEAD)}{mark(HEAD)}{mark(NODE)}{text}{mark(END)}")
