"""The one walk over a page: from the parser's events straight to an :class:`~focused.page.outline.Outline`.

No tree is built. libxml2 repairs the HTML and calls back for every start tag, end tag and text, as deep as the page
goes; its tree would stop at 2,048 levels, be quadratic in the attributes of an element, and have to be walked again.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate, compress
from typing import TYPE_CHECKING, Any

from lxml import etree

from focused.page.feed import PageIsFullError, feed
from focused.page.outline import CHUNK_END, Outline
from focused.page.tags import BLOCK, INVISIBLE, LEAF_LINK_TAGS, NODE, RAW_TEXT_TAGS, WITHOUT_NODE, tag_codes
from focused.text.analyzer import BOUNDARY_CHAR

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MAX_NOFRAMES = 10  # of a page; each takes a parser of its own

_REFRESH_PREFIX = re.compile(r"url\s*=\s*", re.IGNORECASE).match
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE).search


class Walker:
    """Walks over pages, one after the other.

    Parameters
    ----------
    block_tags : {"modern", "paper"}
        Which tags count for the height of a block.
    max_elements : int
        Nodes of a page that are looked at, in document order.
    """

    def __init__(self, block_tags: str = "modern", max_elements: int = 100_000) -> None:
        self.begin, self.start, self.end, self.data, self.depth, self.finish = _callbacks(
            tag_codes(block_tags), max_elements, self._read_noframes
        )
        # One parser for all pages: making one takes longer than reading a small page.
        self._parser = self._new_parser()
        self._n_noframes = 0
        self._cuts: Counter[str] = Counter()

    def walk(self, body: bytes, cuts: Counter[str]) -> Outline:
        """Walk over a page once.

        Parameters
        ----------
        body : bytes
            Valid UTF-8.
        cuts : Counter
            What is left out is added: ``elements`` 1 if the page holds more than are looked at, ``bytes`` of a page
            that would hold up the parser, ``noframes`` of a page that has dozens.
        """
        self.begin()
        self._n_noframes, self._cuts = 0, cuts
        try:
            self._feed(body, self._parser)
        except PageIsFullError:
            cuts["elements"] += 1
        outline: Outline = self.finish()
        return outline

    def close(self) -> None:
        """End of a document; the parser wants to call something."""

    def _new_parser(self) -> Any:
        return etree.HTMLParser(encoding="utf-8", target=self, huge_tree=True)

    def _feed(self, body: bytes, parser: Any) -> None:
        if n_left := feed(body, parser, self.depth):
            self._cuts["bytes"] += n_left

    def _read_noframes(self, text: str) -> None:
        """Read what a frameset offers to readers without frames; to the parser it is one raw text."""
        self._n_noframes += 1
        if self._n_noframes > _MAX_NOFRAMES:
            self._cuts["noframes"] += 1
        else:
            self._feed(text.encode("utf-8", "replace"), self._new_parser())


def _callbacks(
    codes: Mapping[str, int], max_elements: int, read_noframes: Callable[[str], None]
) -> tuple[Callable[..., Any], ...]:
    """Return the functions that begin a page, take the parser's start, end and data events, and finish it.

    They share local variables instead of an object's attributes: they run several times per element, and looking
    attributes up would cost a third of the walk. For the same reason they do as little as they can: text goes straight
    into a list, every start and end of a node leaves a mark between the texts, and ``finish`` makes chunks, heights
    and counts of that for all nodes at once.
    """
    pieces: list[str] = []  # of text, with a mark wherever a node starts or ends
    parent: list[int]
    end: list[int]
    is_block: list[int]
    first_mark: list[int]  # marks before a node's text
    last_mark: list[int]  # marks up to the end of its text
    link_nodes: list[int]
    link_targets: list[str]
    outline: Outline
    titles: list[str]
    keywords: list[str]
    # Open elements: a node, or for a phrase element that holds no node so far -1 minus its place in the pieces.
    open_elements: list[int]
    outer_links: list[tuple[int, int, Mapping[str, str]]]  # open links around the innermost one
    bodies: list[int]
    current: int  # the innermost open node
    link_node: int  # the innermost open link, -1 if there is none; its place in the pieces, its attributes
    link_place: int
    link_attributes: Mapping[str, str]
    n_nodes: int
    n_marks: int
    n_phrases: int  # open phrase elements that are no nodes: the innermost open elements
    n_hidden: int  # open elements from an invisible one on
    hidden_from = 0  # its place in the pieces
    add, code_of = pieces.append, codes.get

    def begin() -> None:
        nonlocal outline, parent, end, is_block, first_mark, last_mark, link_nodes, link_targets, titles, keywords
        nonlocal open_elements, outer_links, bodies, current, link_node, n_nodes, n_marks, n_phrases, n_hidden
        outline = Outline()
        parent, end, link_nodes, link_targets = outline.parent, outline.end, outline.link_nodes, outline.link_targets
        pieces.clear()
        is_block, first_mark, last_mark = [], [], []
        titles, keywords, open_elements, outer_links, bodies = [], [], [], [], []
        current, link_node, n_nodes, n_marks, n_phrases, n_hidden = -1, -1, 0, 0, 0, 0

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal current, n_hidden, n_marks, n_nodes, n_phrases, hidden_from, link_node, link_place, link_attributes
        if n_hidden:
            n_hidden += 1
            return
        code = code_of(tag, NODE)
        if attributes and ("style" in attributes or "hidden" in attributes) and _is_hidden(tag, attributes):
            code = INVISIBLE
        if code < NODE:
            if code == INVISIBLE:
                n_hidden = 1
                hidden_from = len(pieces)
                return
            if code == WITHOUT_NODE:
                add(" ")
                if tag == "img":
                    if link_node >= 0 and (label := attributes.get("alt")):
                        add(f"{label} ")
                elif tag == "meta" or tag == "base":
                    _describe(outline, tag, attributes, keywords)
            open_elements.append(-1 - len(pieces))
            n_phrases += 1
            return
        if n_phrases:
            phrases_to_nodes()
        node = n_nodes
        if node >= max_elements:
            raise PageIsFullError
        add(CHUNK_END)
        n_marks += 1
        n_nodes += 1
        parent.append(current)
        end.append(0)
        is_block.append(code & BLOCK)
        first_mark.append(n_marks)
        last_mark.append(0)
        if code > BLOCK:
            if tag == "a":
                if (target := attributes.get("href")) is not None:
                    link_nodes.append(node)
                    link_targets.append(target)
                    if link_node >= 0:
                        outer_links.append((link_node, link_place, link_attributes))
                    link_node, link_place, link_attributes = node, len(pieces), attributes
                    if "rel" in attributes and "nofollow" in attributes["rel"].lower():
                        outline.nofollow_nodes.add(node)
            elif tag in LEAF_LINK_TAGS:
                add_leaf_link(node, tag, attributes)
                return
            elif tag == "body":
                bodies.append(node)
            elif tag != "html":
                outline.headings.append(node)
        open_elements.append(node)
        current = node

    def stop(tag: str) -> None:
        nonlocal current, n_hidden, n_marks, n_phrases
        if n_hidden:
            n_hidden -= 1
            if not n_hidden:
                del pieces[hidden_from:]
            return
        if not open_elements:
            return
        node = open_elements.pop()
        if node < 0:
            n_phrases -= 1
            if tag in RAW_TEXT_TAGS:
                take_raw_text(tag, -1 - node)
            return
        if node == link_node:
            end_link()
        add(CHUNK_END)
        n_marks += 1
        end[node] = n_nodes
        last_mark[node] = n_marks
        current = parent[node]

    def add_leaf_link(node: int, tag: str, attributes: Mapping[str, str]) -> None:
        """Add a link whose text is a label, and close it; what it holds is for readers without frames."""
        nonlocal n_hidden, n_marks, hidden_from
        target = attributes.get("href" if tag == "area" else "src")
        if target is not None:
            link_nodes.append(node)
            link_targets.append(target)
            add(_label(attributes, "name"))
        add(CHUNK_END)
        n_marks += 1
        end[node] = n_nodes
        last_mark[node] = n_marks
        n_hidden = 1
        hidden_from = len(pieces)

    def end_link() -> None:
        """End the innermost link; where it holds no text, its label serves."""
        nonlocal link_node, link_place, link_attributes
        if len(link_attributes) > 1 and (label := _label(link_attributes)) and _is_blank(pieces[link_place:]):
            add(label)
        if outer_links:
            link_node, link_place, link_attributes = outer_links.pop()
        else:
            link_node = -1

    def take_raw_text(tag: str, place: int) -> None:
        text = "".join(pieces[place:])
        del pieces[place:]
        if tag == "noframes":
            read_noframes(text)
        elif not titles:
            titles.append(text)

    def phrases_to_nodes() -> None:
        """Make nodes of the open phrase elements: one of them is about to hold a node."""
        nonlocal current, n_marks, n_nodes, n_phrases
        if n_nodes + n_phrases > max_elements:
            raise PageIsFullError
        places = [-1 - place for place in open_elements[-n_phrases:]]
        behind = pieces[places[0] :]
        del pieces[places[0] :]
        for number, place in enumerate(places):
            add(CHUNK_END)
            n_marks += 1
            parent.append(current)
            end.append(0)
            is_block.append(0)
            first_mark.append(n_marks)
            last_mark.append(0)
            current = open_elements[number - n_phrases] = n_nodes
            n_nodes += 1
            stop_at = places[number + 1] if number + 1 < n_phrases else place + len(behind)
            pieces.extend(behind[place - places[0] : stop_at - places[0]])
        n_phrases = 0

    def depth() -> int:
        return len(open_elements) + n_hidden

    def finish() -> Outline:
        nonlocal n_marks
        if n_hidden:
            del pieces[hidden_from:]
        for node in reversed([place for place in open_elements if place >= 0]):
            # Only a limit or a parser that gave up leaves anything open.
            add(CHUNK_END)
            n_marks += 1
            end[node] = n_nodes
            last_mark[node] = n_marks
        outline.title = " ".join("".join(titles).split())
        chunks = f" {''.join(pieces)} ".split(BOUNDARY_CHAR)
        pieces.clear()
        is_kept = [not chunk.isspace() for chunk in chunks]
        head = f"{outline.title} {BOUNDARY_CHAR} {' '.join(keywords)} "
        outline.text = BOUNDARY_CHAR.join([head, *compress(chunks, is_kept), " "])
        # Marks to chunks; two come before all others.
        chunk_at = list(accumulate(is_kept, initial=2))
        outline.first_chunk = list(map(chunk_at.__getitem__, first_mark))
        outline.last_chunk = list(map(chunk_at.__getitem__, last_mark))
        outline.height, outline.n_links = _sum_up(parent, is_block, link_nodes)
        if end:
            # A frameset stands beside no body; what a broken page holds beside its body is kept, too.
            body = bodies[0] if len(bodies) == 1 else 0
            holds_all = end[body] == n_nodes and outline.n_links[body] == len(link_nodes)
            holds_all = holds_all and outline.first_chunk[body] == 2 and outline.last_chunk[body] == chunk_at[-1]
            outline.root = body if holds_all else 0
        return outline

    return begin, start, stop, add, depth, finish


def _sum_up(parent: list[int], is_block: list[int], link_nodes: list[int]) -> tuple[list[int], list[int]]:
    """Return for each node its block height and how many links it holds, from the last node to the first."""
    n_nodes = len(parent)
    # The place beyond the last node is what -1, the parent of a root, refers to.
    height, n_links = [0] * (n_nodes + 1), [0] * (n_nodes + 1)
    for node in link_nodes:
        n_links[node] = 1
    node = n_nodes
    for up, below in zip(reversed(parent), reversed(is_block), strict=True):
        node -= 1
        below += height[node]
        if below > height[up]:
            height[up] = below
        if n_links[node]:
            n_links[up] += n_links[node]
    del height[n_nodes:], n_links[n_nodes:]
    return height, n_links


def _is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    if tag in ("body", "html"):  # pages hide themselves until their scripts have run
        return False
    return "hidden" in attributes or _HIDING_STYLE(attributes["style"]) is not None


def _is_blank(pieces: list[str]) -> bool:
    text = "".join(pieces).replace(BOUNDARY_CHAR, " ")
    return not text or text.isspace()


def _label(attributes: Mapping[str, str], *more: str) -> str:
    """Return what a link without text is announced by."""
    for name in ("alt", "title", "aria-label", *more):
        label = attributes.get(name)
        if label and not label.isspace():
            return label
    return ""


def _describe(outline: Outline, tag: str, attributes: Mapping[str, str], keywords: list[str]) -> None:
    """Take down what ``<base>`` or ``<meta>`` says about the page."""
    if tag == "base":
        outline.base = outline.base or attributes.get("href", "").strip()
        return
    name = (attributes.get("name") or attributes.get("http-equiv") or "").strip().lower()
    content = attributes.get("content", "")
    if name == "keywords":
        keywords.append(content)
    elif name == "robots":
        outline.nofollow = outline.nofollow or "nofollow" in content.lower() or content.strip().lower() == "none"
    elif name == "refresh":
        outline.refresh = outline.refresh or _refresh_target(content)


def _refresh_target(content: str) -> str:
    """Return the target in the content of a meta refresh, spelt in any way that browsers accept.

    >>> _refresh_target("5; URL='next.html'"), _refresh_target("0,next.html"), _refresh_target("300")
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
