"""The elements that are open during the walk: the parser's events become texts and marks in one list."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from focused.method.page.furniture_names import names_furniture
from focused.method.page.marked_text import NODE, PHRASE_NODE, MarkedText
from focused.method.page.page_notes import PageNotes, holds_no_text
from focused.method.page.parser_feed import PageIsFullError
from focused.method.page.tags import (
    EMPHASIS,
    FURNITURE_START,
    LINK_START,
    NODE_END,
    end_marks,
    is_hidden,
    label_of,
    may_be_furniture,
    note_link,
    start_marks,
)
from focused.method.text.analyzer import mark

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NODE, _PHRASE_NODE = mark(NODE), mark(PHRASE_NODE)
_BLANKS = frozenset(("", " ", "\t", "\n", "\r", "\f", "\xa0"))


class OpenPage:
    """Takes the parser's start, end and data events of one page after the other.

    These run for each tag of a page, so they do as little as possible: texts and marks go into one list, and
    :mod:`focused.method.page.outline` interprets the marks for all nodes at once. What few tags need, `PageNotes` does.
    Parameters as of :class:`Walker`; ``read_noframes`` is called with the raw text of each ``noframes``.
    """

    __slots__ = (
        "_anchors", "_emphasis", "_end_mark", "_furniture", "_hidden_depth", "_hidden_place", "_keeps_emphasis",
        "_max_elements", "_n_nodes", "_n_open", "_notes", "_phrases", "_pieces", "_read_noframes", "_start_mark",
        "_targets", "_unscripted", "data",
    )  # fmt: skip

    def __init__(
        self, block_tags: str, max_elements: int, read_noframes: Callable[[str], None], *, keeps_emphasis: bool
    ) -> None:
        self._max_elements, self._read_noframes, self._keeps_emphasis = max_elements, read_noframes, keeps_emphasis
        self._furniture = may_be_furniture(block_tags)
        self._start_mark, self._end_mark = start_marks(block_tags).get, end_marks().get
        self._pieces: list[str] = []  # texts and marks
        self._phrases: list[int] = []  # places of the innermost open phrase elements that hold no node yet
        self._anchors: list[Mapping[str, str]] = []  # attributes of the open ``a``
        self._emphasis: list[tuple[int, int, str]] = []  # places of emphasised pieces
        #: Takes a text as it stands.
        self.data = self._pieces.append
        self.begin()

    def begin(self) -> None:
        """Begin a page."""
        self._notes = PageNotes()
        self._targets = self._notes.marked_text.link_targets
        for each in (self._pieces, self._phrases, self._anchors, self._emphasis):
            each.clear()
        self._n_open = self._n_nodes = 0
        self._hidden_depth = 0  # of the outermost open element that is hidden; 0 if there is none
        self._hidden_place = 0
        #: In a ``noscript``: attributes of its links, and where their texts begin and end.
        self._unscripted: list[tuple[Mapping[str, str], int, int]] | None = None

    @property
    def depth(self) -> int:
        """Number of the open elements."""
        return self._n_open

    def finish(self) -> MarkedText:
        """Return the page as far as it has come."""
        if self._hidden_depth:
            del self._pieces[self._hidden_place :]
        return self._notes.finished(self._pieces, self._emphasis)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take the start of an element."""
        self._n_open += 1
        if self._hidden_depth:
            if self._unscripted is not None and tag == "a" and "href" in attributes:
                self._unscripted.append((attributes, len(self._pieces), -1))
            return
        if attributes and ("style" in attributes or "hidden" in attributes) and is_hidden(tag, attributes):
            self._hide()
            return
        text = self._start_mark(tag, _NODE)
        if text:
            if self._phrases:  # as `_start_node`, without a call: most elements take this way
                self._phrases_to_nodes()
            self._n_nodes += 1
            if self._n_nodes > self._max_elements:
                raise PageIsFullError
            self.data(text)
            if text is LINK_START:
                self._start_link(attributes)
            elif attributes:
                if text in self._furniture and names_furniture(attributes):
                    self._pieces[-1] = FURNITURE_START
                elif tag == "ol" and "start" in attributes:
                    self._notes.marked_text.list_starts[self._n_nodes - 1] = attributes["start"]
        elif text is None:
            self._start_special(tag, attributes)
        else:
            self._phrases.append(len(self._pieces))
            self.data("")

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        self._n_open -= 1
        if self._hidden_depth:
            if self._n_open < self._hidden_depth:
                self._end_hidden(tag)
            elif tag == "a" and self._unscripted and self._unscripted[-1][2] < 0:
                self._unscripted[-1] = (*self._unscripted[-1][:2], len(self._pieces))
            return
        text = self._end_mark(tag, NODE_END)
        if text:
            self.data(text)
        elif text is None:
            self._end_link()
        elif self._phrases:
            place = self._phrases.pop()
            if self._keeps_emphasis and tag in EMPHASIS:
                self._emphasis.append((place, len(self._pieces), EMPHASIS[tag]))
        else:
            self.data(NODE_END)  # the phrase element has become a node

    # --- What starts

    def _start_node(self, text: str) -> None:
        if self._phrases:
            self._phrases_to_nodes()
        self._n_nodes += 1
        if self._n_nodes > self._max_elements:
            raise PageIsFullError
        self.data(text)

    def _phrases_to_nodes(self) -> None:
        """Turn the open phrase elements into nodes, because a node begins inside them."""
        self._n_nodes += len(self._phrases)
        if self._n_nodes > self._max_elements:
            raise PageIsFullError
        for place in self._phrases:
            self._pieces[place] = _PHRASE_NODE
        self._phrases.clear()

    def _start_link(self, attributes: Mapping[str, str]) -> None:
        self._anchors.append(attributes)
        if "href" not in attributes:
            self._pieces[-1] = _PHRASE_NODE
            return
        self._targets.append(attributes["href"])
        if "rel" in attributes:
            note_link(self._notes.marked_text, attributes)

    def _start_special(self, tag: str, attributes: Mapping[str, str]) -> None:
        added = self._notes.special(tag, attributes, self._anchors[-1] if self._anchors else None)
        if added.start:
            self._start_node(added.start)
        elif added.start is not None:
            self._phrases.append(len(self._pieces))
            self.data("")
        if added.target is not None:
            self._targets.append(added.target)
        self._pieces.extend(added.pieces)
        if added.is_hidden:
            self._hide()
            if tag == "noscript" and not self._anchors:
                self._unscripted = []

    # --- What ends

    def _end_link(self) -> None:
        """End a link; one without text has its label."""
        attributes, pieces = self._anchors.pop(), self._pieces
        if len(attributes) > 1 and pieces[-1][-1:] in _BLANKS and holds_no_text(pieces) and "href" in attributes:
            self.data(label_of(attributes))
        self.data(NODE_END)

    def _hide(self) -> None:
        self._hidden_depth, self._hidden_place = self._n_open, len(self._pieces)

    def _end_hidden(self, tag: str) -> None:
        self._hidden_depth = 0
        text = self._notes.note_hidden(tag, islice(self._pieces, self._hidden_place, None))
        links, self._unscripted = self._unscripted or (), None
        found = [(each, "".join(self._pieces[first : stop if stop >= 0 else None])) for each, first, stop in links]
        del self._pieces[self._hidden_place :]
        if tag == "noframes":
            self._read_noframes(text)
        for attributes, link_text in found:
            self._add_unscripted(attributes, link_text)

    def _add_unscripted(self, attributes: Mapping[str, str], text: str) -> None:
        """Add a link of a ``noscript``: no script runs here, so the page may have no others. Its other text is a notice."""
        self._start_node(LINK_START)
        self._targets.append(attributes["href"])
        if "rel" in attributes:
            note_link(self._notes.marked_text, attributes)
        self._pieces.extend((label_of(attributes) if text.isspace() or not text else text, NODE_END))
