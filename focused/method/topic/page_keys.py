"""Makes the keys by which a page is known again: hashes of its canonical URLs and of its text; neither is kept."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scipy import sparse

MAX_COUNT = 255
"""Counts above this are cut: to repeat a word still more often adds nothing."""


class PageKeys(NamedTuple):
    """The keys of the pages of a matrix; one page has several."""

    #: Shape (n_keys,).
    keys: npt.NDArray[np.uint64]
    #: For each key the row of its page, shape (n_keys,).
    rows: npt.NDArray[np.int64]


def page_keys(urls: Iterable[str], terms: Mapping[str, int]) -> list[int]:
    """Return the keys of one page: of the canonical forms of its URLs, and of how often it says each of its terms."""
    return [*map(_hashed, sorted(set(urls))), _text_key(terms)]


def gathered(keys_of_rows: Sequence[Sequence[int]], first_row: int = 0) -> PageKeys:
    """Put the keys of the pages of consecutive rows together."""
    keys = np.array([key for keys in keys_of_rows for key in keys], dtype=np.uint64)
    rows = first_row + np.repeat(np.arange(len(keys_of_rows)), [len(keys) for keys in keys_of_rows])
    return PageKeys(keys, rows.astype(np.int64))


def text_keys(terms: Sequence[str], pages: sparse.csr_matrix) -> PageKeys:
    """Return keys of pages that are known by their term counts only, of shape (n_pages, n_terms)."""
    names = np.array(terms, dtype=object)
    found = []
    for first, last in zip(pages.indptr[:-1], pages.indptr[1:], strict=True):
        counted = zip(names[pages.indices[first:last]], pages.data[first:last].tolist(), strict=True)
        found.append([_text_key({term: int(n) for term, n in counted if n})])
    return gathered(found)


def under(known: PageKeys, new: PageKeys) -> PageKeys:
    """Return these keys, followed by others."""
    return PageKeys(np.concatenate([known.keys, new.keys]), np.concatenate([known.rows, new.rows]))


def checked_keys(keys: npt.NDArray[Any], rows: npt.NDArray[Any], n_pages: int) -> PageKeys:
    """Return keys that come from a file. Raises ValueError if they do not fit together."""
    if len(keys) != len(rows) or (rows >= n_pages).any():
        raise ValueError("it does not say of each key of a page which page it is of")
    return PageKeys(keys.astype(np.uint64), rows.astype(np.int64))


def _text_key(terms: Mapping[str, int]) -> int:
    return _hashed("\n".join(f"{term} {min(n, MAX_COUNT)}" for term, n in sorted(terms.items())))


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")
