"""The model that detects languages, on disk instead of in memory: of its 67 MB a crawl looks at few."""

from __future__ import annotations

import mmap
import tempfile
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

_WRITTEN_AT_ONCE = 16_384


@lru_cache(maxsize=1)
def identifier() -> Any:
    """Return py3langid's identifier; its two large tables are mapped from a file that has no name."""
    from py3langid import langid  # its import takes a while, and few crawls need it

    found = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE)
    moves = np.asarray(found.tk_nextmove)
    found.nb_ptc = on_disk(np.asarray(found.nb_ptc))
    # A look at one place costs a third of what it does in an array of numpy.
    found.tk_nextmove = on_disk(moves).data
    # What it goes back to where its languages are limited for a while.
    found._full_model = found.nb_ptc, found.nb_pc, found.nb_classes
    return found


def on_disk(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a table of the same numbers that takes memory only where it is looked at; the same one if there is no room."""
    data: Any = np.ascontiguousarray(table).data
    data = data.cast("B")
    try:
        with tempfile.TemporaryFile(buffering=0) as file:
            # Of what is written at once Linux makes one piece, which it then keeps in memory as a whole.
            for start in range(0, len(data), _WRITTEN_AT_ONCE):
                file.write(data[start : start + _WRITTEN_AT_ONCE])
            mapped = mmap.mmap(file.fileno(), len(data), access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # mmap refuses a file that is too short
        return table
    return np.frombuffer(mapped, dtype=table.dtype).reshape(table.shape)
