"""The general background that ships with the project: stem counts of a few thousand varied English pages.

It replaces unlabelled pages if a user has none. No texts are kept. ``scripts/build_background.py`` makes the file; ``about``
names the sources.
"""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Sequence

BACKGROUND_FILE = "background.npz"
LANGUAGE = "en"
MAX_COUNT = 255  # larger counts add no information


@dataclass(frozen=True)
class Background:
    """Term counts of varied pages.

    ``terms``: stems, sorted. ``counts`` of shape (n_pages, n_terms). ``about``: sources with their numbers of pages, the
    language, and the pruning. ``sha256``: digest of the file.
    """

    terms: list[str]
    counts: sparse.csr_matrix
    about: dict[str, Any] = field(default_factory=dict)
    sha256: str = ""

    @property
    def n_pages(self) -> int:
        """Number of pages."""
        return int(self.counts.shape[0])


@lru_cache(maxsize=1)
def load_background() -> Background:
    """Load the background that ships with the project, from a package that may be zipped."""
    return from_bytes(files("focused.method.text").joinpath(BACKGROUND_FILE).read_bytes())


def to_bytes(terms: Sequence[str], counts: sparse.csr_matrix, about: dict[str, Any]) -> bytes:
    """Return a background as the bytes of a file; the same counts give the same bytes.

    Terms are stored sorted in one text. For each row the differences of its sorted columns are stored: they compress well.
    """
    rows = sparse.csr_matrix(counts)
    rows.sort_indices()
    steps = np.diff(rows.indices, prepend=0)
    starts = rows.indptr[:-1][np.diff(rows.indptr) > 0]
    steps[starts] = rows.indices[starts]
    out = io.BytesIO()
    np.savez_compressed(
        out,
        terms=np.frombuffer("\n".join(terms).encode(), dtype=np.uint8),
        lengths=np.diff(rows.indptr).astype(np.uint16),
        steps=steps.astype(np.uint16),
        counts=np.minimum(rows.data, MAX_COUNT).astype(np.uint8),
        about=np.frombuffer(json.dumps(about, sort_keys=True).encode(), dtype=np.uint8),
    )
    return out.getvalue()


def from_bytes(data: bytes) -> Background:
    """Read what `to_bytes` made."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        terms = archive["terms"].tobytes().decode().split("\n")
        lengths, steps = archive["lengths"].astype(np.int64), archive["steps"].astype(np.int64)
        counts = archive["counts"].astype(np.int64)
        about = json.loads(archive["about"].tobytes())
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    total = np.concatenate(([0], np.cumsum(steps)))
    # A column is the sum of its row's steps up to it: the total, less the total before the row.
    indices = total[1:] - np.repeat(total[indptr[:-1]], lengths)
    shape, sha256 = (len(lengths), len(terms)), hashlib.sha256(data).hexdigest()
    return Background(terms, sparse.csr_matrix((counts, indices, indptr), shape=shape), about, sha256)
