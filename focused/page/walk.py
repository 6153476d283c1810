"""The one walk over a page: from the parser's events straight to an :class:`~focused.page.outline.Outline`.

No tree is built. libxml2 repairs the HTML and calls back for every start tag, end tag and text, as deep as the page
goes; its tree would stop at 2,048 levels, be quadratic in the attributes of an element, and have to be walked again.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any

from lxml import etree

from focused.page.outline import CHUNK_END, Outline

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping

# P13 lists H1-H6, P, ADDRESS, CENTER, (one tag is lost in print), DT, TABLE, TH, TR, TD. DIV is taken for the lost one.
PAPER_BLOCK_TAGS = frozenset("h1 h2 h3 h4 h5 h6 p address center div dt table th tr td".split())
MODERN_BLOCK_TAGS = PAPER_BLOCK_TAGS | frozenset(
    "section article nav aside main header footer ul ol li dl dd blockquote figure form".split()
)
BLOCK_TAG_SETS = {"modern": MODERN_BLOCK_TAGS, "paper": PAPER_BLOCK_TAGS}

# Elements that do not interrupt a word or a line of text; all others do.
_PHRASE_TAGS = (
    "abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd label mark nobr q s samp "
    "small span strike strong sub sup time tt u var wbr head"
).split()
_INVISIBLE_TAGS = ("script", "style", "template", "noscript", "noembed", "textarea")
_LEAF_LINK_TAGS = ("area", "frame", "iframe")
_WITHOUT_NODE_TAGS = ("br", "hr", "img", "input", "base", "meta", "link", "title", "noframes")

_NODE, _BLOCK, _PHRASE, _SPECIAL, _INVISIBLE, _LEAF_LINK, _WITHOUT_NODE = 0, 1, 2, 4, 8, 16, 32

_NOTHING_MORE = 1 << 60  # more open hidden elements than any page closes

# What stands before the target in "5; url='next.html'", in the spellings that browsers accept.
_REFRESH_TARGET = re.compile(r"^\s*[\d.]*\s*;\s*(?:url\s*=\s*)?", re.IGNORECASE)

_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE).search


def _tag_codes(block_tags: frozenset[str]) -> dict[str, int]:
    """Return how the walk treats each tag that is not an ordinary node."""
    codes = dict.fromkeys(_PHRASE_TAGS, _PHRASE)
    codes.update(dict.fromkeys(_INVISIBLE_TAGS, _INVISIBLE))
    codes.update(dict.fromkeys(_LEAF_LINK_TAGS, _LEAF_LINK))
    codes.update(dict.fromkeys(_WITHOUT_NODE_TAGS, _WITHOUT_NODE))
    codes.update(dict.fromkeys(block_tags, _BLOCK))
    for tag in ("a", "html", "body", "h1", "h2", "h3", "h4", "h5", "h6"):
        codes[tag] = codes.get(tag, _NODE) | _SPECIAL
    return codes


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
        self.begin, self.start, self.end, self.data, self.finish = _callbacks(
            _tag_codes(BLOCK_TAG_SETS[block_tags]), max_elements, self._read_noframes
        )
        # One parser for all pages: making one takes longer than reading a small page.
        self._parser = self._new_parser()

    def walk(self, body: bytes, cuts: Counter[str]) -> Outline:
        """Walk over a page once.

        Parameters
        ----------
        body : bytes
            Valid UTF-8.
        cuts : Counter
            ``elements`` is counted up if the page holds more than are looked at.
        """
        self.begin()
        self._feed(body, self._parser)
        outline: Outline
        outline, is_cut = self.finish()
        if is_cut:
            cuts["elements"] += 1
        return outline

    def close(self) -> None:
        """End of a document; the parser wants to call something."""

    def _new_parser(self) -> Any:
        return etree.HTMLParser(encoding="utf-8", target=self, huge_tree=True)

    def _feed(self, body: bytes, parser: Any) -> None:
        with contextlib.suppress(etree.ParserError, etree.XMLSyntaxError):  # a document without any element
            etree.fromstring(body, parser)

    def _read_noframes(self, text: str) -> None:
        """Read what a frameset offers to readers without frames; to the parser it is one raw text."""
        self._feed(text.encode("utf-8", "replace"), self._new_parser())


def _callbacks(
    codes: Mapping[str, int], max_elements: int, read_noframes: Callable[[str], None]
) -> tuple[Callable[..., Any], ...]:
    """Return the functions that begin a page, take the parser's start, end and data events, and finish it.

    They share local variables instead of an object's attributes: they run several times per element, and looking
    attributes up would cost a third of the walk. For the same reason text goes straight into a list, and what it is
    (a chunk, a title, or hidden) is decided when the next tag of a node comes.
    """
    pieces: list[str] = []  # of text, with CHUNK_END wherever a chunk ends
    n_known = 0  # pieces that the last boundary has dealt with
    outline: Outline
    parent: list[int]
    end: list[int]
    height: list[int]
    n_links: list[int]
    first_chunk: list[int]
    last_chunk: list[int]
    titles: list[str]
    keywords: list[str]
    # Open elements: a node, or for a phrase element that holds no node so far -1 minus its place in the pieces.
    open_elements: list[int]
    open_links: list[tuple[int, Mapping[str, str]]]
    bodies: list[int]
    current: int  # the innermost open node
    n_nodes: int
    n_room: int  # nodes that the lists have room for
    n_phrases: int  # open phrase elements that are no nodes: the innermost open elements
    n_chunks: int  # chunks that have ended; title and keywords come before all
    n_hidden: int  # open elements from an invisible one on
    hidden_from = 0  # its place in the pieces
    add, code_of = pieces.append, codes.get

    def begin() -> None:
        nonlocal outline, parent, end, height, n_links, first_chunk, last_chunk, titles, keywords, open_elements
        nonlocal open_links, bodies, current, n_nodes, n_room, n_phrases, n_chunks, n_hidden, n_known
        outline = Outline()
        parent, end, height, n_links = outline.parent, outline.end, outline.height, outline.n_links
        first_chunk, last_chunk = outline.first_chunk, outline.last_chunk
        pieces.clear()
        titles, keywords, open_elements, open_links, bodies = [], [], [], [], []
        current, n_nodes, n_room, n_phrases, n_chunks, n_hidden, n_known = -1, 0, 0, 0, 2, 0, 0

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal current, n_hidden, n_phrases, n_nodes, hidden_from
        if n_hidden:
            n_hidden += 1
            return
        code = code_of(tag, _NODE)
        if (
            attributes
            and ("style" in attributes or "hidden" in attributes)
            and ("hidden" in attributes or _HIDING_STYLE(attributes["style"]))
            and tag not in ("body", "html")  # pages hide themselves until their scripts have run
        ):
            code = _INVISIBLE
        if code == _PHRASE:
            open_elements.append(-1 - len(pieces))
            n_phrases += 1
            return
        if code == _INVISIBLE:
            n_hidden = 1
            hidden_from = len(pieces)
            return
        if code == _WITHOUT_NODE:
            add(" ")
            if tag == "img":
                if open_links and (label := attributes.get("alt")):
                    add(f"{label} ")
            elif tag == "meta" or tag == "base":
                _describe(outline, tag, attributes, keywords)
            open_elements.append(-1 - len(pieces))
            n_phrases += 1
            return
        if n_phrases:
            phrases_to_nodes()
        elif len(pieces) > n_known:
            end_chunk()
        node = add_node()
        if code > _BLOCK:
            if code == _LEAF_LINK:
                add_leaf_link(node, tag, attributes)
                return
            if tag == "a":
                target = attributes.get("href")
                if target is not None:
                    add_link(node, target)
                    open_links.append((node, attributes))
                    rel = attributes.get("rel")
                    if rel and "nofollow" in rel.lower():
                        outline.nofollow_nodes.add(node)
            elif tag == "body":
                bodies.append(node)
            elif tag != "html":
                outline.headings.append(node)
        open_elements.append(node)
        current = node
        if node >= max_elements:
            n_hidden = _NOTHING_MORE
            hidden_from = len(pieces)

    def stop(tag: str) -> None:
        nonlocal current, n_chunks, n_hidden, n_phrases, n_known
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
            if tag == "title" or tag == "noframes":
                text = "".join(pieces[-1 - node :])
                del pieces[-1 - node :]
                if tag == "noframes":
                    read_noframes(text)
                elif not titles:
                    titles.append(text)
            return
        if len(pieces) > n_known:
            end_chunk()
        if open_links and open_links[-1][0] == node:
            attributes = open_links.pop()[1]
            if first_chunk[node] == n_chunks and (label := _label(attributes)):
                add(label)
                end_chunk()
        current = parent[node]
        close_node(node, current, code_of(tag, _NODE) & _BLOCK)

    def end_chunk() -> None:
        """End the chunk under way if it holds more than white space."""
        nonlocal n_chunks, n_known
        n_pieces = len(pieces)
        text = pieces[n_known] if n_pieces == n_known + 1 else "".join(pieces[n_known:])
        if text and not text.isspace():
            add(CHUNK_END)
            n_chunks += 1
            n_pieces += 1
        n_known = n_pieces

    def add_node() -> int:
        nonlocal n_nodes, n_room
        if n_nodes == n_room:
            more = [0] * (256 + n_room)
            n_room += len(more)
            for values in (end, height, n_links, last_chunk):
                values.extend(more)
        parent.append(current)
        first_chunk.append(n_chunks)
        n_nodes += 1
        return n_nodes - 1

    def add_link(node: int, target: str) -> None:
        outline.link_nodes.append(node)
        outline.link_targets.append(target)
        n_links[node] = 1

    def add_leaf_link(node: int, tag: str, attributes: Mapping[str, str]) -> None:
        """Add a link whose text is a label, and close it; what it holds is for readers without frames."""
        nonlocal n_hidden, hidden_from
        target = attributes.get("href" if tag == "area" else "src")
        if target is not None:
            add_link(node, target)
            if label := _label(attributes, "name"):
                add(label)
                end_chunk()
        close_node(node, current, 0)
        n_hidden = 1
        hidden_from = len(pieces)

    def close_node(node: int, up: int, block: int) -> None:
        end[node] = n_nodes
        last_chunk[node] = n_chunks
        if up >= 0:
            n_links[up] += n_links[node]
            below = height[node] + block
            if below > height[up]:
                height[up] = below

    def phrases_to_nodes() -> None:
        """Make nodes of the open phrase elements: one of them is about to hold a node."""
        nonlocal current, n_phrases
        places = [-1 - place for place in open_elements[-n_phrases:]]
        behind = pieces[places[0] :]
        del pieces[places[0] :]
        for number, place in enumerate(places):
            end_chunk()
            current = open_elements[number - n_phrases] = add_node()
            stop_at = places[number + 1] if number + 1 < n_phrases else place + len(behind)
            pieces.extend(behind[place - places[0] : stop_at - places[0]])
        end_chunk()
        n_phrases = 0

    def finish() -> tuple[Outline, bool]:
        if n_hidden:
            del pieces[hidden_from:]
        if len(pieces) > n_known:
            end_chunk()
        for node in reversed([place for place in open_elements if place >= 0]):
            # Only a limit or a parser that gave up leaves anything open.
            close_node(node, parent[node], 0)
        for values in (end, height, n_links, last_chunk):
            del values[n_nodes:]
        if end:
            # A frameset stands beside no body; what a broken page holds beside its body is kept, too.
            body = bodies[0] if len(bodies) == 1 else 0
            holds_all = end[body] == n_nodes and last_chunk[body] == n_chunks and first_chunk[body] == 2
            outline.root = body if holds_all and n_links[body] == n_links[0] else 0
        outline.title = " ".join("".join(titles).split())
        outline.text = f"{outline.title}{CHUNK_END}{' '.join(keywords)}{CHUNK_END}{''.join(pieces)}"
        pieces.clear()
        return outline, n_hidden > _NOTHING_MORE // 2

    return begin, start, stop, add, finish


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
    elif name == "refresh" and not outline.refresh:
        outline.refresh = _REFRESH_TARGET.sub("", content, count=1).strip().strip("'\"") if ";" in content else ""
