"""The word vectors that ship with the project: a short vector for each of some ten thousand English stems.

Words with similar vectors stand in similar surroundings. So a topic knows something of words that none of its examples holds.
``scripts/build_word_vectors.py`` makes the file; ``about`` names the source.
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

from focused.method.text.analyzer import TITLE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WORD_VECTORS_FILE = "word_vectors.npz"
LANGUAGE = "en"


@dataclass(frozen=True)
class WordVectors:
    """Vectors of stems.

    ``terms``: stems, sorted. ``vectors`` of shape (n_terms, n_dimensions): rows of length 1. ``about``: the source and its
    licence. ``sha256``: digest of the file.
    """

    terms: list[str]
    vectors: NDArray[np.float32]
    about: dict[str, Any] = field(default_factory=dict)
    sha256: str = ""

    def of_terms(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each term, shape (n_terms, n_dimensions); zeros where there is none.

        A term of a title has the vector of its stem.
        """
        place = {term: row for row, term in enumerate(self.terms)}
        rows = np.array([place.get(term.removeprefix(TITLE_PREFIX), -1) for term in terms], dtype=np.int64)
        found = np.zeros((len(terms), self.vectors.shape[1]), dtype=np.float32)
        found[rows >= 0] = self.vectors[rows[rows >= 0]]
        return found

    def nearest(self, terms: Sequence[str], n: int) -> tuple[list[str], NDArray[np.float32]]:
        """Return the stems nearest to the sum of some terms' vectors, without these terms, and their cosines with it.

        At most ``n``, sorted, and only those with a cosine above 0; none where no term has a vector.
        """
        total = self.of_terms(terms).sum(axis=0)
        cosines = self.vectors @ (total / max(float(np.linalg.norm(total)), 1e-9))
        own = set(terms)
        by_nearness = (row for row in np.argsort(-cosines)[: n + len(own)] if self.terms[row] not in own)
        rows = sorted(row for row in list(by_nearness)[:n] if cosines[row] > 0)
        return [self.terms[row] for row in rows], cosines[rows]


@lru_cache(maxsize=1)
def load_word_vectors() -> WordVectors:
    """Load the vectors that ship with the project, from a package that may be zipped."""
    return from_bytes(files("focused.method.text").joinpath(WORD_VECTORS_FILE).read_bytes())


def word_vectors_of(language: str) -> WordVectors | None:
    """Return the vectors of the words of a language (ISO 639-1); None where there are none."""
    return load_word_vectors() if language == LANGUAGE else None


def to_bytes(terms: Sequence[str], vectors: NDArray[np.floating[Any]], about: dict[str, Any]) -> bytes:
    """Return vectors as the bytes of a file; the same vectors give the same bytes.

    Each number is stored in eight bits, as a share of the largest one of its row.
    """
    largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9)
    out = io.BytesIO()
    np.savez_compressed(
        out,
        terms=np.frombuffer("\n".join(terms).encode(), dtype=np.uint8),
        vectors=np.rint(vectors / largest * 127).astype(np.int8),
        about=np.frombuffer(json.dumps(about, sort_keys=True).encode(), dtype=np.uint8),
    )
    return out.getvalue()


def from_bytes(data: bytes) -> WordVectors:
    """Read what `to_bytes` made."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        terms = archive["terms"].tobytes().decode().split("\n")
        vectors = archive["vectors"].astype(np.float32)
        about = json.loads(archive["about"].tobytes())
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return WordVectors(terms, vectors / np.maximum(lengths, 1e-9), about, hashlib.sha256(data).hexdigest())
