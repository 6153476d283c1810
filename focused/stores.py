"""Files of a run directory that a full disk does not turn into a lost crawl."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger(__name__)


class LineFile:
    """A text file that is appended to, line by line, each flushed so that it can be followed.

    What cannot be written is counted in ``n_failed``, said once in the log, and the crawl goes on.

    Parameters
    ----------
    path : Path
        Created at the first line.
    header : str
        First line of a new file.
    """

    def __init__(self, path: Path, header: str = "") -> None:
        self.path = path
        self.header = header
        self.n_written = 0
        self.n_failed = 0
        self._file: TextIO | None = None

    def write(self, line: str) -> None:
        """Append a line."""
        try:
            if self._file is None:
                self._file = self.path.open("a", encoding="utf-8", errors="replace", newline="\n")
                if self.header and self._file.tell() == 0:
                    self._file.write(f"{self.header}\n")
            self._file.write(f"{line}\n")
            self._file.flush()
        except (OSError, ValueError) as error:
            if not self.n_failed:
                logger.error("%s cannot be written: %s. Lines are being lost; they are counted.", self.path, error)
            self.n_failed += 1
        else:
            self.n_written += 1

    def close(self) -> None:
        """Close the file if it is open."""
        if self._file is not None:
            try:
                self._file.close()
            except OSError as error:
                self.n_failed += 1
                logger.error("%s cannot be closed: %s", self.path, error)


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file under another name first, so that a reader finds a whole one; a failure is logged."""
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_text(json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        logger.error("%s cannot be written: %s", path, error)
