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
from focused.utils.files import read_regular

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

_ENCRYPTED = 0x1 | 0x40
"""Bits of a member's flags."""

UNREADABLE = (
    *(ValueError, KeyError, OSError, zipfile.BadZipFile, zlib.error, EOFError, MemoryError),
    OverflowError,  # a shape beyond all integers
)
"""What `arrays_of` raises if the bytes are damaged, or none of ours."""


def read_described(path: Path, sha256: str, max_bytes: int, words: tuple[str, str], advice: str) -> bytes:
    """Return the bytes of a file. Raises TopicError if it is missing, too large, or not the one that the manifest describes.

    ``words``: what a file that is too large is not, and what describes it.
    """
    try:
        data = read_regular(path, max_bytes)
    except OSError as error:
        raise TopicError(f"{path} cannot be read: {error.strerror or error}. {advice}") from None
    except ValueError as error:
        raise TopicError(f"{path} cannot be read: {error}; {words[0]}. {advice}") from None
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
        for entry in archive.infolist():
            if entry.flag_bits & _ENCRYPTED:
                raise ValueError(f"its member {entry.filename!r:.80} is encrypted")
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # numpy writes no others
                raise ValueError(f"its member {entry.filename!r:.80} is compressed by method {entry.compress_type}")
        if sum(entry.file_size for entry in archive.infolist()) > max_bytes:
            raise ValueError(f"unpacked it is larger than {max_bytes:,} bytes")
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        found = {key: archive[key] for key in (*keys, *(key for key in archive.files if key in optional))}
    for key, array in found.items():
        if not isinstance(array, np.ndarray):  # of what is no array numpy returns the bytes
            raise ValueError(f"its member {key!r} is no array")
    return found
