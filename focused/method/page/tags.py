"""How the walk over a page treats each tag."""

from __future__ import annotations

from focused.method.page.marked_text import BLOCK, BODY, END, HEADING, LINK
from focused.method.text.analyzer import mark

# P13 lists H1-H6, P, ADDRESS, CENTER, (one tag is lost in print), DT, TABLE, TH, TR, TD. DIV is taken as the lost one.
PAPER_BLOCK_TAGS = frozenset("h1 h2 h3 h4 h5 h6 p address center div dt table th tr td".split())
# The elements that structure pages today (D3).
MODERN_BLOCK_TAGS = PAPER_BLOCK_TAGS | frozenset(
    "section article nav aside main header footer ul ol li dl dd blockquote figure form".split()
)
BLOCK_TAG_SETS = {"modern": MODERN_BLOCK_TAGS, "paper": PAPER_BLOCK_TAGS}

# Phrase elements: they do not interrupt a word or a line of text. They are nodes only if they hold a node (D4).
_PHRASE_TAGS = (
    "abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd label mark nobr q s samp "
    "small span strike strong sub sup time tt u var wbr head"
).split()
_HEADING_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_VOID_TAGS = ("br", "hr", "img", "input", "base", "meta", "link")

INVISIBLE_TAGS = frozenset({"script", "style", "template", "noscript", "noembed", "textarea"})
RAW_TEXT_TAGS = frozenset({"title", "noframes"})
LEAF_LINK_TAGS = frozenset({"area", "frame", "iframe"})

# What the start of a tag adds to the text: a mark, nothing (phrase elements), or None: the walk decides.
PHRASE, SPECIAL = "", None
LINK_START, NODE_END = mark(LINK), mark(END)


def start_marks(block_tags: str) -> dict[str, str | None]:
    """Return what the start of each tag adds to the text, for one of the ``BLOCK_TAG_SETS``; any other tag starts a node."""
    marks: dict[str, str | None] = dict.fromkeys(_PHRASE_TAGS, PHRASE)
    marks.update(dict.fromkeys(BLOCK_TAG_SETS[block_tags], mark(BLOCK)))
    marks.update(dict.fromkeys(_HEADING_TAGS, mark(HEADING)))
    marks["body"] = mark(BODY)
    marks["a"] = LINK_START
    marks.update(dict.fromkeys((*_VOID_TAGS, *INVISIBLE_TAGS, *RAW_TEXT_TAGS, *LEAF_LINK_TAGS), SPECIAL))
    return marks


def end_marks() -> dict[str, str | None]:
    """Return what the end of each tag adds to the text; any other tag ends a node."""
    marks: dict[str, str | None] = dict.fromkeys(_PHRASE_TAGS, PHRASE)
    marks.update(dict.fromkeys(_VOID_TAGS, " "))
    marks["a"] = SPECIAL
    return marks
