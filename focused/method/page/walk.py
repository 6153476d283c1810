"""The one walk over a page: the parser's events become its text, with marks where nodes begin and end.

No tree is built. libxml2 repairs the HTML and calls back for every start tag, end tag and text, at any depth. Its tree would
stop at 2,048 levels, be quadratic in the attributes of an element, and need a second walk.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lxml import etree

from focused.method.page.open_page import OpenPage
from focused.method.page.parser_feed import PageIsFullError, feed

if TYPE_CHECKING:
    from focused.method.page.marked_text import MarkedText

_MAX_NOFRAMES = 10  # of a page; each needs a parser of its own


class Walker:
    """Walks over pages, one after the other.

    ``block_tags``: which tags count for the height of a block. ``max_elements``: nodes of a page that are read, in document
    order. ``keeps_emphasis``: whether it is noted which texts are emphasised or code; Markdown needs it.
    """

    def __init__(self, block_tags: str, max_elements: int, *, keeps_emphasis: bool = False) -> None:
        self._page = page = OpenPage(block_tags, max_elements, self._read_noframes, keeps_emphasis=keeps_emphasis)
        self.start, self.end, self.data = page.start, page.end, page.data  # what lxml calls
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
        self._page.begin()
        self._n_noframes, self._cuts = 0, cuts
        try:
            self._feed(body, self._parser)
        except PageIsFullError:
            cuts["elements"] += 1
        return self._page.finish()

    def close(self) -> None:
        """Do nothing at the end of a document; lxml requires the method."""

    def _new_parser(self) -> Any:
        return etree.HTMLParser(encoding="utf-8", target=self, huge_tree=True)

    def _feed(self, body: bytes, parser: Any) -> None:
        if n_left := feed(body, parser, lambda: self._page.depth):
            self._cuts["unparsed_bytes"] += n_left

    def _read_noframes(self, text: str) -> None:
        """Read what a frameset offers to browsers without frames; the parser gives it as one raw text."""
        self._n_noframes += 1
        if self._n_noframes > _MAX_NOFRAMES:
            self._cuts["noframes"] += 1
        else:
            self._feed(text.encode("utf-8", "replace"), self._new_parser())
