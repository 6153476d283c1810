"""The text of a page with its sections weighted: titles and headings, keywords, links, and the rest [L16, eq. 3]."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from focused.method.page.outline import Outline

Integers = npt.NDArray[np.int64]

_TITLE, _KEYWORDS = 0, 1


class SectionWeights(NamedTuple):
    """The weight of one occurrence of a term in a section; L16 prints no values (docs/method/, D11)."""

    headline: int = 4
    """alpha; titles and headings, the Subject line of a message."""
    keywords: int = 3
    """beta; the keywords a page or message gives itself."""
    anchor: int = 2
    """lambda; texts of links."""
    body: int = 1
    """epsilon; everything else."""


def weighted_stretches(
    outline: Outline, chunk_start: Integers, weights: SectionWeights | None = None
) -> tuple[Integers, Integers]:
    """Return stretches of chunks that hold each chunk as often as its section weighs: first chunk, one past the last.

    Counting the terms of the stretches gives tf of [L16, eq. 3]. A chunk belongs to one section: a link in a heading counts as
    heading. The title's terms of their own (docs/method/, D9) are left out, because the title counts as headline.
    ``chunk_start`` is that of `focused.method.page.page.Page`. Both arrays have the shape (n_stretches,).
    """
    weights = weights or SectionWeights()
    n_chunks = len(chunk_start) - 1
    weight = np.full(n_chunks, weights.body, dtype=np.int64)
    for nodes, of_section in ((outline.link_nodes, weights.anchor), (outline.headings, weights.headline)):
        change = np.bincount(outline.first_chunk[nodes], minlength=n_chunks + 1)
        change -= np.bincount(outline.last_chunk[nodes], minlength=n_chunks + 1)
        weight[change.cumsum()[:-1] > 0] = of_section
    weight[_TITLE], weight[_KEYWORDS] = weights.headline, weights.keywords
    weight[-1] = 0
    first, last = [], []
    for level in range(1, int(weight.max()) + 1):
        edges = np.diff((weight >= level).astype(np.int8), prepend=0, append=0)
        first.append((edges > 0).nonzero()[0])
        last.append((edges < 0).nonzero()[0])
    return np.concatenate(first), np.concatenate(last)
