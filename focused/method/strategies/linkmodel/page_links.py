"""`PageLinks`: what a page says of each of its links, as plain numbers; nothing of the page itself has to be kept."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from focused.method.page.url_features import N_COLUMNS
from focused.method.scoring.base import block_of_links
from focused.method.strategies.linkmodel.anchor_texts import MAX_ANCHOR_TERMS, anchor_texts
from focused.utils.compression import compressed

if TYPE_CHECKING:
    from focused.method.page.page import Page
    from focused.method.scoring import Visit
    from focused.method.topic.judge import PageRelevance

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_MOST_LOGIT = 6.0
_MAX_DEPTH = 63
_IN_THOUSANDTHS = 1000


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
    #: Logits of the relevance of page, block, anchor text and context, in whole thousandths; shape (n_links, 4).
    logits: Floats
    #: Hashed terms of each anchor text, in ascending order.
    anchors: list[tuple[int, ...]]
    #: Each anchor text as people read it; of pages that came before these were kept there are none.
    texts: list[str] = field(default_factory=list)
    #: Whether it is no page but a sitemap or a feed: its links count, and no outcome.
    is_source: bool = False
    #: Whether the crawl began with it. A worker may hear of a page before it hears of the one that links there.
    is_seed: bool = False

    def pack(self) -> bytes:
        """Return all of it as bytes that `unpack` understands."""
        own = [self.urls, self.relevance, self.host, self.links, self.texts]
        about = json.dumps([*own, self.is_source, self.is_seed], separators=(",", ":"))
        lengths, terms = list(map(len, self.anchors)), list(chain.from_iterable(self.anchors))
        logits = np.rint(self.logits * _IN_THOUSANDTHS).ravel()
        numbers: list[npt.ArrayLike] = [self.blocks, self.places, logits, lengths, terms]
        return compressed(about.encode() + b"\n" + np.concatenate(numbers).astype("<i4").tobytes())

    @classmethod
    def unpack(cls, data: bytes) -> PageLinks:
        """Return what was packed; ValueError if the bytes are something else."""
        try:
            about, _, rest = zlib.decompress(data).partition(b"\n")
            urls, relevance, host, links, *more = json.loads(about)
            texts, *more = more or [[]]  # records of before the texts were kept have none
            if len(more) > 2 or not all(isinstance(each, bool) for each in more):
                raise ValueError("it says too much")
            is_source, is_seed = [*more, False, False][:2]  # records of before say less
            numbers, n = np.frombuffer(rest, dtype="<i4").astype(np.int64), len(links)
            blocks, places, logits, lengths, terms = np.split(numbers, (n, 2 * n, 6 * n, 7 * n))
            ends, columns = np.cumsum(lengths).tolist(), terms.tolist()
            is_complete = len(lengths) == n and lengths.sum() == len(terms) and len(texts) in (0, n)
            if not is_complete or ((lengths < 0) | (lengths > MAX_ANCHOR_TERMS)).any():
                raise ValueError("it has too few or too many numbers")
            if ((terms < 0) | (terms >= N_COLUMNS)).any():
                raise ValueError("a term has no column")
            return cls(
                *(tuple(urls), float(relevance), str(host), list(map(str, links)), blocks, places),
                logits.reshape(n, 4) / _IN_THOUSANDTHS,
                [tuple(columns[start:end]) for start, end in zip([0, *ends], ends, strict=False)],
                list(map(str, texts)),
                *(is_source, is_seed),
            )
        except (zlib.error, TypeError, ValueError) as error:
            raise ValueError(f"not what a page says of its links: {error}") from None


def page_links(page: Page, relevance: PageRelevance, visit: Visit) -> PageLinks:
    """Return what a page, or a sitemap or feed, says of its links, with the URLs that led to it, at least one."""
    n_links = page.n_links
    values = np.empty((n_links, 4))
    values[:, 0] = relevance.page
    if n_links:
        values[:, 1] = block_of_links(page, relevance.blocks)
        values[:, 2], values[:, 3] = relevance.anchors, relevance.contexts
    first = np.empty(n_links, dtype=np.int64)
    first[page.anchor_links[::-1]] = np.arange(len(page.anchor_links))[::-1]  # what is written last stays
    blocks, nodes = page.anchor_blocks[first], page.anchors[first]
    # Blocks of a page are told apart by their place from the front, or else from the end.
    behind = page.n_blocks - blocks
    sides = np.where(blocks < 4, blocks, np.where(behind <= 4, 4 + behind, 9))
    columns, texts = anchor_texts(page)
    return PageLinks(
        urls=visit.urls or (page.url,),
        relevance=relevance.page,
        host=_host(page.url),
        links=list(page.link_numbers),
        blocks=blocks,
        places=sides * (_MAX_DEPTH + 1) + _depths(page.outline.parent, nodes),
        logits=np.round(logit(values), 3),
        anchors=columns,
        texts=texts,
        is_source=visit.is_source,
        is_seed=not visit.depth,
    )


def logit(values: npt.ArrayLike) -> Floats:
    """Return the logits of probabilities, cut at 6 on both sides.

    >>> logit([0.5, 0.0]).tolist()
    [0.0, -6.0]
    """
    inside = np.clip(values, 1e-6, 1 - 1e-6)
    found: Floats = np.clip(np.log(inside / (1 - inside)), -_MOST_LOGIT, _MOST_LOGIT)
    return found


@lru_cache(maxsize=2**13)
def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _depths(parent: Integers, nodes: Integers) -> Integers:
    """Return how many elements each node lies in, itself counted; at most 63."""
    above, depths, inside = parent.tolist(), {-1: 0}, nodes.tolist()
    for node in inside:
        path = []
        while node not in depths:
            path.append(node)
            node = above[node]
        depth = depths[node]
        for each in reversed(path):
            depth += 1
            depths[each] = depth
    return np.minimum(np.array([depths[node] for node in inside], dtype=np.int64), _MAX_DEPTH)
