"""Write files of a run directory so that a full disk does not end the crawl."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from io import FileIO
    from pathlib import Path

logger = logging.getLogger(__name__)


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
                self._file = self.path.open("ab", buffering=0)
            if self.header and self._file.seek(0, 2) == 0:
                self._append(self.header)
            self._append(line)
        except OSError as error:
            if not self.n_failed:
                logger.error("%s cannot be written: %s. Lines are lost and counted.", self.path, error)
            self.n_failed += 1
            return False
        return True

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


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file under another name and rename it, so that readers find a whole one; a failure is logged."""
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_text(json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        logger.error("%s cannot be written: %s", path, error)
