"""Checks that files a crawl keeps in its folder can be used: regular ones, and writable.

Nothing waits for a pipe or writes through a link.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from focused.utils.file_names import (
    ALERTS_FILE,
    COLLECTION_FILES,
    CRAWL_FILES,
    FETCHED_FILE,
    FRONTIER_FILES,
    HARVEST_FILE,
    PAGES_FILE,
    RETRAINING_FILE,
    VERDICTS_FOLDER,
    VERSIONS_FILE,
    VERSIONS_FOLDER,
    WARC_FILE,
)

if TYPE_CHECKING:
    from pathlib import Path

_SCRAPYS = ("requests.seen", "spider.state")
"""What Scrapy itself keeps in a JOBDIR."""
_WRITTEN_INTO = (
    *(PAGES_FILE, HARVEST_FILE, FETCHED_FILE, WARC_FILE, ALERTS_FILE, VERSIONS_FILE, RETRAINING_FILE, VERSIONS_FOLDER),
    *(*FRONTIER_FILES, *COLLECTION_FILES),
)
"""What a resumed crawl goes on with; the other files it replaces, whoever wrote them."""


_KNOWS_EFFECTIVE_IDS = os.access in os.supports_effective_ids


def check_own_files(folder: Path, advice: str, *, may_link: bool = False) -> None:
    """Refuse a folder in which something else stands in the place of a file of a crawl.

    A run directory, or a JOBDIR, may come from a stranger: a pipe would be waited for without end, a device has no end, and a
    crawl would write through a symbolic link, and cut, what lies elsewhere. ``may_link``: links to regular files will do, for
    whoever only reads.

    Raises
    ------
    ValueError
        It names the file, and gives the ``advice`` what to do.
    """
    for name in sorted({*CRAWL_FILES, *_SCRAPYS}):
        check_own_file(f"{folder}/{name}", advice, may_link=may_link)
    for name in (VERSIONS_FOLDER, VERDICTS_FOLDER):
        _check_folder(f"{folder}/{name}", advice, may_link=may_link)


def check_writable(folder: Path, advice: str) -> None:
    """Refuse a folder with files that a resumed crawl could not go on with: another user began it, or they are read-only.

    Raises
    ------
    ValueError
        It names the file, and gives the ``advice`` what to do.
    """
    for name in _WRITTEN_INTO:
        path = f"{folder}/{name}"
        if os.path.lexists(path) and not os.access(path, os.W_OK, effective_ids=_KNOWS_EFFECTIVE_IDS):
            raise ValueError(
                f"{path} cannot be written by this user. It belongs to another user, or is read-only. Let this user write "
                f"the whole folder, or {advice}"
            )


def check_verdicts_folder(run_dir: Path, advice: str) -> None:
    """Refuse something else in the place of the folder of verdicts, also a link, by a ValueError with the ``advice``."""
    _check_folder(f"{run_dir}/{VERDICTS_FOLDER}", advice, may_link=False)


def _check_folder(path: str, advice: str, *, may_link: bool) -> None:
    found = _kind(path, may_link)
    if found not in ("", "a folder"):
        raise ValueError(f"{path} must be a folder. It is {found}. {advice}")


def check_frontier_file(path: Path, advice: str) -> None:
    """Refuse a frontier's file that is no regular one, or something else in the place of what SQLite keeps beside it."""
    for name in FRONTIER_FILES:
        check_own_file(f"{path}{name.removeprefix(FRONTIER_FILES[0])}", advice, may_link=True)


def check_own_file(path: Path | str, advice: str, *, may_link: bool = False) -> None:
    """Refuse a file that is there and is no regular one, by a ValueError with the ``advice``."""
    found = _kind(path, may_link)
    if found not in ("", "a regular file"):
        raise ValueError(f"{path} must be a regular file. It is {found}. {advice}")


def _kind(path: Path | str, may_link: bool) -> str:
    """Say what stands at a path; nothing if nothing does, or it cannot be told, which whoever opens it will say."""
    try:
        mode = (os.stat if may_link else os.lstat)(path).st_mode
    except (OSError, ValueError):
        return ""
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISREG(mode):
        return "a regular file"
    return "a folder" if stat.S_ISDIR(mode) else "a pipe, a device or a socket"
