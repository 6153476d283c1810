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
    from collections.abc import Collection, Sequence

BACKGROUND_FILE = "background.npz"
LANGUAGE = "en"
MAX_COUNT = 255  # larger counts add no information
MIN_PAGES = 5
"""Pages that hold a term, at least."""

# The pages of a source stand together. A file that does not say in which order has this one.
_ORDER = (
    *("python3-doc", "git-doc", "postgresql-doc-15", "octave-doc", "grass-doc", "gimp-help-en", "anarchism"),
    *("lilypond-doc-html", "20 Newsgroups", "Reuters-21578", "HyperPhysics", "WebKB"),
)


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

    @property
    def sources(self) -> dict[str, int]:
        """Number of pages of each source, in the order of the rows."""
        counts: dict[str, int] = self.about.get("sources", {})
        return {name: counts[name] for name in self.about.get("order", _ORDER) if name in counts}

    def without(self, names: Collection[str]) -> Background:
        """Return the background as it would be without some of its sources.

        Raises ValueError if a name is no source.
        """
        sources = self.sources
        unknown = sorted(set(names) - set(sources))
        if unknown:
            raise ValueError(
                f"{', '.join(unknown)} is no source of the general background. Its sources: {', '.join(sources)}."
            )
        if not names:
            return self
        counts = self.counts[np.repeat([name not in names for name in sources], list(sources.values()))]
        is_kept = np.bincount(counts.indices, minlength=len(self.terms)) >= MIN_PAGES
        terms = [term for term, keep in zip(self.terms, is_kept.tolist(), strict=True) if keep]
        left = {name: n for name, n in sources.items() if name not in names}
        return from_bytes(to_bytes(terms, counts[:, is_kept], {**self.about, "sources": left, "order": list(left)}))


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
