"""People's verdicts on pages, read from a file or a folder of files that may grow while the crawl runs."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from focused.retraining.feedback_files import SUFFIXES, listing
from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_BYTES_AT_A_TIME = 100_000
"""Some tens of milliseconds; the rest comes with the next look."""
MAX_LINE_BYTES = 20_000
_MAX_FAULTS = 20
"""Files whose faults are told; of more they are only counted."""
_SHOWN = 60

_YES = frozenset({"1", "yes", "y", "true", "relevant", "+"})
_NO = frozenset({"0", "no", "n", "false", "irrelevant", "-"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What somebody says of a page."""

    #: Canonical form of its URL.
    url: str
    relevant: bool
    note: str = ""


@dataclass(slots=True)
class _Reading:
    """How far a file has been read."""

    n_bytes: int = 0
    n_lines: int = 0
    #: Number of the last line that was no verdict.
    bad_line: int = 0
    #: Whether a piece of the line that comes next was too long for one and has been passed over.
    is_inside: bool = False


@dataclass(slots=True)
class _Faults:
    """What is wrong with verdict files, the first time that it is seen."""

    new: list[str] = field(default_factory=list)
    files: set[Path] = field(default_factory=set)

    def add(self, path: Path, text: str) -> None:
        if path in self.files:
            return
        self.files.add(path)
        if len(self.files) <= _MAX_FAULTS:
            self.new.append(text)
        elif len(self.files) == _MAX_FAULTS + 1:
            self.new.append("Faults of more verdict files are only counted.")


