"""Checks the files of a crawl beside its frontier: their lengths, which frontier counts them, which crawl may use them."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import stat
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from focused.frontier.scrapy_job import SCRAPY_QUEUE, SCRAPY_SEEN
from focused.frontier.store.schema import FrontierFileError, advice, check_whole, open_file, reserve
from focused.frontier.store.soundness import check_sound
from focused.utils.file_names import (
    COLLECTION_FILE,
    FETCHED_FILE,
    FRONTIER_FILE,
    HARVEST_FILE,
    PAGES_FILE,
    RETRAINING_FILE,
    WARC_FILE,
)
from focused.utils.files import write_whole
from focused.utils.former_files import rename_former_files, with_present_names
from focused.utils.gzip_members import whole_members

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

logger = logging.getLogger(__name__)

FILES = (PAGES_FILE, HARVEST_FILE, FETCHED_FILE, WARC_FILE, RETRAINING_FILE)
"""Files of a run directory that are appended to, page by page."""

ID_FILE = "frontier.id"
"""Stands in a run directory whose frontier lies elsewhere (JOBDIR), and holds the name by which the frontier recognises it."""
INSIDE = "inside"
_BLOCK_BYTES = 1 << 16


class FileCuts(NamedTuple):
    """How much was cut off the files of a run when its crawl was resumed, in bytes."""

    #: Cut off: pages that were under way.
    n_beyond: int
    #: Lost since the last commit.
    n_missing: int
    #: Of ``pages.jsonl``, where the collection has its pages: the lines are written again.
    n_to_restore: int = 0


def sizes(run_dir: Path) -> dict[str, int]:
    """Return how long the files are, in bytes."""
    found, folder = {}, str(run_dir)
    for name in FILES:
        with suppress(OSError):
            status = os.stat(f"{folder}/{name}")  # noqa: PTH116  a tenth of what a Path costs, page by page
            if stat.S_ISREG(status.st_mode):
                found[name] = status.st_size
    return found


def cut_back(run_dir: Path, lengths: Mapping[str, int]) -> FileCuts:
    """Cut files to the lengths they had when the last page was committed.

    What lies beyond belongs to pages that were under way and will be fetched again, or is half a record. A file that is
    shorter, or gone, has lost pages that count, and will not be fetched again: the log names it. Of a file that is
    shorter half a line, or half a record, goes, too: the next would stand behind it, where programs do not look for one.
    ``pages.jsonl`` is no such loss where there is a collection: the verdicts pipeline makes its lines of that.
    """
    n_bytes = n_missing = n_to_restore = 0
    rename_former_files(run_dir)
    kept, found = with_present_names(lengths), sizes(run_dir)
    for name in FILES:
        path, size, keep = run_dir / name, found.get(name, 0), kept.get(name, 0)
        if size > keep:
            os.truncate(path, keep)
            n_bytes += size - keep
        elif size < keep:
            n_gone = keep - size
            what = f"has {size:,} bytes of {keep:,}" if name in found else f"is gone, with {keep:,} bytes"
            is_restored = name == PAGES_FILE and (run_dir / COLLECTION_FILE).is_file()
            if is_restored:
                then = f"its lines are written again from {COLLECTION_FILE}, unless FOCUSED_COLLECTION=off"
            else:
                then = "what was written there is lost. Its pages count, and are not fetched again"
            logger.warning("%s %s: %s.", path, what, then)
            if size:
                end = whole_members(path) if name == WARC_FILE else _end_of_lines(path, size)
                os.truncate(path, end)
                n_gone += size - end
            n_missing += 0 if is_restored else n_gone
            n_to_restore += n_gone if is_restored else 0
    return FileCuts(n_bytes, n_missing, n_to_restore)


def _end_of_lines(path: Path, size: int) -> int:
    """Return where the last line of a file ends that has an end."""
    with path.open("rb") as file:
        while size > 0:
            start = max(size - _BLOCK_BYTES, 0)
            file.seek(start)
            if (at := file.read(size - start).rfind(b"\n")) >= 0:
                return start + at + 1
            size = start
    return 0


def is_home(folder: Path, run_dir: Path, remembered: Mapping[str, Any]) -> bool:
    """Tell whether the files of a run directory are those that a frontier counts, wherever both were moved since.

    The frontier, which is in ``folder``, remembers its ``home``; of crawls before there was one, its ``run_dir``.
    """
    is_inside = folder.resolve() == run_dir.resolve()
    home = remembered.get("home")
    if home is None:
        return is_inside or remembered.get("run_dir") == str(run_dir)
    return is_inside if home == INSIDE else not is_inside and home == _read_id(run_dir)


def make_home(folder: Path, run_dir: Path) -> str:
    """Return what a frontier remembers of its run directory; if they are two folders, write it into the latter as well."""
    if folder.resolve() == run_dir.resolve():
        return INSIDE
    found = _read_id(run_dir)
    if not found:
        found = uuid.uuid4().hex
        write_whole(run_dir / ID_FILE, f"{found}\n")
    return found


def _read_id(run_dir: Path) -> str:
    try:
        return (run_dir / ID_FILE).read_text(errors="replace").strip()
    except OSError:
        return ""


def check_begun_here(folder: Path, run_dir: Path) -> None:
    """Refuse to begin a new crawl where an earlier one can be resumed by another scheduler, or by a frontier elsewhere.

    Raises
    ------
    ValueError
        If the folder has no frontier, but a queue of Scrapy's, or the run directory has files of an earlier crawl.
    """
    path = folder / FRONTIER_FILE
    if path.is_file() and path.stat().st_size:
        return
    if any((folder / name).exists() for name in (SCRAPY_QUEUE, SCRAPY_SEEN)):
        raise FrontierFileError(
            f"{folder} holds the queue of a crawl with a scheduler of Scrapy's, which the default one cannot go on with. "
            f"Go on with the one it was begun with (-s SCHEDULER=focused.frontier.budget_scheduler.BudgetScheduler, or "
            f"scrapy.core.scheduler.Scheduler), or begin anew in another folder: -s JOBDIR=PATH -a run_dir=PATH"
        )
    if not any(sizes(run_dir).values()):
        return
    if _read_id(run_dir):
        raise FrontierFileError(
            f"{run_dir} holds a crawl whose {FRONTIER_FILE} lies in another folder, not in {folder}. Name that folder: "
            f"-s JOBDIR=PATH. Or begin anew: -a run_dir=PATH"
        )
    if path.is_file():
        raise FrontierFileError(
            f"{path} is empty, and {run_dir} holds pages of an earlier crawl: their links are lost, perhaps because the disk "
            "was full. Put a copy of the file back, or begin anew in another folder: -a run_dir=PATH. The pages that are "
            f"there can be exported: scrapy export {run_dir}"
        )
    raise FrontierFileError(
        f"{run_dir} holds pages of an earlier crawl, but {folder} holds no {FRONTIER_FILE} to go on with. Begin anew in "
        f"another folder: -a run_dir=PATH. A crawl with one of Scrapy's schedulers goes on with that one and its JOBDIR."
    )


def reserve_frontier(folder: Path) -> None:
    """Keep other crawls out of a folder until this process has opened its frontier there; a ValueError if one uses it."""
    if folder.is_dir():
        reserve(folder / FRONTIER_FILE)


def check_same(folder: Path, topic: str, web: str, web_options: Mapping[str, Any]) -> None:
    """Refuse to resume a crawl from a folder that holds the frontier of another one.

    Raises a ValueError if its frontier is of another topic or web, or cannot be read.
    """
    path = folder / FRONTIER_FILE
    if not path.is_file() or not path.stat().st_size:
        return
    file = open_file(path, read_only=True)
    try:
        check_whole(file, path)
        check_sound(file, path)
        rows = file.execute("SELECT key, value FROM crawl WHERE key IN ('topic', 'web', 'web_options')").fetchall()
    except sqlite3.Error as error:
        raise FrontierFileError(advice(path, error)) from None
    finally:
        file.close()
    found = {key: json.loads(value) for key, value in rows}
    for what, wanted in (("topic", topic), ("web", web)):
        if what in found and found[what] != wanted:
            raise FrontierFileError(
                f"{folder} holds a crawl of {what} {found[what]!r}, this one is of {wanted!r}. Choose "
                f"another folder: -a run_dir=PATH"
            )
    for name, value in found.get("web_options", {}).items():
        if name in web_options and web_options[name] != value:
            raise FrontierFileError(
                f"{folder} holds a crawl of another {web} web: {name} was {value}, now it is {web_options[name]}. Choose "
                f"another folder: -a run_dir=PATH"
            )


def check_unused(run_dir: Path, job_dir: str | None) -> None:
    """Refuse a run directory whose crawl Scrapy's schedulers cannot resume.

    It would begin at zero and append to the files; and what it appends to those of a frontier is cut off when that
    one's crawl goes on. Raises a ValueError if there is a frontier, or there are pages and no JOBDIR to go on from.
    """
    if (run_dir / FRONTIER_FILE).exists() or (not job_dir and any(sizes(run_dir).values())):
        raise FrontierFileError(
            f"{run_dir} holds an earlier crawl, and the chosen SCHEDULER cannot go on with it. Choose another folder: "
            "-a run_dir=PATH. The default scheduler goes on with crawls that it began: leave SCHEDULER out, and in topic.toml "
            'the line scheduler = "scrapy".'
        )
