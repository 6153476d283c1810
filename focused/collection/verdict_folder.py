"""Reads and writes a run's folder ``verdicts``: one file for each person, one line for each verdict.

A line of ``PERSON.jsonl`` is an object with ``url`` and ``relevant`` (true, false, or null: taken back), and perhaps ``note``,
``at`` (ISO 8601 in UTC), ``person`` (default: the file's name), ``drawn`` (why the page was shown), ``probability`` (with what
chance a page of its group had been drawn at random), ``pages`` (number of the crawl's last page at that time) and ``model``
(which had judged the pages by then, if it had learnt from verdicts: `focused.collection.learnt_verdicts`). A row of a file
``*.csv`` or ``*.tsv`` has URL, yes or no, and perhaps a note. The last line of a person on a page counts.
"""

from __future__ import annotations

import json
import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from focused.collection.verdict_files import SUFFIXES, listing, parse_verdict
from focused.utils.files import append_whole, read_regular

ASSESSOR = "assessor-"
"""The names of programs that judge in a person's place begin so. No figure counts what they say; people overrule it."""
MAX_FILE_BYTES, MAX_LINE_BYTES = 100_000_000, 20_000
_MOST_PERSON_CHARS = 64


class FolderLimits(NamedTuple):
    """Limits of what is read of a folder. A larger file is left out, and so are files beyond ``n_all_bytes`` in all."""

    n_bytes: int = MAX_FILE_BYTES
    n_lines: int = 10**9
    n_all_bytes: int = 10**12


ON_PAGE = FolderLimits(10_000_000, 100_000, 50_000_000)
"""The limits while a browser waits for a page: reading so much of a stranger's run takes some ten seconds."""
_NAME = re.compile(r"\w[\w .@-]{0,63}")
_MAX_NAME_BYTES = 200
"""A file is named after the person, and file names have 255 bytes at most."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one person says of one page."""

    url: str
    person: str
    #: None: the verdict was taken back, or the person did not want to judge.
    relevant: bool | None
    note: str = ""
    at: str = ""
    #: Why the page was shown; empty: the person chose it.
    drawn: str = ""
    #: The chance of a page that was drawn at random; None for other pages.
    probability: float | None = None
    #: Number of the crawl's last page when this one was drawn.
    pages: int = 0
    #: The model that had judged the pages by then, if it had learnt from verdicts: `focused.collection.learnt_verdicts`.
    model: str = ""

    def to_line(self) -> str:
        """Return one line of JSON, without the fields that are not known."""
        values: dict[str, Any] = {"url": self.url, "relevant": self.relevant, "note": self.note, "at": self.at}
        values |= {"person": self.person, "drawn": self.drawn, "probability": self.probability, "pages": self.pages}
        values["model"] = self.model
        known = {name: value for name, value in values.items() if name == "relevant" or value not in ("", None, 0)}
        return json.dumps(known, ensure_ascii=False)


class VerdictFolder:
    """The opinions in a folder. The folder may be missing, and may grow while it is read."""

    def __init__(self, path: Path, most: FolderLimits | None = None) -> None:
        self.path = path
        self._most = most or FolderLimits()
        #: Files that are left out because they are too large.
        self.too_large: list[Path] = []
        #: Number of lines without a verdict; files that are not read although they may hold verdicts.
        self.n_bad, self.ignored = 0, list[Path]()
        self._known: dict[Path, tuple[tuple[int, int], list[Opinion], int]] = {}

    def read(self) -> list[Opinion]:
        """Return all opinions, each person's in the order of its lines. Files that have not changed are not read again."""
        self.n_bad, self.ignored, self.too_large, found = 0, [], [], list[Opinion]()
        n_left = self._most.n_all_bytes
        for path in self._files():
            try:
                status = path.lstat()
                state = status.st_size, status.st_mtime_ns
                if status.st_size > min(self._most.n_bytes, n_left):
                    raise _TooLargeError
                n_left -= status.st_size
                if path not in self._known or self._known[path][0] != state:
                    self._known[path] = state, *_opinions(path, self._most.n_lines)
            except _TooLargeError:
                self.too_large.append(path)
                continue
            except (OSError, ValueError):
                self.ignored.append(path)
                continue
            _, opinions, n_bad = self._known[path]
            self.n_bad += n_bad
            found += opinions
        return found

    def _files(self) -> list[Path]:
        with suppress(OSError):
            if not self.path.is_dir():
                return []
            found = listing(self.path)
            self.ignored += [path for paths in found.ignored.values() for path in paths]
            return found.files
        return []


class VerdictLog:
    """One person's file, to which verdicts are appended; each is on the disk when `write` returns.

    Raises
    ------
    ValueError
        If no file can have the name, or something that is no file has it.
    """

    def __init__(self, folder: Path, person: str) -> None:
        self.person = check_person(person)
        self.path = folder / f"{person}.jsonl"
        for path, is_right, what in ((folder, Path.is_dir, "a folder"), (self.path, Path.is_file, "a regular file")):
            if path.is_symlink() or (path.exists() and not is_right(path)):
                raise ValueError(f"{path} must be {what}, and no link. Move it away")

    def write(self, opinion: Opinion) -> Opinion:
        """Append what this person says now, and return it with name and time. An OSError says that it was not written."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        opinion = replace(opinion, person=self.person, at=opinion.at or now)
        is_new = not self.path.exists()
        self.path.parent.mkdir(exist_ok=True)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with open(os.open(self.path, flags, 0o644), "a+b", buffering=0) as file:  # noqa: PTH123
            # Half a line, as a full disk may leave one, must not swallow the next.
            half = file.seek(0, os.SEEK_END) and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
            append_whole(file, ("\n" * bool(half) + opinion.to_line() + "\n").encode("utf-8", "replace"))
            os.fsync(file.fileno())
        if is_new:
            _sync_folder(self.path.parent)
        return opinion


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file durable, where a folder can be synchronised."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class _TooLargeError(ValueError):
    pass


def _opinions(path: Path, n_most: int) -> tuple[list[Opinion], int]:
    """Return the opinions of a file, and how many lines hold none. A last line without an end is still being written."""
    found, n_bad, separator = list[Opinion](), 0, SUFFIXES[path.suffix.lower()]
    data = read_regular(path, MAX_FILE_BYTES)
    if data.count(b"\n") > n_most:
        raise _TooLargeError
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        text = line.decode("utf-8-sig", "replace").strip()
        if not text:
            continue
        try:
            if len(line) > MAX_LINE_BYTES:
                raise ValueError(f"It is longer than {MAX_LINE_BYTES:,} bytes.")
            said = parse_verdict(text, separator, is_first=number == 1)
        except ValueError:
            n_bad += 1
            continue
        if said is not None:
            person = (said.person or path.stem)[:_MOST_PERSON_CHARS]
            opinion = Opinion(said.written, person, said.relevant, said.note, said.at, said.drawn)
            found.append(replace(opinion, probability=said.probability, pages=said.pages, model=said.model))
    return found, n_bad


def check_person(name: str) -> str:
    """Return a person's name, which becomes that of a file; a ValueError says what it must be."""
    if not _NAME.fullmatch(name) or len(name.encode("utf-8", "replace")) > _MAX_NAME_BYTES:
        raise ValueError(f"A person's name must be up to 64 letters, digits and ._@- or spaces. Got {name!r}.")
    return name