class FeedbackFiles:
    """Reads what is new in verdict files: whole lines only, each once.

    A line is a JSON object with ``url``, ``relevant`` (true or false, yes or no, 1 or 0) and perhaps ``note``, or, in files
    ``*.csv`` and ``*.tsv``, a row of these three. A last line without an end is read when it is whole. A file that has
    become shorter is read again.

    Parameters
    ----------
    path : Path
        A file, or a folder whose ``.jsonl``, ``.json``, ``.csv`` and ``.tsv`` files are read in the order of their names. It
        need not be there yet.

    Attributes
    ----------
    counts : Counter
        ``read``, and ``bad`` lines; ``unreadable`` files and folders, counted at each look; ``ignored_files``: what the folder
        held at the last look and is not read.
    has_more : bool
        Whether the last look left something for the next.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.counts: Counter[str] = Counter()
        self.has_more = False
        self._reading: dict[Path, _Reading] = {}
        self._bad, self._unreadable = _Faults(), _Faults()
        self._told: set[str] = set()
        self._untold: list[str] = []

    def read_new(self) -> list[Verdict]:
        """Return the verdicts that are new since the last call, at most a hundred thousand bytes of them."""
        found: list[Verdict] = []
        self.has_more = False
        room = MAX_BYTES_AT_A_TIME
        for path in self._files():
            try:
                data = self._new_bytes(path, room)
            except OSError as error:
                self._cannot_read(path, error)
                continue
            room -= len(data)
            if data:
                found.extend(self._verdicts(path, data))
            if self.has_more:
                break
        return found

    def faults(self) -> list[str]:
        """Return what is wrong with the files, one text a file, each once; for the log. Of ignored ones the first is named."""
        found = self._bad.new + self._unreadable.new + self._untold
        self._bad.new, self._unreadable.new, self._untold = [], [], []
        return found

    def summary(self) -> str:
        """Return what could not be read so far; empty where all could."""
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
            return "" if self._reading else f"Verdicts: none; there was no file to read at {self.path}."
        return f"Verdicts: {self.counts['read']:,} read. Left out: {'; '.join(parts)}."

    def _cannot_read(self, path: Path, error: OSError) -> None:
        self.counts["unreadable"] += 1
        self._unreadable.add(path, f"{path} cannot be read: {error.strerror or error}. Its verdicts are left out.")

    def _verdicts(self, path: Path, data: bytes) -> Iterator[Verdict]:
        """Yield the verdicts of lines that are new."""
        reading, separator = self._reading[path], SUFFIXES.get(path.suffix.lower())
        lines = data.split(b"\n")
        for number, line in enumerate(lines, start=reading.n_lines + 1):
            text = line.decode("utf-8-sig", "replace").strip()
            is_whole = not reading.is_inside and number <= reading.n_lines + len(lines) - 1
            reading.is_inside = bool(text) and number == reading.n_lines + len(lines)
            if text and (verdict := self._verdict(text, separator) if is_whole else _NO_VERDICT) is not None:
                if isinstance(verdict, Verdict):
                    self.counts["read"] += 1
                    yield verdict
                elif number != reading.bad_line:  # a line that comes in pieces is one
                    reading.bad_line = number
                    self.counts["bad"] += 1
                    self._bad.add(path, _fault(path, number, text, separator))
        reading.n_lines += len(lines) - 1

    def _files(self) -> list[Path]:
        try:
            found = listing(self.path)
        except OSError as error:
            self._cannot_read(self.path, error)
            return []
        if found.n_ignored or self.counts["ignored_files"]:
            self.counts["ignored_files"] = found.n_ignored
        for why, paths in found.ignored.items():
            if why not in self._told:
                self._told.add(why)
                self._untold.append(f"{paths[0]} is ignored: {why}. Others like it are only counted.")
        return found.files

    def _new_bytes(self, path: Path, room: int) -> bytes:
        """Return the whole lines that are new."""
        size, reading = path.stat().st_size, self._reading.setdefault(path, _Reading())
        if size == reading.n_bytes:
            return b""
        if size < reading.n_bytes:
            reading = self._reading[path] = _Reading()
        done = reading.n_bytes
        with path.open("rb") as file:
            file.seek(done)
            data = file.read(max(room, MAX_LINE_BYTES))
        self.has_more = done + len(data) < size
        end = data.rfind(b"\n") + 1
        if not end and len(data) >= MAX_LINE_BYTES:
            end = len(data)  # a line without end is none
        reading.n_bytes = done + end
        return data[:end]

    def _verdict(self, text: str, separator: str | None) -> Verdict | str | None:
        """Return a line's verdict; `_NO_VERDICT` if it is none, None of the head of a table."""
        try:
            url, relevant, note = _of_row(text, separator) if separator and text[0] != "{" else _of_object(text)
            if url.lower() == "url" and relevant.lower() == "relevant":
                return None
            answer = relevant.strip().lower()
            if answer not in _YES | _NO or "://" not in url:
                return _NO_VERDICT
            form = canonical_form(url.strip())
        except (ValueError, KeyError, TypeError, RecursionError, csv.Error):
            return _NO_VERDICT
        return Verdict(form, answer in _YES, note[:1000]) if form else _NO_VERDICT


_NO_VERDICT = "none"


def _fault(path: Path, number: int, text: str, separator: str | None) -> str:
    """Return what is wrong with a line, what it should be, and what comes of it."""
    shown = repr(text[:_SHOWN]) + (f"... ({len(text):,} characters or more)" if len(text) > _SHOWN else "")
    if "\0" in text or "\ufffd" in text:
        must = "The file must be text in UTF-8."
    elif text[0] == "[" and not separator:
        must = (
            "The file must hold JSON Lines, one object a line, and not an array. Convert it "
            f"(jq -c '.[]' {path.name} > {path.stem}.jsonl)."
        )
    elif separator:
        must = f"It must be a row of a URL, yes or no, and perhaps a note, separated by {separator!r}."
    else:
        must = 'It must be a JSON object such as {"url": "http://site.example/page", "relevant": true}.'
    return (
        f"{path}, line {number} is no verdict: {shown}. {must} Such lines are left out; more of this file are counted."
    )


def _names(paths: set[Path]) -> str:
    names = sorted(path.name for path in paths)
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _of_object(text: str) -> tuple[str, str, str]:
    value: Any = json.loads(text)
    return str(value["url"]), str(value["relevant"]), str(value.get("note") or "")


def _of_row(text: str, separator: str) -> tuple[str, str, str]:
    row = next(csv.reader(io.StringIO(text), delimiter=separator))
    return row[0], row[1] if len(row) > 1 else "", row[2] if len(row) > 2 else ""
