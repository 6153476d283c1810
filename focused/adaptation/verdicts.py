"""People's verdicts on pages, read from a file or a folder of files that may grow while the crawl runs."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.webs.recorded.matching import canonical_form

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUFFIXES = {".jsonl": None, ".json": None, ".csv": ",", ".tsv": "\t"}
"""Files of a folder that are read; what separates the columns of a table."""
MAX_BYTES_AT_A_TIME = 100_000
"""Some tens of milliseconds; the rest comes with the next look."""
MAX_LINE_BYTES = 20_000
MAX_FILES = 1000

_YES = frozenset({"1", "yes", "y", "true", "relevant", "+"})
_NO = frozenset({"0", "no", "n", "false", "irrelevant", "-"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What somebody says of a page."""

    #: Canonical form of its URL.
    url: str
    relevant: bool
    note: str = ""


class VerdictFiles:
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
        ``read``, and ``bad`` lines; ``unreadable`` files, counted at each look.
    has_more : bool
        Whether the last look left something for the next.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.counts: Counter[str] = Counter()
        self.has_more = False
        self._read_up_to: dict[Path, int] = {}

    def new(self) -> list[Verdict]:
        """Return the verdicts that came since the last call, at most a hundred thousand bytes of them."""
        found: list[Verdict] = []
        self.has_more = False
        room = MAX_BYTES_AT_A_TIME
        for path in self._files():
            try:
                data = self._new_bytes(path, room)
            except OSError:
                self.counts["unreadable"] += 1
                continue
            room -= len(data)
            for line in data.split(b"\n"):
                text = line.decode("utf-8-sig", "replace").strip()
                if text:
                    found.extend(self._verdict(text, SUFFIXES.get(path.suffix.lower())))
            if self.has_more:
                break
        return found

    def _files(self) -> list[Path]:
        try:
            if not self.path.is_dir():
                return [self.path] if self.path.is_file() else []
            inside = sorted(path for path in self.path.iterdir() if path.suffix.lower() in SUFFIXES)
        except OSError:
            return []
        return inside[:MAX_FILES]

    def _new_bytes(self, path: Path, room: int) -> bytes:
        """Return the whole lines that are new."""
        size, done = path.stat().st_size, self._read_up_to.get(path, 0)
        if size == done:
            return b""
        if size < done:
            done = 0
        with path.open("rb") as file:
            file.seek(done)
            data = file.read(max(room, MAX_LINE_BYTES))
        self.has_more = done + len(data) < size
        end = data.rfind(b"\n") + 1
        if not end and len(data) >= MAX_LINE_BYTES:
            end = len(data)  # a line without end is none
        self._read_up_to[path] = done + end
        return data[:end]

    def _verdict(self, text: str, separator: str | None) -> Iterator[Verdict]:
        try:
            url, relevant, note = _of_row(text, separator) if separator and text[0] != "{" else _of_object(text)
            if url.lower() == "url" and relevant.lower() == "relevant":
                return  # the head of a table
            answer = relevant.strip().lower()
            if answer not in _YES | _NO or "://" not in url:
                raise ValueError(text)
            form = canonical_form(url.strip())
        except (ValueError, KeyError, TypeError, RecursionError, csv.Error):
            self.counts["bad"] += 1
            return
        if not form:
            self.counts["bad"] += 1
            return
        self.counts["read"] += 1
        yield Verdict(form, answer in _YES, note[:1000])


def _of_object(text: str) -> tuple[str, str, str]:
    value: Any = json.loads(text)
    return str(value["url"]), str(value["relevant"]), str(value.get("note") or "")


def _of_row(text: str, separator: str) -> tuple[str, str, str]:
    row = next(csv.reader(io.StringIO(text), delimiter=separator))
    return row[0], row[1] if len(row) > 1 else "", row[2] if len(row) > 2 else ""
