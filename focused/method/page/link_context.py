"""The words around a link: the link context at its aggregation node, and its window context."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from focused.utils.setting import TOPIC, Setting

if TYPE_CHECKING:
    from focused.method.page.page import Page

_NOT_IN_URL_TERMS = frozenset(
    ["http", "https", "www", "html", "htm", "shtml", "php", "asp", "aspx", "jsp", "cgi", "index", "default", "home"]
)
WINDOW_CHARS = Setting(
    "FOCUSED_WINDOW_CHARS",
    50,
    "`scrapy train`: characters on each side of an anchor that belong to its window context; the topic's crawls (`hybrid`) "
    'take as many. I18 says 50 "surrounding" it, which may mean both sides together: 25.',
    least=0,
    most=10_000,
    set_by=TOPIC,
)
"""On each side, which is our reading (D91)."""

_LETTERS = re.compile(r"[^\W\d_]+")


def link_context(page: Page, anchor: int, other_anchors: bool = False) -> str:
    """Return the text of the subtree of a link's aggregation node [P13, Sect. 3.2; L14, Sect. 3.1].

    ``anchor``: index into the page's anchors. ``other_anchors``: whether the anchor texts of the other links in the subtree
    are kept (P13, P15) or left out (L14).
    """
    first, last, chunks = page.outline.first_chunk, page.outline.last_chunk, page.marked_text.chunks
    top = page.aggregation_node(anchor)
    inside = page.in_anchor
    own = range(first[page.anchors[anchor]], last[page.anchors[anchor]])
    kept = (chunks[c] for c in range(first[top], last[top]) if other_anchors or c in own or not inside[c])
    return " ".join(" ".join(kept).split())


def window_context(page: Page, anchor: int, n_chars: int = WINDOW_CHARS.default) -> str:
    """Return the anchor text with up to ``n_chars`` characters before and behind it [I18, Sect. 2].

    The window is cut at word boundaries and never reaches into the text of a neighbouring link.
    """
    node, chunks = page.anchors[anchor], page.marked_text.chunks
    start, stop = int(page.outline.first_chunk[node]), int(page.outline.last_chunk[node])
    inside = page.in_anchor
    before, chunk = "", start - 1
    while chunk >= 2 and not inside[chunk] and len(before) < n_chars:
        before = f"{chunks[chunk]} {before}"
        chunk -= 1
    behind, chunk = "", stop
    while chunk < len(chunks) and not inside[chunk] and len(behind) < n_chars:
        behind = f"{behind} {chunks[chunk]}"
        chunk += 1
    return " ".join([*_tail(before, n_chars), page.anchor_text(anchor), *_head(behind, n_chars)]).strip()


def _head(text: str, n_chars: int) -> list[str]:
    """Return the whole words that fit into the first characters of a text."""
    words: list[str] = []
    room = n_chars
    for word in text.split():
        room -= len(word) + (1 if words else 0)
        if room < 0:
            break
        words.append(word)
    return words


def _tail(text: str, n_chars: int) -> list[str]:
    return [word[::-1] for word in reversed(_head(text[::-1], n_chars))]


@lru_cache(maxsize=4096)
def url_terms(url: str) -> str:
    """Return the words in the host, path and query of a URL.

    >>> url_terms("http://www.stars.example/hbase/Astro/black%20holes2.html?page=nova")
    'stars example hbase Astro black holes page nova'
    """
    parts = urlsplit(url)
    return _words(f"{parts.hostname} {parts.path} {parts.query}")


def path_terms(url: str) -> str:
    """Return the words in the path and query of a URL; none if the text is no URL.

    >>> path_terms("http://stars.example/Astro/black-holes2.html"), path_terms("http://[/a")
    ('Astro black holes', '')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return _words(f"{parts.path} {parts.query}")


def _words(text: str) -> str:
    return " ".join(word for word in _LETTERS.findall(unquote(text)) if word.lower() not in _NOT_IN_URL_TERMS)
