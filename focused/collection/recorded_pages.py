"""Reads pages of a collection from what their crawl recorded, and returns their main text as Markdown."""

from __future__ import annotations

from contextlib import ExitStack
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from focused.collection.as_warc import records, warc_files
from focused.method.page.encoding import printable
from focused.method.page.markdown import markdown_of
from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from pathlib import Path

    from typing_extensions import Self

    from focused.collection.as_warc import Member
    from focused.method.page.lines import Flags, Lines

_HTML = ("text/html", "application/xhtml+xml", "text/plain")
_MAX_BODY_BYTES = 20_000_000
_LEAST_FOUND = 0.9
"""If the recorded page has a smaller share of the text's lines, it is another version of the page."""


class RecordedPages:
    """The WARC files of runs. The collection tells which lines are the main text, so it is not looked for again."""

    def __init__(self, run_dirs: Sequence[Path]) -> None:
        self._open = ExitStack()
        self._reader = PageReader(Analyzer())
        self._reader.keeps_emphasis = True
        #: Of each run; many workers have recorded a file each.
        self._files: dict[Path, list[BinaryIO]] = {}
        #: Of each run: in which of its files a page is, and where.
        self._members: dict[Path, dict[str, tuple[BinaryIO, Member]]] = {}
        for each in run_dirs:
            self._files[each] = [self._open.enter_context(path.open("rb")) for path in warc_files(each)]

    def __enter__(self) -> Self:
        """Return it: the constructor has opened the files."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the files."""
        self._open.close()

    def of(self, run_dir: Path, row: sqlite3.Row) -> str:
        """Return the Markdown of a page's main text; empty if it was not recorded, is no HTML, or says something else."""
        files = self._files.get(run_dir)
        if not files or not row["text"]:
            return ""
        if run_dir not in self._members:  # the last one, if a URL has several answers
            self._members[run_dir] = {url: (file, member) for file in files for url, member in records(file)}
        members = self._members[run_dir]
        member = members.get(row["url"]) or members.get(row["location"])
        if member is None:
            return ""
        found = _answer(*member)
        if found is None:
            return ""
        body, content_type = found
        page = self._reader.read(body, row["url"], content_type or None)
        is_main = lines_of_text(page.lines, row["text"])
        return "" if is_main is None else markdown_of(page, is_main)


def lines_of_text(lines: Lines, text: str) -> Flags | None:
    """Flag the lines of a page that a text consists of, in order; shape (n_lines,). None if too few lines are found."""
    wanted = text.split("\n")
    found, place = np.zeros(len(lines), dtype=np.bool_), 0
    for number, line in enumerate(lines.texts):
        if place < len(wanted) and printable(line) == wanted[place]:
            found[number] = True
            place += 1
    return found if place >= _LEAST_FOUND * len(wanted) else None


def _answer(file: BinaryIO, member: Member) -> tuple[bytes, str] | None:
    """Return body and content type of a record; None if it is damaged, or no page that can be read."""
    offset, length = member
    file.seek(offset)
    try:
        for record in ArchiveIterator(BytesIO(file.read(length))):
            content_type = record.http_headers.get_header("Content-Type") or ""
            if content_type and not content_type.lower().startswith(_HTML):
                return None
            return record.content_stream().read(_MAX_BODY_BYTES), content_type
    except (ArchiveLoadFailed, EOFError, OSError, AttributeError):
        pass
    return None
