"""The text that is a page's own: all but the texts of its link lists.

Menus, lists of the latest pages and neighbours by alphabet name other pages. A classifier that reads them takes a page for
what it links to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.utils.setting import TOPIC, Setting

if TYPE_CHECKING:
    from focused.method.page.outline import Outline

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

OWN, WHOLE, SECTIONS = TEXTS = ("own", "whole", "sections")
"""The texts that a page can be judged by."""
AUTO = "auto"

PAGE_TEXT = Setting(
    "FOCUSED_PAGE_TEXT",
    AUTO,
    "The text of a page that a topic is learnt from, and by which its pages are judged from then on: the `whole`; its `own`, "
    "without the texts of link lists; its `sections`: words of titles and headings count 4 times, keywords 3 times, words of "
    "links twice (L16 eq. 3); `auto`: its own where the general background stands in for unlabelled pages, else the whole.",
    choices=(AUTO, *TEXTS),
    set_by=TOPIC,
)

MIN_TERMS = 20
"""A page with fewer terms of its own is judged by its whole text: it may be an index of its topic."""


def own_chunks(outline: Outline, chunk_start: Integers, linked: Flags) -> Flags | None:
    """Flag the chunks that hold a page's own text, shape (n_chunks,); None: all do.

    A link stands in a list if more than half of the text of its parent node stands in links (docs/method/, D73). The text of
    such a link does not belong to the page. ``chunk_start`` and ``linked`` (`linked_chunks`) are those of
    `focused.method.page.page.Page`.
    """
    nodes, tokens = outline.link_nodes, outline.tokens_before
    if not len(nodes):
        return None
    n_linked = np.zeros(len(tokens), dtype=np.int64)
    ((tokens[1:] - tokens[:-1]) * linked).cumsum(out=n_linked[1:])
    parents = np.maximum(outline.parent[nodes], 0)
    first, last = outline.first_chunk[parents], outline.last_chunk[parents]
    is_listed = 2 * (n_linked[last] - n_linked[first]) > tokens[last] - tokens[first]
    if not is_listed.any():
        return None
    is_own = np.ones(len(chunk_start) - 1, dtype=np.bool_)  # a chunk may follow the text: the title once again
    is_own[: len(linked)] = ~chunks_inside(outline, nodes[is_listed])
    if (chunk_start[1:] - chunk_start[:-1])[is_own].sum() < MIN_TERMS:
        return None
    return is_own


def stretches_of(flags: Flags) -> tuple[Integers, Integers]:
    """Return the stretches of flagged chunks: first chunk and one past the last, ascending, each of shape (n_stretches,)."""
    change = np.diff(flags.astype(np.int8), prepend=0, append=0)
    return (change > 0).nonzero()[0], (change < 0).nonzero()[0]


def chunks_inside(outline: Outline, nodes: Integers) -> Flags:
    """Flag the chunks of the text that stand in some nodes; shape (len(outline.tokens_before) - 1,)."""
    n_chunks = len(outline.tokens_before) - 1
    change = np.bincount(outline.first_chunk[nodes], minlength=n_chunks + 1)
    change -= np.bincount(outline.last_chunk[nodes], minlength=n_chunks + 1)
    found: Flags = change.cumsum()[:-1] > 0
    return found
