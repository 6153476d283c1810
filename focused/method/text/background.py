"""The general background that ships with the project: stem counts of a few thousand varied English pages.

It stands in for unlabelled pages where a user has none. No texts are kept. ``scripts/build_background.py`` makes the
file; ``about`` says from what.
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
MAX_COUNT = 255  # a page that says a word more often says no more


@dataclass(frozen=True)
class Background:
    """Term counts of varied pages.

    Parameters
    ----------
    terms : list of str
        Stems, sorted.
    counts : CSR matrix of shape (n_pages, n_terms)
    about : dict
        Sources with their numbers of pages, language, and what was pruned.
    sha256 : str
        Digest of the file.
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
    """Load the background that ships with the project; it is read from the package, zipped or not."""
    return from_bytes(files("focused.method.text").joinpath(BACKGROUND_FILE).read_bytes())


def to_bytes(terms: Sequence[str], counts: sparse.csr_matrix, about: dict[str, Any]) -> bytes:
    """Return a background as a file; the same for the same counts.

    Terms lie sorted in one text; of each row's sorted columns the steps are kept, which compress well.
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
    # The sum of a row's steps up to a column is the column; what came before the row is taken off again.
    indices = total[1:] - np.repeat(total[indptr[:-1]], lengths)
    shape = (len(lengths), len(terms))
    return Background(terms, sparse.csr_matrix((counts, indices, indptr), shape=shape), about, _sha256(data))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
