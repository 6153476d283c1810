"""How the walk over a page treats each tag, and what the attributes of an element say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from focused.method.page.marked_text import BLOCK, BODY, END, FURNITURE, LINK, TAG_KINDS
from focused.method.page.robots_directives import note_meta
from focused.method.text.analyzer import N_MARKS, mark

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from focused.method.page.marked_text import MarkedText

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

HEAD_TAGS = frozenset({"base", "meta", "link"})
INVISIBLE_TAGS = frozenset({"script", "style", "template", "noscript", "noembed", "textarea"})
RAW_TEXT_TAGS = frozenset({"title", "noframes"})
LEAF_LINK_TAGS = frozenset({"area", "frame", "iframe"})
EMPHASIS = {
    **dict.fromkeys(("b", "strong"), "strong"),
    **dict.fromkeys(("i", "em", "cite", "dfn", "var"), "em"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
}
"""Phrase tags that Markdown has a mark for, and its kind."""
NOTED_TAGS = frozenset({"html", "time", "option"})

# What the start of a tag adds to the text: a mark, nothing (phrase elements), or None: the walk decides.
PHRASE, SPECIAL = "", None
LINK_START, NODE_END, FURNITURE_START = mark(LINK), mark(END), mark(FURNITURE)

FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml"})
_MAX_FEEDS = 10  # of a page
_SERIES_RELS = frozenset({"next", "prev", "previous"})
NOTED_RELS = frozenset({"canonical", "license", "author"})
"""Relations of links that say something of the page itself."""

# Of menus that take their reader to another page (``onchange="location=this.value"``).
_is_path = re.compile(
    r"(?:https?://|/|\.{1,2}/|\?)\S+|[\w~-][\w./~-]*\.(?:[sx]?html?|php\d?|aspx?|jsp|cgi)(?:[?#]\S*)?", re.IGNORECASE
).fullmatch
_REFRESH_PREFIX = re.compile(r"url\s*=\s*", re.IGNORECASE).match
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE).search


def start_marks(block_tags: str) -> dict[str, str | None]:
    """Return what the start of each tag adds to the text, for one of the ``BLOCK_TAG_SETS``; any other tag starts a node."""
    marks: dict[str, str | None] = dict.fromkeys(_PHRASE_TAGS, PHRASE)
    marks.update(dict.fromkeys(BLOCK_TAG_SETS[block_tags], mark(BLOCK)))
    marks.update((tag, mark(kind)) for tag, kind in TAG_KINDS.items())
    marks["body"] = mark(BODY)
    marks["a"] = LINK_START
    marks.update(dict.fromkeys((*_VOID_TAGS, *INVISIBLE_TAGS, *RAW_TEXT_TAGS, *LEAF_LINK_TAGS, *NOTED_TAGS), SPECIAL))
    return marks


def block_kinds(block_tags: str) -> npt.NDArray[np.bool_]:
    """Return which kinds of nodes are content block tags, for one of the ``BLOCK_TAG_SETS``; shape (N_MARKS,)."""
    found = np.zeros(N_MARKS, dtype=np.bool_)
    found[[BLOCK, FURNITURE]] = True
    found[[kind for tag, kind in TAG_KINDS.items() if tag in BLOCK_TAG_SETS[block_tags]]] = True
    return found


def may_be_furniture(block_tags: str) -> frozenset[str]:
    """Return the marks of the blocks whose attributes may say that they are a menu or the like."""
    tags = BLOCK_TAG_SETS[block_tags] - {*_HEADING_TAGS, "main", "article", "li", "tr", "th", "dt", "dd"}
    return frozenset(mark(TAG_KINDS.get(tag, BLOCK)) for tag in tags)


def end_marks() -> dict[str, str | None]:
    """Return what the end of each tag adds to the text; any other tag ends a node."""
    marks: dict[str, str | None] = dict.fromkeys(_PHRASE_TAGS, PHRASE)
    marks.update(dict.fromkeys(_VOID_TAGS, " "))
    marks["a"] = SPECIAL
    return marks


def is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    """Tell whether an element with the attribute ``hidden`` or ``style`` is invisible."""
    if tag in ("body", "html"):  # pages hide themselves until their scripts have run
        return False
    return "hidden" in attributes or _HIDING_STYLE(attributes["style"]) is not None


def label_of(attributes: Mapping[str, str], *more: str) -> str:
    """Return the label of a link without text."""
    for name in ("alt", "title", "aria-label", *more):
        label = attributes.get(name)
        if label and not label.isspace():
            return label
    return ""


def target_of_option(attributes: Mapping[str, str]) -> str | None:
    """Return where choosing an ``<option>`` leads, if its value can be nothing else than a path or a URL.

    >>> target_of_option({"value": "stars/7.html"}), target_of_option({"value": "Europe/Berlin"}), target_of_option({})
    ('stars/7.html', None, None)
    """
    value = attributes.get("value", "").strip()
    return value if _is_path(value) else None


def note_about_page(marked_text: MarkedText, tag: str, attributes: Mapping[str, str], keywords: list[str]) -> None:
    """Note what ``<base>``, ``<meta>`` or ``<link>`` says about the page."""
    if tag == "link":
        words = attributes.get("rel", "").lower().split()
        if "href" not in attributes:
            return
        if "alternate" in words:
            if attributes.get("type", "").lower() in FEED_TYPES and len(marked_text.feeds) < _MAX_FEEDS:
                marked_text.feeds.append(attributes["href"])
            return
        if not _SERIES_RELS.isdisjoint(words) and len(marked_text.series) < _MAX_FEEDS:
            marked_text.series.append(attributes["href"])
        for word in NOTED_RELS.intersection(words):
            marked_text.claims.add(word, attributes["href"])
        return
    if tag == "base":
        marked_text.base = marked_text.base or attributes.get("href", "").strip()
        return
    name = (attributes.get("name") or attributes.get("http-equiv") or "").strip().lower()
    content = attributes.get("content", "")
    for each in (name, attributes.get("property", ""), attributes.get("itemprop", "")):
        if each and content:
            marked_text.claims.add(each, content)
    if name == "keywords":
        keywords.append(content)
    elif name == "refresh":
        marked_text.refresh = marked_text.refresh or refresh_target(content)
    else:
        note_meta(marked_text.robots, name, content)


def note_link(marked_text: MarkedText, attributes: Mapping[str, str]) -> None:
    """Note what the ``rel`` of the link that was added last says."""
    words = attributes["rel"].lower()
    number = len(marked_text.link_targets) - 1
    if "nofollow" in words:
        marked_text.nofollow_links.add(number)
    if "license" in words.split():
        marked_text.claims.add("license", attributes["href"])
    if "author" in words.split() and marked_text.claims.author_link < 0:
        marked_text.claims.author_link = number


def refresh_target(content: str) -> str:
    """Return the target in the content of a meta refresh, spelt in any way that browsers accept.

    >>> refresh_target("5; URL='next.html'"), refresh_target("0,next.html"), refresh_target("300")
    ('next.html', 'next.html', '')
    """
    content = content.strip()
    target = content.lstrip("0123456789.")
    if target == content or not target.startswith((";", ",", " ", "\t", "\n")):
        return ""
    target = target.lstrip().lstrip(";,").lstrip()
    if prefix := _REFRESH_PREFIX(target):
        target = target[prefix.end() :]
    if target.startswith(("'", '"')):
        target = target[1:].partition(target[0])[0]
    return target.strip()
