"""What a page says of each of its links, as plain numbers: nothing of the page itself has to be kept for them."""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import numpy as np
import numpy.typing as npt

from focused.strategies.base import block_of_links
from focused.text.analyzer import FIRST_TERM, TERMS

if TYPE_CHECKING:
    from focused.page.page import Page
    from focused.relevance import PageRelevance

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

N_COLUMNS = 2**16
"""Columns that the terms of URLs, and those of anchor texts, are hashed to; column 0 stands for no term."""

MAX_URL_TERMS, MAX_ANCHOR_TERMS = 16, 12
_MOST_LOGIT = 6.0
_MAX_DEPTH = 63
_TOKEN = re.compile(r"[a-z]+|[0-9]+")
# What `urlsplit` and `unquote` would leave as it is.
_PLAIN_URL = re.compile(
    r"https?://([a-z0-9.-]+)(?::[0-9]*)?((?:/[A-Za-z0-9_.~/,;=+:@!$&'()*-]*)?)(?:\?([^#\s]*))?\Z", re.ASCII
)


@dataclass(frozen=True, slots=True)
class PageLinks:
    """What there is to learn from one page: how relevant it is, and what it says of its links, one row each."""

    #: The URLs that led to it: the link's, those of redirects, the one the web names.
    urls: tuple[str, ...]
    #: In [0, 1].
    relevance: float
    host: str
    links: list[str]
    #: Number of the block that each stands in, shape (n_links,).
    blocks: Integers
    #: Place of the block and depth of the element as one number, shape (n_links,).
    places: Integers
    #: Logits of the relevance of page, block, anchor text and context; shape (n_links, 4).
    logits: Floats
    #: Hashed terms of each anchor text, in ascending order.
    anchors: list[tuple[int, ...]]

    def pack(self) -> bytes:
        """Return all of it as bytes that `unpack` understands."""
        values = [
            *(self.urls, self.relevance, self.host, self.links, self.blocks.tolist(), self.places.tolist()),
            *(self.logits.tolist(), self.anchors),
        ]
        return zlib.compress(json.dumps(values, separators=(",", ":")).encode(), 1)

    @classmethod
    def unpack(cls, data: bytes) -> PageLinks:
        """Return what was packed.

        Raises
        ------
        ValueError
            If the bytes are something else.
        """
        try:
            urls, relevance, host, links, blocks, places, logits, anchors = json.loads(zlib.decompress(data))
            return cls(
                *(tuple(urls), float(relevance), str(host), list(links)),
                *(np.array(blocks, dtype=np.int64), np.array(places, dtype=np.int64)),
                np.array(logits, dtype=np.float64).reshape(len(links), 4),
                [tuple(map(int, anchor)) for anchor in anchors],
            )
        except (zlib.error, TypeError, ValueError) as error:
            raise ValueError(f"not what a page says of its links: {error}") from None


@dataclass(frozen=True, slots=True)
class UrlFeatures:
    """Columns of a URL's terms, without duplicates, and the host and folder that it lies in."""

    columns: list[int]
    host: str
    folder: str


def page_links(page: Page, relevance: PageRelevance, urls: tuple[str, ...]) -> PageLinks:
    """Return what a page says of its links.

    Parameters
    ----------
    page : Page
    relevance : PageRelevance
        With blocks, anchors and contexts.
    urls : tuple of str
        That led to the page, at least one.
    """
    n_links = page.n_links
    values = np.empty((n_links, 4))
    values[:, 0] = relevance.page
    if n_links:
        values[:, 1] = block_of_links(page, relevance.blocks)
        values[:, 2], values[:, 3] = relevance.anchors, relevance.contexts
    first = np.array([anchors[0] for anchors in page.link_anchors], dtype=np.int64)
    blocks, nodes = page.anchor_blocks[first], page.anchors[first]
    # Blocks of a page are told apart by their place from the front, or else from the end.
    behind = page.n_blocks - blocks
    sides = np.where(blocks < 4, blocks, np.where(behind <= 4, 4 + behind, 9))
    return PageLinks(
        urls=urls,
        relevance=relevance.page,
        host=_host(page.url),
        links=list(page.link_numbers),
        blocks=blocks,
        places=sides * (_MAX_DEPTH + 1) + _depths(page.outline.parent, nodes),
        logits=np.round(logit(values), 3),
        anchors=_anchor_columns(page),
    )


