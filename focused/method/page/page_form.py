"""The form of a page: which kinds of elements lie in which, and how much text they hold, whatever it says.

Pages of one template have like forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from focused.method.page.own_text import OWN

if TYPE_CHECKING:
    from focused.method.page.page import Page

_MOST = 128
"""How many hashes of a form are kept, the least ones: two pages then keep those of the same paths. Most pages have fewer."""
_MULTIPLIER, _ADDEND, _BITS = 0x9E3779B1, 0x85EBCA6B, 0xFFFFFFFF


def form_of(page: Page) -> bytes:
    """Return the form of a page, numbers of 4 bytes each: the terms of its own text, then hashes of the paths to its nodes.

    Each path from the root counts once: a longer list is the same form.
    """
    hashes: list[int] = []
    for parent, kind in zip(page.outline.parent.tolist(), page.outline.kinds.tolist(), strict=True):
        above = hashes[parent] if parent >= 0 else 0
        mixed = ((above ^ (kind + 1)) * _MULTIPLIER + _ADDEND) & _BITS
        hashes.append(mixed ^ mixed >> 15)
    paths = np.unique(np.fromiter(hashes, np.uint32, len(hashes)))[:_MOST].astype("<u4").tobytes()
    return len(page.judged_terms(OWN)).to_bytes(4, "little") + paths
