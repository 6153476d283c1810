"""The model that detects languages, on disk instead of in memory: of its 67 MB a crawl looks at few.

To unpack it takes 0.4 s, so it is unpacked once and kept in the user's cache; where that cannot be written, each time anew.
"""

from __future__ import annotations

import mmap
import os
import shutil
import tempfile
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Tables = dict[str, npt.NDArray[Any]]

_WRITTEN_AT_ONCE = 16_384
# In the order in which py3langid's load_model returns them.
_NAMES = ("nb_ptc", "nb_pc", "nb_classes", "tk_nextmove", "tk_row", "tk_output")
_LARGE = ("nb_ptc", "tk_nextmove")


@lru_cache(maxsize=1)
def identifier() -> Any:
    """Return py3langid's identifier; its two large tables are mapped from files."""
    from py3langid import langid  # its import takes a while, and few crawls need it
    from py3langid.modelio import load_model

    path = langid.MODEL_DIR / langid.MODEL_FILE
    kept = _kept_folder(path)
    tables = read_tables(kept)
    if tables is None:
        tables = {name: np.asarray(table) for name, table in zip(_NAMES, load_model(path), strict=True)}
        keep_tables(kept, tables)
        tables = read_tables(kept) or tables | {name: on_disk(tables[name]) for name in _LARGE}
    return langid.LanguageIdentifier(
        tables["nb_ptc"],
        tables["nb_pc"],
        tables["nb_classes"].tolist(),
        # A look at one place costs a third of what it does in an array of numpy.
        tables["tk_nextmove"].data,
        tables["tk_output"].tolist(),
        tk_row=tables["tk_row"].data,  # read once
    )


def read_tables(folder: Path | None) -> Tables | None:
    """Return the tables that are kept in a folder, mapped; None if not all are there, or others could have written them."""
    found: Tables = {}
    try:
        if folder is None or not _is_own(folder):
            return None
        for name in _NAMES:
            found[name] = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return found


def keep_tables(folder: Path | None, tables: Tables) -> None:
    """Keep tables in a folder, which is there whole or not at all; without room nothing is kept."""
    if folder is None:
        return
    with suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        begun = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
        try:
            for name, table in tables.items():
                _write(begun / f"{name}.npy", table)
            if folder.is_dir() and _is_own(folder):
                shutil.rmtree(folder)  # what could not be read
            begun.rename(folder)
        finally:
            shutil.rmtree(begun, ignore_errors=True)


def on_disk(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a table of the same numbers that takes memory only where it is looked at; the same one if there is no room.

    Its file has no name, and goes with the process.
    """
    data: Any = np.ascontiguousarray(table).data
    try:
        with tempfile.TemporaryFile(buffering=0) as file:
            _write_in_pieces(file, data.cast("B"))
            mapped = mmap.mmap(file.fileno(), data.nbytes, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # mmap refuses a file that is too short
        return table
    return np.frombuffer(mapped, dtype=table.dtype).reshape(table.shape)


def _kept_folder(model: Path) -> Path | None:
    """Return where the unpacked model is kept; None for a user without a home, such as a service."""
    with suppress(RuntimeError):
        caches = os.environ.get("FOCUSED_CACHE_DIR") or Path(
            os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "focused"
        )
        return Path(caches, f"py3langid-{version('py3langid')}-{model.stat().st_size}")
    return None


def _is_own(folder: Path) -> bool:
    """Tell whether nobody but the user of this process, and root, could have written there."""
    status = folder.stat()
    return not hasattr(os, "geteuid") or (status.st_uid in (0, os.geteuid()) and not status.st_mode & 0o022)


def _write(path: Path, table: npt.NDArray[Any]) -> None:
    with path.open("wb", buffering=0) as file:
        np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(table))
        data: Any = np.ascontiguousarray(table).view(np.uint8).data
        _write_in_pieces(file, data.cast("B"))
        os.fsync(file.fileno())


def _write_in_pieces(file: Any, data: memoryview) -> None:
    # Of what is written at once Linux makes one piece, which it then keeps in memory as a whole.
    for start in range(0, len(data), _WRITTEN_AT_ONCE):
        file.write(data[start : start + _WRITTEN_AT_ONCE])