def logit(values: npt.ArrayLike) -> Floats:
    """Return the logits of probabilities, cut at 6 on both sides.

    >>> logit([0.5, 0.0]).tolist()
    [0.0, -6.0]
    """
    inside = np.clip(values, 1e-6, 1 - 1e-6)
    found: Floats = np.clip(np.log(inside / (1 - inside)), -_MOST_LOGIT, _MOST_LOGIT)
    return found


def url_features(url: str) -> UrlFeatures:
    """Return what a URL says of itself.

    >>> url_features("http://A.org/x/Y12.html").folder, url_features("http://a.org/x/y3.html").host
    ('a.org/x', 'a.org')
    """
    plain = _PLAIN_URL.match(url)
    if plain is not None:  # a third of the time
        host, path, query = plain[1], plain[2], plain[3] or ""
    else:
        try:
            parts = urlsplit(url)
            host, path, query = parts.hostname or "", unquote(parts.path), parts.query
        except ValueError:
            host, path, query = "", url, ""
    folder, _, name = path.lower().rpartition("/")
    extension = name.rpartition(".")[2][:6] if "." in name else "-" if name else "/"
    n_folders = min(folder.count("/") + (not name), 6)
    terms = [f"extension {extension}", f"depth {n_folders}"]
    if "~" in path:
        terms.append("tilde")
    if query:
        terms += ["query", *(f"query {token}" for token in _TOKEN.findall(query.lower())[:4])]
    terms += [f"file {token}" for token in _tokens(name)]
    columns = [*_host_columns(host), *map(hashed, terms), *_folder_columns(folder)]
    return UrlFeatures(list(dict.fromkeys(columns))[:MAX_URL_TERMS], host, host + folder)


def _tokens(text: str) -> list[str]:
    # Of numbers only the length says something about other links.
    return ["#" * len(token) if token[0].isdigit() else token for token in _TOKEN.findall(text)]


@lru_cache(maxsize=2**16)
def hashed(term: str) -> int:
    """Return the column of a term, from 1 on."""
    # The same in every process, which Python's own hash is not.
    return zlib.crc32(term.encode("utf-8", "replace")) % (N_COLUMNS - 1) + 1


@lru_cache(maxsize=2**13)
def place_key(place: str) -> int:
    """Return the number of a host or folder, the same in every process; among 100,000 two or so share one."""
    return zlib.crc32(place.encode("utf-8", "replace"))


@lru_cache(maxsize=2**13)
def _host_columns(host: str) -> list[int]:
    labels = host.split(".")
    return [hashed(f"host {host}"), hashed(f"label {labels[0]}"), hashed(f"domain {'.'.join(labels[-2:])}")]


@lru_cache(maxsize=2**13)
def _folder_columns(folder: str) -> list[int]:
    # The last folders first: they say most, and of long paths the rest is left out.
    return [hashed(f"folder {token}") for token in reversed(_tokens(folder))]


@lru_cache(maxsize=2**17)
def _term_column(number: int) -> int:
    return hashed(TERMS.term(number))


@lru_cache(maxsize=2**13)
def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _anchor_columns(page: Page) -> list[tuple[int, ...]]:
    terms = page.terms.tolist()
    starts = page.chunk_start[page.outline.first_chunk[page.anchors]].tolist()
    ends = page.chunk_start[page.outline.last_chunk[page.anchors]].tolist()
    found = []
    for anchors in page.link_anchors:
        columns: dict[int, Any] = {}
        for anchor in anchors:
            for number in terms[starts[anchor] : ends[anchor]]:
                if number >= FIRST_TERM:
                    columns[_term_column(number)] = None
            if len(columns) >= MAX_ANCHOR_TERMS:
                break
        found.append(tuple(sorted(list(columns)[:MAX_ANCHOR_TERMS])))
    return found


def _depths(parent: Integers, nodes: Integers) -> Integers:
    """Return how many elements each node lies in, itself counted; at most 63."""
    depths = np.zeros(len(nodes), dtype=np.int64)
    up = nodes.copy()
    for _ in range(_MAX_DEPTH):
        is_inside = up >= 0
        if not is_inside.any():
            break
        depths += is_inside
        up = np.where(is_inside, parent[up], -1)
    return depths
