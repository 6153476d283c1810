"""Store the index of a WARC file, and rebuild it when it does not fit the file."""

from __future__ import annotations

import logging
import os
import sqlite3
import tempfile
import time
from contextlib import suppress
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex

from focused.webs.recorded.answer import WebError
from focused.webs.recorded.index import PageIndex
from focused.webs.recorded.index_build import build_index

logger = logging.getLogger(__name__)

FORMAT = "focused-widx-2"  # raise it with every change of the table or of the forms of URLs


def open_index(warc: Path, cache_dir: Path | None = None) -> PageIndex:
    """Open the index of a WARC file; build it first if none fits the file.

    It is kept beside the file as ``NAME.widx``. If that folder cannot be written, it is kept in the cache folder; if neither
    can, in a temporary folder for this run only.

    Parameters
    ----------
    warc : Path
        The WARC file.
    cache_dir : Path, optional
        Default: ``focused`` in the user's cache folder.

    Raises
    ------
    WebError
        If the file cannot be read, is no WARC, or holds no page.
    """
    try:
        if not warc.is_file():
            raise WebError(_no_file(warc))
        with warc.open("rb"):
            stat = warc.stat()
    except OSError as error:
        raise WebError(f"{warc} cannot be read: {error.strerror}. Check the path and its permissions.") from error
    # The index depends on the file, on our format, and on the library of the canonical forms.
    identity = f"{FORMAT} size={stat.st_size} mtime={stat.st_mtime_ns} w3lib={version('w3lib')}"
    places = _places(warc, cache_dir)
    for path in places:
        with suppress(sqlite3.Error, OSError, ValueError, KeyError, TypeError):
            return PageIndex(path, identity)
    for path in places:
        if _build(warc, path, identity):
            return PageIndex(path, identity)
    logger.warning("No place to keep the index of %s (tried %s): it is built for this run only", warc, places)
    with tempfile.TemporaryDirectory(prefix="focused-") as folder:
        path = Path(folder) / "index.widx"
        if not _build(warc, path, identity):
            raise WebError(
                f"The index of {warc} cannot be written to {places[0].parent} or {folder}. Free space there, "
                f"or set FOCUSED_CACHE_DIR to a folder that can be written."
            )
        return PageIndex(path, identity)  # it is open, so it outlives its name


def _no_file(warc: Path) -> str:
    if warc.is_dir():
        return f"{warc} is a folder. Give one WARC file."
    what = "is not a regular file" if warc.exists() else "does not exist"
    return f"{warc} {what}. Give the path of a WARC file, relative to {Path.cwd()} or absolute."


def _places(warc: Path, cache_dir: Path | None) -> list[Path]:
    places = [warc.with_name(warc.name + ".widx")]
    if cache_dir is None:
        with suppress(RuntimeError):  # no home folder: a service may have none
            cache_dir = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "focused"
    if cache_dir is not None:
        # Files of one name from different folders must not replace each other in the cache.
        folder = blake2b(str(warc.resolve().parent).encode(errors="surrogatepass"), digest_size=6).hexdigest()
        places.append(cache_dir / f"{warc.name}.{folder}.widx")
    return places


def _build(warc: Path, path: Path, identity: str) -> bool:
    """Build the index under another name and rename it, so that no reader finds half an index."""
    temporary = path.with_name(f"{path.name}.{token_hex(4)}.tmp")
    start = time.monotonic()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.parent.stat().st_mode & 0o222:
            # Root could write here in spite of the permissions, but should not.
            raise PermissionError(f"{path.parent} is read-only")
        build_index(warc, temporary, identity)
        temporary.replace(path)
    except (OSError, sqlite3.OperationalError) as error:
        logger.debug("No index at %s: %s", path, error)
        return False
    finally:
        with suppress(OSError):
            temporary.unlink()
    logger.info("Indexed %s in %.1f s; the index is kept in %s", warc, time.monotonic() - start, path)
    return True
