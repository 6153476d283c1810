"""Reads people's verdicts on pages from a file or a folder of files that may grow while the crawl runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from focused.collection.verdict_faults import FileFaults
from focused.collection.verdict_files import SUFFIXES, listing, parse_verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.collection.verdict_files import Verdict

MAX_BYTES_AT_A_TIME = 100_000
"""They take some tens of milliseconds; the rest is read with the next look."""
MAX_LINE_BYTES = 20_000
_MAX_FAULTS = 20
"""Files whose faults are logged; those of further files are only counted."""


@dataclass(slots=True)
class _Reading:
    """How far a file has been read."""

    n_bytes: int = 0
    n_lines: int = 0
    #: Number of the last line that held no verdict.
    bad_line: int = 0
    #: Whether the last piece read ended inside a line that is too long.
    is_inside: bool = False


@dataclass(slots=True)
class _Faults:
    """What is wrong with verdict files, in words that nobody has read yet."""

    new: list[str] = field(default_factory=list)
    files: set[Path] = field(default_factory=set)

    def add(self, path: Path, text: str) -> None:
        is_new = path not in self.files
        self.files.add(path)
        if len(self.files) <= _MAX_FAULTS:
            self.new.append(text)
        elif is_new and len(self.files) == _MAX_FAULTS + 1:
            self.new.append("Faults of more verdict files are only counted.")


class FeedbackFiles:
    """Reads the new lines of verdict files, each line once and only when it is whole.

    A line is a JSON object with ``url``, ``relevant`` (true or false, yes or no, 1 or 0, or null: taken back) and perhaps
    ``note``, ``at``, ``drawn`` and ``person`` (default: the file's name), or, in files ``*.csv`` and ``*.tsv``, a row of the
    first three. A file that has become shorter is read again from its start. Of a folder all such files are read in the order
    of their names. None of the paths need be there yet.
    """

    def __init__(self, *paths: Path, optional: Path | None = None) -> None:
        self._named = paths
        #: What somebody named, and before it what is read if it is there.
        self.paths = paths if optional is None else (optional, *paths)
        #: ``read`` and ``bad`` lines; ``unreadable`` files and folders, counted each time; ``ignored_files`` of the folder.
        self.counts: Counter[str] = Counter()
        #: Whether the last reading left something for the next.
        self.has_more = False
        self._reading: dict[Path, _Reading] = {}
        self._bad, self._unreadable = _Faults(), _Faults()
        self._wrong_lines: dict[Path, FileFaults] = {}
        self._told: set[str] = set()
        self._untold: list[str] = []

    def read_new(self) -> list[Verdict]:
        """Return the verdicts that are new since the last call, at most a hundred thousand bytes of them."""
        found: list[Verdict] = []
        self.has_more = False
        n_left = MAX_BYTES_AT_A_TIME
        for path in self._files():
            try:
                data = self._new_bytes(path, n_left)
            except OSError as error:
                self._cannot_read(path, error)
                continue
            n_left -= len(data)
            if data:
                found.extend(self._verdicts(path, data))
            if self.has_more:
                break
        return found

    def faults(self) -> list[str]:
        """Return the faults of files for the log, each once: of a file the first few. Of ignored files the first is named."""
        found = self._bad.new + self._unreadable.new + self._untold
        self._bad.new, self._unreadable.new, self._untold = [], [], []
        return found

    def summary(self) -> str:
        """Return what could not be read so far; empty if everything could."""
        parts = []
        if self.counts["bad"]:
            parts.append(f"{self.counts['bad']:,} lines, in files: {_names(self._bad.files)}")
        if self._unreadable.files:
            parts.append(f"these files or folders: {_names(self._unreadable.files)}")
        readable = self._reading.keys() - self._unreadable.files
        without_end = {path for path in readable if _size(path) > self._reading[path].n_bytes}
        if without_end and not self.has_more:
            parts.append(f"the last line, which has no end, of: {_names(without_end)}")
        if not parts:
            missing = [str(path) for path in self._named if not path.exists()]
            return f"Verdicts: there was no file to read at {', '.join(missing)}." if missing else ""
        return f"Verdicts: {self.counts['read']:,} read. Left out: {'; '.join(parts)}."

    def _cannot_read(self, path: Path, error: OSError) -> None:
        self.counts["unreadable"] += 1
        if path not in self._unreadable.files:
            self._unreadable.add(path, f"{path} cannot be read: {error.strerror or error}. Its verdicts are left out.")

    def _verdicts(self, path: Path, data: bytes) -> Iterator[Verdict]:
        """Yield the verdicts of new lines."""
        reading, separator = self._reading[path], SUFFIXES.get(path.suffix.lower())
        lines = data.split(b"\n")
        last = reading.n_lines + len(lines)  # what follows the last end of line: nothing, or a piece of a long line
        for number, line in enumerate(lines, start=reading.n_lines + 1):
            text = line.decode("utf-8-sig", "replace").strip()
            is_whole = number < last and not reading.is_inside
            reading.is_inside = bool(text) and number == last
            if not text:
                continue
            try:
                if not is_whole:
                    raise ValueError(f"Line {number} is longer than {MAX_LINE_BYTES:,} bytes.")
                verdict = parse_verdict(text, separator, is_first=number == 1)
            except ValueError as error:
                if number != reading.bad_line:  # the pieces of a long line count once
                    reading.bad_line = number
                    self.counts["bad"] += 1
                    faults = self._wrong_lines.setdefault(path, FileFaults(path, separator))
                    if fault := faults.add(number, text, str(error) if is_whole else ""):
                        self._bad.add(path, fault)
            else:
                if verdict is not None:
                    self.counts["read"] += 1
                    yield verdict if verdict.person else replace(verdict, person=path.stem)
        reading.n_lines += len(lines) - 1

    def _files(self) -> list[Path]:
        files, n_ignored = list[Path](), 0
        for path in self.paths:
            try:
                found = listing(path)
            except OSError as error:
                self._cannot_read(path, error)
                continue
            files += found.files
            n_ignored += found.n_ignored
            for why, paths in found.ignored.items():
                if why not in self._told:
                    self._told.add(why)
                    self._untold.append(f"{paths[0]} is ignored: {why}. Others like it are only counted.")
        if n_ignored or self.counts["ignored_files"]:
            self.counts["ignored_files"] = n_ignored
        return list(dict.fromkeys(files))

    def _new_bytes(self, path: Path, n_most: int) -> bytes:
        """Return the new whole lines."""
        size, reading = path.stat().st_size, self._reading.setdefault(path, _Reading())
        if size == reading.n_bytes:
            return b""
        if size < reading.n_bytes:
            reading = self._reading[path] = _Reading()
        done = reading.n_bytes
        with path.open("rb") as file:
            file.seek(done)
            data = file.read(max(n_most, MAX_LINE_BYTES))
        self.has_more = done + len(data) < size
        end = data.rfind(b"\n") + 1
        if not end and len(data) >= MAX_LINE_BYTES:
            end = len(data)  # a piece of a line that is too long
        reading.n_bytes = done + end
        return data[:end]


def _names(paths: set[Path]) -> str:
    names = sorted(path.name for path in paths)
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
