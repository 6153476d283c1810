"""Checks where a crawl writes: tries its run directory before its first request."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
import unicodedata
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from focused.collection.postgresql import check_database
from focused.collection.schema import check_collection, check_pages
from focused.crawl import arguments as given
from focused.crawl.arguments import PlanError
from focused.crawl.scrapy_settings import scheduler_class
from focused.frontier.run_files import check_begun_here, check_same, check_unused, reserve_frontier, sizes
from focused.frontier.scrapy_job import check_not_killed
from focused.utils.crawl_settings import RUN_DIR
from focused.utils.file_names import COLLECTION_FILE, DATABASE_FILE, FRONTIER_FILE, RUN_FILE
from focused.utils.folder_settings import RUNS_DIR
from focused.utils.output_files import run_with
from focused.utils.output_settings import COLLECTION, POSTGRESQL
from focused.utils.own_files import check_own_files, check_writable

_LEAST_FREE_BYTES = 20_000_000
_SAFE_PATH_BYTES = 400
_ANOTHER_FOLDER = "Choose another: -a run_dir=PATH"


def make_run_dir(argument: Any, topic: str, settings: Any, is_confined: bool) -> Path:
    """Make the run directory and return it; a crawl must not fail after its last page because it cannot write."""
    runs_dir = Path(RUNS_DIR.read(settings) or RUNS_DIR.default)
    name = str(argument or RUN_DIR.read(settings))
    path = Path(name) if name else runs_dir / topic
    if name and is_confined:
        path = given.path_inside(path, "FOCUSED_RUNS_DIR", settings, "run_dir")
        _check_apart(path, runs_dir.resolve())
    if name:
        _check_named(name, path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not name:
            path = _new_folder(path)
        with tempfile.TemporaryFile(dir=path):
            pass
        free = shutil.disk_usage(path).free
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise PlanError(f"The run directory {path} cannot be written: {why}. {_ANOTHER_FOLDER}") from None
    if free < _LEAST_FREE_BYTES:
        needed = f"{free / 1e6:.0f} MB of free space; a crawl needs at least {_LEAST_FREE_BYTES / 1e6:.0f} MB"
        raise PlanError(f"The run directory {path} has {needed}. {_ANOTHER_FOLDER}")
    return path.resolve()


def _check_named(name: str, path: Path) -> None:
    """Refuse a name that would forge lines of the log, and a folder in which another run keeps what is its own."""
    if any(unicodedata.category(each) in ("Cc", "Zl", "Zp") for each in name):
        raise PlanError(f"The run directory must be a path without control characters. Got {name!r}. {_ANOTHER_FOLDER}")
    if (run := run_with(path)) is not None:
        raise PlanError(f"{path} is a folder in which the run {run} keeps what is its own. {_ANOTHER_FOLDER}")


def _check_apart(path: Path, runs_dir: Path) -> None:
    """Refuse a client's run among what others keep: it would hide their runs, or be hidden by one."""
    inside = path.relative_to(runs_dir)
    if any(part.startswith(".") for part in inside.parts):
        raise PlanError(
            f"run_dir must not name a hidden folder: the server keeps things of its own there. Got {str(inside)!r}."
        )
    above = next((runs_dir.joinpath(each) for each in inside.parents if _is_run(runs_dir / each)), None)
    if above is not None:
        raise PlanError(f"run_dir must not be inside another run. Got {str(inside)!r}, and {above} is one.")
    if _is_run(path):
        return
    below = next((found.parent for level in ("*", "*/*") for found in path.glob(f"{level}/{RUN_FILE}")), None)
    if path == runs_dir or below is not None:
        holds = f", which holds {below}" if below is not None else ""
        raise PlanError(f"run_dir must be a folder of its own, not one for several runs. Got {str(inside)!r}{holds}.")


def _is_run(folder: Path) -> bool:
    return any((folder / name).exists() for name in (RUN_FILE, FRONTIER_FILE, DATABASE_FILE))


