"""Which files hold verdicts: one, or those of a folder whose names end as they must; and what else lies there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

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

    Raises
    ------
    OSError
        If the folder cannot be read.
    """
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
