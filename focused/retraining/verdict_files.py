"""Verdict files: which files of a folder hold verdicts, and what a line says: a JSON object, or a row of a table."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    from pathlib import Path

SUFFIXES = {".jsonl": None, ".json": None, ".csv": ",", ".tsv": "\t"}
"""Files of a folder that are read; what separates the columns of a table."""
MAX_FILES = 1000
_TEMPORARY = (".tmp", ".part", ".bak", ".swp", "~")
"""Ends of the names of temporary files and backups, which editors and downloads leave."""

OF_ANOTHER_KIND = (
    f"of a folder of verdicts only files ({', '.join(SUFFIXES)}) are read. If it holds verdicts, rename it, or move them into "
    "such a file"
)
BEYOND = f"of a folder of verdicts the first {MAX_FILES:,} files by name are read. Join some into one"

_SHOWN = 60
_YES = frozenset({"1", "yes", "y", "true", "relevant", "+"})
_NO = frozenset({"0", "no", "n", "false", "irrelevant", "-"})


@dataclass(frozen=True, slots=True)
class Listing:
    """What lies at a path."""

    #: To be read, in the order of their names.
    files: list[Path] = field(default_factory=list)
    #: Files and folders in the folder that are not read although a user may expect it, by the reason.
    ignored: dict[str, list[Path]] = field(default_factory=dict)

    @property
    def n_ignored(self) -> int:
        """How many files and folders are not read."""
        return sum(map(len, self.ignored.values()))


def listing(path: Path) -> Listing:
    """Return the files to read at a path, which need not be there: itself, or of a folder at most ``MAX_FILES``."""
    if not path.is_dir():
        return Listing([path] if path.is_file() else [])
    files, others = [], []
    for each in sorted(path.iterdir()):
        if each.suffix.lower() in SUFFIXES:
            files.append(each)
        elif not _is_temporary(each.name):
            others.append(each)
    ignored = {OF_ANOTHER_KIND: others, BEYOND: files[MAX_FILES:]}
    return Listing(files[:MAX_FILES], {why: paths for why, paths in ignored.items() if paths})


def _is_temporary(name: str) -> bool:
    """Tell whether a name is that of a hidden file, an editor's backup, or a file that is still being written.

    >>> [_is_temporary(name) for name in (".a.txt", "a.csv~", "#a.csv#", "a.jsonl.PART", "a.txt")]
    [True, True, True, True, False]
    """
    return name.startswith((".", "#")) or name.lower().endswith(_TEMPORARY)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A person's judgement of a page."""

    #: Canonical form of its URL.
    url: str
    relevant: bool
    note: str = ""


def parse_verdict(text: str, separator: str | None) -> Verdict | None:
    """Return the verdict of a line; None for the head of a table, whose columns the separator divides (None: JSON objects).

    Raises
    ------
    ValueError
        If the line holds no verdict.
    """
    try:
        url, relevant, note = _of_row(text, separator) if separator and text[0] != "{" else _of_object(text)
        answer = relevant.strip().lower()
        if url.lower() == "url" and answer == "relevant":
            return None
        form = canonical_form(url.strip()) if "://" in url and answer in _YES | _NO else None
    except (KeyError, TypeError, RecursionError, csv.Error) as error:
        raise ValueError(f"{text!r} is no verdict.") from error
    if not form:
        raise ValueError(f"{text!r} is no verdict.")
    return Verdict(form, answer in _YES, note[:1000])


def fault_of(path: Path, number: int, text: str, separator: str | None) -> str:
    """Return what is wrong with a line, what it must be, and what is done with it."""
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


def _of_object(text: str) -> tuple[str, str, str]:
    value: Any = json.loads(text)
    return str(value["url"]), str(value["relevant"]), str(value.get("note") or "")


def _of_row(text: str, separator: str) -> tuple[str, str, str]:
    row = next(csv.reader(io.StringIO(text), delimiter=separator))
    return row[0], row[1] if len(row) > 1 else "", row[2] if len(row) > 2 else ""