def check_earlier_crawl(run_dir: Path, settings: Any, *, topic: str, web: str, web_options: dict[str, Any]) -> None:
    """Refuse a folder whose crawl is running, or cannot be resumed by this one; keep other processes out of the folder.

    What stands in the place of a crawl's file must be a regular file. The crawl in the folder must have the same topic and
    web; ``web_options`` say which demo web it is.
    """
    if (run_dir / DATABASE_FILE).exists():
        raise PlanError(f"{run_dir} is a crawl of many workers. Go on with it: -a workers=N. {_ANOTHER_FOLDER}")
    job_dir = settings.get("JOBDIR")
    check_own_files(run_dir, f"Move it away. {_ANOTHER_FOLDER}")
    check_writable(run_dir, "choose another: -a run_dir=PATH")
    if job_dir:
        check_own_files(Path(job_dir), "Move it away. Choose another: -s JOBDIR=PATH")
        check_writable(Path(job_dir), "choose another: -s JOBDIR=PATH")
    if not getattr(scheduler_class(settings), "is_durable", False):
        check_unused(run_dir, job_dir)
        if job_dir:
            check_not_killed(Path(job_dir), run_dir)
        _check_collection(run_dir, settings)
        return
    folder = Path(job_dir or run_dir)
    check_begun_here(folder, run_dir)
    reserve_frontier(folder)
    check_same(folder, topic, web, web_options)
    _check_collection(run_dir, settings)


def check_worker_folder(run_dir: Path) -> None:
    """Refuse the folder that an earlier worker has written to: what it says of itself would be written over."""
    if any(sizes(run_dir).values()):
        raise PlanError(
            f"{run_dir} is the folder of an earlier worker. Each start of a worker has one of its own: leave run_dir out, or "
            "choose another: -a run_dir=PATH"
        )


def _check_collection(run_dir: Path, settings: Any) -> None:
    if COLLECTION.read(settings) == "on":
        check_collection(run_dir / COLLECTION_FILE)
        check_pages(run_dir / COLLECTION_FILE)


def check_frontier_folder(run_dir: Path, settings: Any) -> None:
    """Refuse a folder in which SQLite cannot keep the frontier: its paths may be shorter than those of the file system."""
    if not getattr(scheduler_class(settings), "is_durable", False):
        return
    job_dir = settings.get("JOBDIR")
    folder, other = Path(job_dir or run_dir), "-s JOBDIR=PATH" if job_dir else "-a run_dir=PATH"
    probe = folder.absolute() / f".probe{os.getpid():09}"  # as long as the frontier's own name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(probe)) as sql:
            sql.execute("PRAGMA synchronous = OFF")
            sql.execute("PRAGMA journal_mode = WAL")
            sql.execute("CREATE TABLE probe (x)")
    except (OSError, ValueError, sqlite3.Error) as error:
        why, n_bytes = getattr(error, "strerror", None) or error, len(os.fsencode(probe))
        long = f". Its path has {n_bytes} bytes, SQLite takes some 500" if n_bytes > _SAFE_PATH_BYTES else ""
        raise PlanError(f"The frontier cannot be kept in {folder}: {why}{long}. Choose another: {other}") from None
    finally:
        for end in ("", "-wal", "-shm"):
            with suppress(OSError, ValueError):
                Path(f"{probe}{end}").unlink()


def check_copies(settings: Any) -> None:
    """Refuse a database that delivered pages cannot be copied to."""
    if not (url := POSTGRESQL.read(settings)):
        return
    if COLLECTION.read(settings) == "off":
        raise PlanError("FOCUSED_POSTGRESQL copies the collection. Leave FOCUSED_COLLECTION=off out.")
    check_database(url)


def _new_folder(parent: Path) -> Path:
    """Make a folder named after the time. Crawls that start in the same second get a number each."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    number = 1
    while True:
        path = parent / (stamp if number == 1 else f"{stamp}-{number}")
        try:
            path.mkdir()
            return path
        except FileExistsError:
            number += 1
