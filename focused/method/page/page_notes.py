"""What a page's tags say besides its text (title, keywords, claims), and what special tags add to the text."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from focused.method.page.marked_text import HEAD, NODE, MarkedText
from focused.method.page.tags import (
    HEAD_TAGS,
    INVISIBLE_TAGS,
    LEAF_LINK_TAGS,
    LINK_START,
    NODE_END,
    PHRASE,
    RAW_TEXT_TAGS,
    label_of,
    note_about_page,
    target_of_option,
)
from focused.method.text.analyzer import MARK_CHAR, mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_NODE, _HEAD = mark(NODE), mark(HEAD)


class AddedText(NamedTuple):
    """What the start of a special tag adds to the text of a page."""

    start: str | None
    """The mark of a node that starts, `PHRASE` for a phrase element, None for neither."""
    pieces: tuple[str, ...] = ()
    """Texts and marks that follow."""
    target: str | None = None
    """Of a link node: what it leads to, as written."""
    is_hidden: bool = False
    """Whether the content of the element is no text of the page."""


# The usual ones are made once.
_SPACE, _RAW_TEXT = AddedText(None, (" ",)), AddedText(None, (" ",), is_hidden=True)
_HIDDEN, _PHRASE, _PLAIN_NODE = AddedText(None, is_hidden=True), AddedText(PHRASE), AddedText(_NODE)


class PageNotes:
    """Notes what the tags of a page say, and makes its `MarkedText`."""

    def __init__(self) -> None:
        self.marked_text = MarkedText()
        self._titles: list[str] = []
        self._keywords: list[str] = []
        self._is_json = False  # whether the hidden element is a script of JSON-LD

    def special(self, tag: str, attributes: Mapping[str, str], link: Mapping[str, str] | None) -> AddedText:
        """Note what a tag says for which the walk has no mark, and return what it adds to the text.

        ``link``: attributes of the innermost open ``a``.
        """
        if tag in INVISIBLE_TAGS:
            self._is_json = tag == "script" and attributes.get("type", "").strip().lower() == "application/ld+json"
            return _HIDDEN
        if tag == "time":
            if "datetime" in attributes:
                name = "time pubdate" if "pubdate" in attributes else attributes.get("itemprop") or "time"
                self.marked_text.claims.add(name, attributes["datetime"])
            return _PHRASE
        if tag == "html":
            self.marked_text.claims.add("html lang", attributes.get("lang", ""))
            return _PLAIN_NODE
        if tag == "option":
            target = target_of_option(attributes)
            return _PLAIN_NODE if target is None else AddedText(LINK_START, target=target)
        if tag in LEAF_LINK_TAGS:
            return _leaf_link(tag, attributes)
        if tag == "img" and link and "href" in link and (label := attributes.get("alt")):
            return AddedText(None, (" ", f"{label} "))
        if tag in HEAD_TAGS:
            note_about_page(self.marked_text, tag, attributes, self._keywords)
        return _RAW_TEXT if tag in RAW_TEXT_TAGS else _SPACE

    def note_hidden(self, tag: str, pieces: Iterable[str]) -> str:
        """Note what the text of a hidden element says, whose end tag came; return it of tags whose text is raw."""
        if not self._is_json and tag not in RAW_TEXT_TAGS:
            return ""
        text = "".join(pieces)
        if self._is_json:
            self._is_json = False
            self.marked_text.claims.add_script(text)
        if tag == "title" and not self._titles:
            self._titles.append(text)
        return text

    def finished(self, pieces: Sequence[str], emphasis: list[tuple[int, int, str]]) -> MarkedText:
        """Return the page; ``emphasis``: first piece, piece behind the last, and kind of each emphasised text."""
        marked_text = self.marked_text
        marked_text.title = " ".join("".join(self._titles).split())
        head = f"{marked_text.title}{_HEAD}{' '.join(self._keywords)}{_HEAD}"
        marked_text.text = f"{head}{''.join(pieces)}"
        if emphasis:
            at = list(accumulate(map(len, pieces), initial=len(head)))
            last = len(pieces)  # a text that became hidden later is gone
            marked_text.emphasis = [(at[first], at[stop], kind) for first, stop, kind in emphasis if stop <= last]
        return marked_text


def holds_no_text(pieces: Sequence[str]) -> bool:
    """Tell whether the innermost open link, whose mark is the last of its kind, holds no text."""
    for piece in reversed(pieces):
        if piece is LINK_START:
            return True
        if piece and not piece.isspace() and MARK_CHAR not in piece:
            return False
    return True


def _leaf_link(tag: str, attributes: Mapping[str, str]) -> AddedText:
    """Return a link whose text is its label; its content is for browsers without frames."""
    source = attributes.get("href" if tag == "area" else "src")
    if source is None:
        return AddedText(_NODE, (NODE_END,), is_hidden=True)
    return AddedText(LINK_START, (label_of(attributes, "name"), NODE_END), target=source, is_hidden=True)
