"""Read a file of arrays that may come from a stranger: no pickle, no endless array, and only what the manifest describes."""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.topic.names import TopicError

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

UNREADABLE = (ValueError, KeyError, OSError, zipfile.BadZipFile, zlib.error, EOFError, MemoryError)
"""What `arrays_of` raises if the bytes are damaged, or none of ours."""


def read_described(path: Path, sha256: str, max_bytes: int, words: tuple[str, str], advice: str) -> bytes:
    """Return the bytes of a file. Raises TopicError if it is missing, too large, or not the one that the manifest describes.

    ``words``: what a file that is too large is not, and what describes it.
    """
    try:
        if path.stat().st_size > max_bytes:
            raise TopicError(f"{path} is larger than {max_bytes:,} bytes; {words[0]}. {advice}")
        data = path.read_bytes()
    except OSError as error:
        raise TopicError(f"{path} cannot be read: {error.strerror or error}. {advice}") from None
    if hashlib.sha256(data).hexdigest() != sha256:
        raise TopicError(
            f"{path} is not the file that {words[1]} describes: it is damaged, was changed, or belongs to another model. "
            f"{advice}"
        )
    return data


def arrays_of(
    data: bytes, max_bytes: int, keys: Collection[str], optional: Collection[str] = ()
) -> dict[str, npt.NDArray[Any]]:
    """Return arrays of an archive by name. Raises one of `UNREADABLE` if it lacks one, or is larger unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > max_bytes:
            raise ValueError(f"unpacked it is larger than {max_bytes:,} bytes")
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        return {key: archive[key] for key in (*keys, *(key for key in archive.files if key in optional))}
