"""Write files of a run directory so that a full disk does not end the crawl; read files of strangers so that none hangs."""

from __future__ import annotations

import json
import logging
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from io import FileIO
    from pathlib import Path

logger = logging.getLogger(__name__)

_READ_BYTES = 1 << 20


def read_regular(path: Path, max_bytes: int, *, may_link: bool = True) -> bytes:
    """Return the bytes of a file that may come from a stranger.

    A pipe would be waited for without end, and a device may have no end, or act when it is opened. A symbolic link to a
    regular file is followed if it ``may_link``: in a stranger's folder it may lead to what the stranger wants to be shown.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is no regular file, or has more than ``max_bytes``, whatever size it claims.
    """
    handle = open_regular(path, may_link=may_link)
    try:
        parts, n_left = [], max_bytes + 1
        while n_left and (part := os.read(handle, min(n_left, _READ_BYTES))):
            parts.append(part)
            n_left -= len(part)
    finally:
        os.close(handle)
    if not n_left:
        raise ValueError(f"it is larger than {max_bytes:,} bytes")
    return b"".join(parts)


def open_regular(path: Path, *, may_link: bool = True) -> int:
    """Return a handle to read such a file by; errors as of `read_regular`."""
    _check_regular(os.stat(path, follow_symlinks=may_link))  # noqa: PTH116  before it is opened
    # Without waiting: between the look and the opening a pipe, or a link, may have taken its place.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags if may_link else flags | getattr(os, "O_NOFOLLOW", 0))
    try:
        _check_regular(os.fstat(handle))
    except ValueError:
        os.close(handle)
        raise
    return handle


def _check_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = "folder" if stat.S_ISDIR(status.st_mode) else "pipe, device or socket"
        kind = "symbolic link" if stat.S_ISLNK(status.st_mode) else kind
        raise ValueError(f"it must be a regular file, it is a {kind}")


def append_whole(file: FileIO, data: bytes) -> None:
    """Append all of the data to an unbuffered file, or raise an OSError and leave it as it was: no record is there by half."""
    end = file.seek(0, 2)
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError:
        with suppress(OSError):
            file.truncate(end)
        raise


class LineFile:
    """A text file that grows line by line; each line is written at once, so the file can be followed.

    A line is written whole or not at all. Lost lines are counted in ``n_failed`` and logged once; the crawl continues.
    The file is created at the first line, after a ``header`` if there is one.
    """

    def __init__(self, path: Path, header: str = "") -> None:
        self.path = path
        self.header = header
        self.n_failed = 0
        self._file: FileIO | None = None

    def write(self, line: str) -> bool:
        """Append a line; return whether it was written."""
        try:
            if self._file is None:
                self._file = self.path.open("a+b", buffering=0)
                self._end_half_line(self._file)
            if self.header and self._file.seek(0, 2) == 0:
                self._append(self.header)
            self._append(line)
        except OSError as error:
            if not self.n_failed:
                logger.error("%s cannot be written: %s. Lines are lost and counted.", self.path, error)
            self.n_failed += 1
            return False
        return True

    @staticmethod
    def _end_half_line(file: FileIO) -> None:
        """Keep the next line from being glued to what an earlier process, or a damaged disk, left of one."""
        if file.seek(0, 2) and file.seek(-1, 2) >= 0 and file.read(1) != b"\n":
            append_whole(file, b"\n")

    def _append(self, line: str) -> None:
        assert self._file is not None
        append_whole(self._file, f"{line}\n".encode("utf-8", "replace"))

    def close(self) -> None:
        """Close the file if it is open."""
        if self._file is not None:
            with suppress(OSError):  # each write has been reported already
                self._file.close()
            self._file = None


def has_header(path: Path, header: str) -> bool:
    """Tell whether a file is there and its first line is this one."""
    try:
        with path.open("rb") as file:
            return file.readline(len(header) + 2).rstrip(b"\n") == header.encode()
    except OSError:
        return False


def write_whole(path: Path, text: str) -> None:
    """Write a file under another name and rename it, so that readers find a whole one; an OSError if that cannot be.

    What stands under the other name is removed first: it may be a pipe, or a link to what must not be written over.
    """
    temporary = path.with_name(f"{path.name}.part")
    temporary.unlink(missing_ok=True)
    with temporary.open("x", encoding="utf-8", errors="replace") as file:
        file.write(text)
    temporary.replace(path)


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file as a whole; a failure is logged."""
    try:
        write_whole(path, json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n")
    except OSError as error:
        logger.error("%s cannot be written: %s", path, error)


def free_name(path: Path, ending: str) -> Path:
    """Return the name of a file with an ending; with a number behind it if there is such a file."""
    number = 1
    while (found := path.with_name(f"{path.name}{ending}{'' if number == 1 else f'-{number}'}")).exists():
        number += 1
    return found
