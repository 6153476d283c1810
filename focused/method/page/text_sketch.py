"""What is remembered of a page's text, and the bytes that it is stored in.

`focused.method.page.near_copies` makes it, `focused.method.page.copy_index` and `focused.method.page.excerpts` compare it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from focused.method.page.triples import MAX_KEPT

Hashes = npt.NDArray[np.uint32]
Sketch = npt.NDArray[np.uint16] | npt.NDArray[np.uint8]

N_PLACES = 128
LEAST_PAIRS = 25
"""A text with fewer different pairs is a copy only of the very same text."""
N_WHOLE_PLACES = 64

FORMAT = 3
"""Of the bytes of a sketch; earlier ones had other hashes (0), no title (1), no title without numbers and no triples (2)."""
N_HEAD, N_TITLE = 4, 4
_MOST_PAIRS = (1 << 16) - 1
N_FIXED = N_HEAD + 2 * N_TITLE + 2 * N_PLACES + N_WHOLE_PLACES
_NO_TRIPLES: Hashes = np.zeros(0, dtype=np.uint32)


class TextSketch(NamedTuple):
    """What is remembered of a page's text."""

    #: Of the page's own text, shape (N_PLACES,); 0: no pair fell into that part.
    places: Sketch
    #: Of the whole page, shape (N_WHOLE_PLACES,).
    whole: Sketch
    #: Different pairs, about.
    n_pairs: int
    #: A hash of the page's title; 0: it has none, or it is not known.
    title: int = 0
    #: The same of the title without its numbers.
    title_form: int = 0
    #: The hashes of its triples that are kept, ascending, shape (n_kept,): `focused.method.page.triples`.
    kept: Hashes = _NO_TRIPLES
    #: Share of these that no page before had, in [0, 1].
    new_share: float = 1.0
    #: Whether it is put together of parts of other pages.
    is_collage: bool = False

    def to_bytes(self) -> bytes:
        """Return it as bytes: 400 and 4 for each triple that is kept; of a collage one more, see `with_brought`."""
        head = min(self.n_pairs, _MOST_PAIRS).to_bytes(2, "little") + bytes([round(255 * self.new_share), FORMAT])
        titles = self.title.to_bytes(N_TITLE, "little") + self.title_form.to_bytes(N_TITLE, "little")
        places = self.places.astype("<u2").tobytes() + self.whole.tobytes()
        return head + titles + places + self.kept.astype("<u4").tobytes() + b"\xff" * self.is_collage

    @classmethod
    def from_bytes(cls, data: bytes) -> TextSketch:
        """Return what ``to_bytes`` made bytes of; ValueError if it is something else."""
        version = data[3] if len(data) > 3 else FORMAT
        if version != FORMAT:
            raise ValueError(f"A sketch must have the format {FORMAT}. Got {version}, of another version.")
        n_kept, rest = divmod(len(data) - N_FIXED, 4)
        if n_kept < 0 or rest > 1 or n_kept > MAX_KEPT:
            raise ValueError(f"A sketch must have {N_FIXED} bytes and 4 for each of its triples. Got {len(data)}.")
        first = N_HEAD + 2 * N_TITLE
        places = np.frombuffer(data, "<u2", N_PLACES, first).astype(np.uint16)
        whole = np.frombuffer(data, np.uint8, N_WHOLE_PLACES, first + 2 * N_PLACES)
        kept = np.frombuffer(data, "<u4", n_kept, N_FIXED).astype(np.uint32)
        titles = data[N_HEAD : N_HEAD + 2 * N_TITLE]
        title, title_form = (int.from_bytes(part, "little") for part in (titles[:N_TITLE], titles[N_TITLE:]))
        n_pairs = int.from_bytes(data[:2], "little")
        return cls(places, whole, n_pairs, title, title_form, kept, data[2] / 255, is_collage=bool(rest))
