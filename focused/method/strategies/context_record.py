"""What an incremental crawl keeps of a page: its verdict, and the contexts of its links."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class ContextRecord:
    """A page, its links and their different contexts."""

    #: The URLs that led to it.
    urls: tuple[str, ...]
    #: Whether it is relevant, by the topic's classifier.
    is_relevant: bool
    #: URLs of the links whose contexts hold known terms, and the row of each one's context, shape (n_links,).
    links: list[str]
    unit_of: npt.NDArray[np.int64]
    #: Counts of the different contexts, a CSR matrix of shape (n_units, n_terms).
    counts: Any

    def pack(self) -> bytes:
        """Return all of it as bytes that `unpack` understands."""
        about = json.dumps([self.urls, bool(self.is_relevant), self.links], separators=(",", ":")).encode()
        buffer = io.BytesIO()
        np.savez(
            buffer,
            about=np.frombuffer(about, dtype=np.uint8),
            unit_of=self.unit_of.astype(np.int32),
            bounds=self.counts.indptr.astype(np.int32),
            terms=self.counts.indices.astype(np.int32),
            counts=self.counts.data.astype(np.int32),
        )
        return zlib.compress(buffer.getvalue(), 1)

    @classmethod
    def unpack(cls, data: bytes, *, n_terms: int) -> ContextRecord:
        """Return what was packed; ValueError if the bytes are something else, or of another list of terms."""
        from scipy import sparse

        try:
            with np.load(io.BytesIO(zlib.decompress(data)), allow_pickle=False) as archive:
                urls, is_relevant, links = json.loads(archive["about"].tobytes())
                unit_of, bounds = archive["unit_of"].astype(np.int64), archive["bounds"]
                arrays = (archive["counts"].astype(np.float64), archive["terms"], bounds)
            counts = sparse.csr_matrix(arrays, shape=(len(bounds) - 1, n_terms))
            counts.check_format(full_check=True)
            if len(unit_of) != len(links) or (
                len(unit_of) and not 0 <= unit_of.min() <= unit_of.max() < len(bounds) - 1
            ):
                raise ValueError("a link has no context")
            return cls(tuple(map(str, urls)), bool(is_relevant), list(map(str, links)), unit_of, counts)
        except (zlib.error, zipfile.BadZipFile, OSError, EOFError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"not what a page says of its links' contexts: {error}") from None
