"""Distinguishes pages that hold several whole pages (the front page of a blog) from pages that are quoted."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from focused.method.page.text_sketch import Hashes

_MOST_IN_COMMON = 0.3
"""Two items of a list have other words; two excerpts of one text mostly have the same."""
_MAX_ORIGINALS = 10_000
"""Originals that are remembered: the first excerpt of each, some 200 bytes."""


class ItemLists:
    """Learns from the excerpts of each page whether it is a list: two of them have little in common.

    The first item of a list cannot be told from an excerpt.
    """

    def __init__(self) -> None:
        #: What the first excerpt of each original shares with it; of a list nothing.
        self._first: OrderedDict[str, Hashes | None] = OrderedDict()

    def is_item(self, original: str, shared: Hashes) -> bool:
        """Learn from an excerpt, and return whether it is an item of a list.

        ``original``: URL of the page that it is an excerpt of. ``shared``: the kept triples that both have, shape (n_shared,).
        """
        first = self._first.pop(original, shared)
        if first is not None and np.isin(shared, first).mean() < _MOST_IN_COMMON:
            first = None
        self._first[original] = first
        if len(self._first) > _MAX_ORIGINALS:
            self._first.popitem(last=False)
        return first is None
