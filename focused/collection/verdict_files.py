"""Finds the files of a folder that hold verdicts, and reads their lines: JSON objects, or rows of a table."""

from __future__ import annotations

import csv
import io
import json
import stat
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
NOT_REGULAR = (
    "verdicts are read from regular files only, and it is a {}. Put a file in its place, or name another with "
    "FOCUSED_VERDICTS"
)

_SHOWN = 60
_YES = frozenset({"1", "yes", "y", "true", "relevant", "+"})
_NO = frozenset({"0", "no", "n", "false", "irrelevant", "-"})
_TAKEN_BACK = "null"
_TEXTS = ("note", "person", "at", "drawn", "model")
_MOST_PAGES = 2**62
_MOST_CHARS = 1000
"""Of a note, a person's name, and whatever else a line says beside its verdict."""


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
    """Return the files to read at a path, which need not be there: itself, or of a folder at most ``MAX_FILES``.

    The path itself may be a symbolic link; in a folder links are not followed, for the folder may come from a stranger.
    """
    if not path.is_dir():
        if not path.exists() or path.is_file():
            return Listing([path] if path.exists() else [])
        return Listing([], {NOT_REGULAR.format(_kind(path.stat().st_mode)): [path]})
    files, others = [], []
    special: dict[str, list[Path]] = {}
    for each in sorted(path.iterdir()):
        if _is_temporary(each.name):
            continue
        mode = each.lstat().st_mode
        if each.suffix.lower() not in SUFFIXES or stat.S_ISDIR(mode):
            others.append(each)
        elif not stat.S_ISREG(mode):
            special.setdefault(NOT_REGULAR.format(_kind(mode)), []).append(each)
        else:
            files.append(each)
    ignored = {OF_ANOTHER_KIND: others, BEYOND: files[MAX_FILES:], **special}
    return Listing(files[:MAX_FILES], {why: paths for why, paths in ignored.items() if paths})


def _kind(mode: int) -> str:
    return "symbolic link" if stat.S_ISLNK(mode) else "pipe, device or socket"


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
    #: None: the person takes back what was said.
    relevant: bool | None
    note: str = ""
    #: Empty: whose file it is.
    person: str = ""
    #: When it was given, ISO 8601 in UTC, and why the page was shown; both as the line says, and perhaps empty.
    at: str = ""
    drawn: str = ""
    #: The URL as the line has it.
    written: str = ""
    #: The chance with which the page was drawn at random, and the number of the crawl's last page at that time.
    probability: float | None = None
    pages: int = 0
    #: The model that had judged the pages by then, if it had learnt from verdicts: `focused.collection.learnt_verdicts`.
    model: str = ""


def parse_verdict(text: str, separator: str | None, *, is_first: bool = False) -> Verdict | None:
    """Return the verdict of a line; None for the head of a table, whose columns the separator divides (None: JSON objects).

    The first line of a table is its head if it holds neither an address nor a verdict.

    Raises
    ------
    ValueError
        If the line holds no verdict; the message says what its wrong value must be, or is empty if the line is of another
        kind altogether.
    """
    try:
        values = _of_row(text, separator) if separator and text[0] != "{" else _of_object(text)
        url, answer = values["url"].strip(), values["relevant"].strip().lower()
        is_answer = answer in _YES | _NO | {_TAKEN_BACK}
    except (ValueError, KeyError, TypeError, RecursionError, csv.Error):
        raise ValueError from None
    if separator and (_is_head(url, answer) or (is_first and not is_answer and "://" not in text and "\0" not in text)):
        return None
    form = canonical_form(url) if "://" in url else None
    if not form:
        raise ValueError(f'"url" must be an address such as http://site.example/page. Got {url[:_SHOWN]!r}.')
    if not is_answer:
        raise ValueError(
            '"relevant" must be true or false, yes or no, 1 or 0, or null, which takes a verdict back. '
            f"Got {values['relevant'][:_SHOWN]!r}."
        )
    chance = values.get("probability")
    if chance is not None and not (type(chance) in (int, float) and 0 < chance <= 1):  # also of NaN, which is no chance
        raise ValueError(f'"probability" must be a number above 0 and up to 1. Got {str(chance)[:_SHOWN]!r}.')
    relevant = None if answer == _TAKEN_BACK else answer in _YES
    texts = {name: values.get(name, "")[:_MOST_CHARS] for name in _TEXTS}
    probability = None if chance is None else float(chance)
    return Verdict(form, relevant, **texts, written=url, probability=probability, pages=values.get("pages", 0))


def _is_head(url: str, answer: str) -> bool:
    return url.lower() == "url" and answer == "relevant"


def _of_object(text: str) -> dict[str, Any]:
    value: Any = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("no object")
    found: dict[str, Any] = {name: str(value.get(name) or "") for name in _TEXTS}
    relevant, chance, pages = value["relevant"], value.get("probability"), value.get("pages")
    if chance is not None:
        found["probability"] = chance
    if isinstance(pages, int) and 0 <= pages < _MOST_PAGES:
        found["pages"] = pages
    return {**found, "url": str(value["url"]), "relevant": _TAKEN_BACK if relevant is None else str(relevant)}


def _of_row(text: str, separator: str) -> dict[str, Any]:
    row = next(csv.reader(io.StringIO(text), delimiter=separator))
    return dict(zip(("url", "relevant", "note"), [*row, "", ""], strict=False))
