"""The one walk over a page: the parser's events become its text, with marks where nodes begin and end.

No tree is built. libxml2 repairs the HTML and calls back for every start tag, end tag and text, at any depth. Its tree would
stop at 2,048 levels, be quadratic in the attributes of an element, and need a second walk.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from lxml import etree

from focused.method.page.furniture_names import names_furniture
from focused.method.page.marked_text import NODE, PHRASE_NODE, MarkedText
from focused.method.page.page_notes import PageNotes, holds_no_text
from focused.method.page.parser_feed import PageIsFullError, feed
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

_MAX_NOFRAMES = 10  # of a page; each needs a parser of its own

_NODE, _PHRASE_NODE = mark(NODE), mark(PHRASE_NODE)
_BLANKS = frozenset(("", " ", "\t", "\n", "\r", "\f", "\xa0"))


class Walker:
    """Walks over pages, one after the other.

    ``block_tags``: which tags count for the height of a block. ``max_elements``: nodes of a page that are read, in document
    order. ``keeps_emphasis``: whether it is noted which texts are emphasised or code; Markdown needs it.
    """

    def __init__(self, block_tags: str, max_elements: int, *, keeps_emphasis: bool = False) -> None:
        self.begin, self.start, self.end, self.data, self.depth, self.finish = _callbacks(
            block_tags, max_elements, self._read_noframes, keeps_emphasis=keeps_emphasis
        )
        # One parser for all pages: making one takes longer than reading a small page.
        self._parser = self._new_parser()
        self._n_noframes = 0
        self._cuts: Counter[str] = Counter()

    def walk(self, body: bytes, cuts: Counter[str]) -> MarkedText:
        """Walk over a page once.

        ``body``: valid UTF-8. ``cuts``: counts of what is left out are added: ``elements`` 1 if the page has more than
        ``max_elements``, ``unparsed_bytes`` behind elements nested so deeply that they would hold up the parser,
        ``noframes`` beyond the tenth.
        """
        self.begin()
        self._n_noframes, self._cuts = 0, cuts
        try:
            self._feed(body, self._parser)
        except PageIsFullError:
            cuts["elements"] += 1
        marked_text: MarkedText = self.finish()
        return marked_text

    def close(self) -> None:
        """Do nothing at the end of a document; lxml requires the method."""

    def _new_parser(self) -> Any:
        return etree.HTMLParser(encoding="utf-8", target=self, huge_tree=True)

    def _feed(self, body: bytes, parser: Any) -> None:
        if n_left := feed(body, parser, self.depth):
            self._cuts["unparsed_bytes"] += n_left

    def _read_noframes(self, text: str) -> None:
        """Read what a frameset offers to browsers without frames; the parser gives it as one raw text."""
        self._n_noframes += 1
        if self._n_noframes > _MAX_NOFRAMES:
            self._cuts["noframes"] += 1
        else:
            self._feed(text.encode("utf-8", "replace"), self._new_parser())


def _callbacks(
    block_tags: str, max_elements: int, read_noframes: Callable[[str], None], *, keeps_emphasis: bool
) -> tuple[Callable[..., Any], ...]:
    """Return the functions that begin a page, take the parser's start, end and data events, and finish it.

    They run for each tag of a page, so they share local variables: as attributes of an object these took the walk 5 % longer.
    They also do as little as possible: texts and marks go into one list, and :mod:`focused.method.page.outline` interprets
    the marks for all nodes at once. What few tags need, `PageNotes` does.
    """
    pieces: list[str] = []  # texts and marks
    phrases: list[int] = []  # places of the innermost open phrase elements that hold no node yet
    anchors: list[Mapping[str, str]] = []  # attributes of the open ``a``
    emphasis: list[tuple[int, int, str]] = []  # places of emphasised pieces
    n_open = n_nodes = 0
    hidden_depth = 0  # of the outermost open element that is hidden; 0 if there is none
    hidden_place = 0
    notes: PageNotes
    targets: list[str]
    furniture = may_be_furniture(block_tags)
    add, start_mark, end_mark = pieces.append, start_marks(block_tags).get, end_marks().get

    def begin() -> None:
        nonlocal notes, targets, n_open, n_nodes, hidden_depth
        notes = PageNotes()
        targets = notes.marked_text.link_targets
        for each in (pieces, phrases, anchors, emphasis):
            each.clear()
        n_open = n_nodes = hidden_depth = 0

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal n_open, n_nodes
        n_open += 1
        if hidden_depth:
            return
        if attributes and ("style" in attributes or "hidden" in attributes) and is_hidden(tag, attributes):
            hide()
            return
        text = start_mark(tag, _NODE)
        if text:  # as start_node, without a call: most elements take this way
            if phrases:
                phrases_to_nodes()
            n_nodes += 1
            if n_nodes > max_elements:
                raise PageIsFullError
            add(text)
            if text is LINK_START:
                anchors.append(attributes)
                if "href" not in attributes:
                    pieces[-1] = _PHRASE_NODE
                    return
                targets.append(attributes["href"])
                if "rel" in attributes:
                    note_link(notes.marked_text, attributes)
            elif attributes:
                if text in furniture and names_furniture(attributes):
                    pieces[-1] = FURNITURE_START
                elif tag == "ol" and "start" in attributes:
                    notes.marked_text.list_starts[n_nodes - 1] = attributes["start"]
        elif text is None:
            start_special(tag, attributes)
        else:
            phrases.append(len(pieces))
            add("")

    def start_node(text: str) -> None:
        nonlocal n_nodes
        if phrases:
            phrases_to_nodes()
        n_nodes += 1
        if n_nodes > max_elements:
            raise PageIsFullError
        add(text)

    def phrases_to_nodes() -> None:
        """Turn the open phrase elements into nodes, because a node begins inside them."""
        nonlocal n_nodes
        n_nodes += len(phrases)
        if n_nodes > max_elements:
            raise PageIsFullError
        for place in phrases:
            pieces[place] = _PHRASE_NODE
        phrases.clear()

    def start_special(tag: str, attributes: Mapping[str, str]) -> None:
        added = notes.special(tag, attributes, anchors[-1] if anchors else None)
        if added.start:
            start_node(added.start)
        elif added.start is not None:
            phrases.append(len(pieces))
            add("")
        if added.target is not None:
            targets.append(added.target)
        pieces.extend(added.pieces)
        if added.is_hidden:
            hide()

    def stop(tag: str) -> None:
        nonlocal n_open
        n_open -= 1
        if hidden_depth:
            if n_open < hidden_depth:
                end_hidden(tag)
            return
        text = end_mark(tag, NODE_END)
        if text:
            add(text)
        elif text is None:
            attributes = anchors.pop()
            if len(attributes) > 1 and pieces[-1][-1:] in _BLANKS and holds_no_text(pieces) and "href" in attributes:
                add(label_of(attributes))
            add(NODE_END)
        elif phrases:
            place = phrases.pop()
            if keeps_emphasis and tag in EMPHASIS:
                emphasis.append((place, len(pieces), EMPHASIS[tag]))
        else:
            add(NODE_END)  # the phrase element has become a node

    def hide() -> None:
        nonlocal hidden_depth, hidden_place
        hidden_depth, hidden_place = n_open, len(pieces)

    def end_hidden(tag: str) -> None:
        nonlocal hidden_depth
        hidden_depth = 0
        text = notes.note_hidden(tag, islice(pieces, hidden_place, None))
        del pieces[hidden_place:]
        if tag == "noframes":
            read_noframes(text)

    def depth() -> int:
        return n_open

    def finish() -> MarkedText:
        if hidden_depth:
            del pieces[hidden_place:]
        return notes.finished(pieces, emphasis)

    return begin, start, stop, add, depth, finish
