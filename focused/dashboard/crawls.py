"""Starts, stops and deletes crawls. A crawl that the dashboard starts outlives the dashboard."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from focused.dashboard.processes import CommandError, begin_process, error_line, read_log
from focused.dashboard.runs import KILLED, LIVE, folders, is_locked, is_recent, read_state
from focused.utils.file_names import DATABASE_FILE, FRONTIER_FILE, RUN_FILE, WORKERS_FOLDER

try:
    import fcntl
except ImportError:  # not on this system
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from focused.dashboard.runs import RunState

LOG_FILE = "crawl.log"
"""What crawls that were started here say, in their run directory."""
START_SECS = 60.0
"""Seconds for which the page waits until a crawl is at work. The crawl goes on after them."""
_LOOK_EVERY_SECS = 0.1
_DELETED = ".deleted-"


def new_run_dir(runs_dir: Path, topic: str) -> Path:
    """Make a folder for a crawl of a topic, named after the time; a ValueError says why there is no place for one."""
    if (runs_dir / RUN_FILE).exists():
        raise ValueError(f"{runs_dir} is one run. Start the dashboard with a folder of runs: scrapy dashboard RUNS_DIR")
    parent = runs_dir if runs_dir.name == topic else runs_dir / topic
    if parent.is_symlink():
        raise ValueError(f"{parent} must be a folder, and no link. Move it away")
    parent.mkdir(exist_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    for number in range(1, 100):
        path = parent / (stamp if number == 1 else f"{stamp}-{number}")
        with suppress(FileExistsError):
            path.mkdir()
            return path
    raise ValueError("Too many crawls were started in this second. Try again")


def start(words: Sequence[str], run_dir: Path) -> None:
    """Start a crawl and wait until it is at work, or has ended without a fault.

    Raises
    ------
    CommandError
        If it refuses to start; its message is the crawl's.
    """
    log, begun_at = run_dir / LOG_FILE, _wrote(run_dir)
    process, begin = begin_process(words, log)
    deadline = time.monotonic() + START_SECS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            if process.returncode and not _has_begun(run_dir, log, begin):
                raise CommandError(error_line(read_log(log, begin)))
            return
        if _wrote(run_dir) > begun_at and read_state(run_dir, "").state == LIVE:
            return
        time.sleep(_LOOK_EVERY_SECS)


def _wrote(run_dir: Path) -> int:
    """Return when a crawl last wrote about itself, in nanoseconds; 0: never."""
    try:
        return (run_dir / RUN_FILE).stat().st_mtime_ns
    except OSError:
        return 0


def _has_begun(run_dir: Path, log: Path, begin: int) -> bool:
    """Tell whether a crawl that failed had begun: then its run says so, and its log why."""
    lines = read_log(log, begin).splitlines()
    return (run_dir / RUN_FILE).is_file() and not any(line.startswith("Error: ") for line in lines)


def stop(run: RunState, process: int | None) -> int:
    """End a crawl as Ctrl-C does: what is under way is finished. A ValueError says why it cannot be told to.

    Only the `holder` of a run is told, and returned.
    """
    if process is None:
        raise ValueError(
            f"Which process crawls in {run.path} cannot be told: perhaps it has ended, is another user's, or on another "
            "machine. Stop it where it was started: Ctrl-C, or SIGTERM"
        )
    os.kill(process, signal.SIGTERM)
    return process


def holder(run_dir: Path) -> int | None:
    """Return the process of this user that holds the lock of a run; None if there is none, or the system does not tell."""
    try:
        status = (run_dir / f"{FRONTIER_FILE}.lock").lstat()
    except OSError:
        return None
    # A stranger's folder could hold another name of a file that some program keeps locked.
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1 or not is_locked(run_dir):
        return None
    found = [number for number in _processes() if number != os.getpid() and _has_open(number, status)]
    heads = [
        number for number in found if _parent(number) not in found
    ]  # workers that it forked have the file open, too
    return heads[0] if len(heads) == 1 and is_locked(run_dir) else None


def _processes() -> Iterator[int]:
    for name in _names("/proc"):
        if name.isdecimal():
            with suppress(OSError):
                if os.stat(f"/proc/{name}").st_uid == os.getuid():  # noqa: PTH116
                    yield int(name)


def _has_open(process: int, status: os.stat_result) -> bool:
    folder = f"/proc/{process}/fd"
    for name in _names(folder):
        with suppress(OSError):
            if os.path.samestat(os.stat(f"{folder}/{name}"), status):  # noqa: PTH116
                return True
    return False


def _names(folder: str) -> list[str]:
    try:
        return [each.name for each in Path(folder).iterdir()]
    except OSError:
        return []


def _parent(process: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def delete(run: RunState, runs_dir: Path) -> None:
    """Delete the folder of a run with all that is in it; links are removed, never followed.

    Raises
    ------
    ValueError
        If it is not inside the folder of runs, holds other runs, or a crawl is at work in it.
    OSError
        If it cannot be removed.
    """
    path = run.path
    if (
        path == runs_dir
        or not path.is_relative_to(runs_dir)
        or path.resolve() != runs_dir.resolve() / path.relative_to(runs_dir)
    ):
        raise ValueError(f"{path} is not a folder inside {runs_dir}. Delete it yourself")
    own = {WORKERS_FOLDER} if (path / DATABASE_FILE).is_file() else set()
    if any(next(folders(each), None) for each in _subfolders(path) if each.name not in own):
        raise ValueError(f"{path} holds other runs. Move them away first")
    with _kept_out(path):
        # From now on it is no run; if the rest fails, what is left has this name.
        gone = path.with_name(f"{_DELETED}{path.name}-{time.time_ns()}")
        path.rename(gone)
        try:
            shutil.rmtree(gone)
        except RecursionError:  # folders in folders in folders
            _remove_deep(gone)


def _remove_deep(folder: Path) -> None:
    """Remove a folder of any depth; links are removed, never followed."""
    waiting, met = [str(folder)], list[str]()
    while waiting:
        met.append(waiting.pop())
        with os.scandir(met[-1]) as entries:
            for each in entries:
                if each.is_dir(follow_symlinks=False):
                    waiting.append(each.path)
                else:
                    os.unlink(each.path)  # noqa: PTH108
    for each_folder in reversed(met):
        os.rmdir(each_folder)  # noqa: PTH106


def _subfolders(path: Path) -> list[Path]:
    return [path / each.name for each in os.scandir(path) if each.is_dir(follow_symlinks=False)]


@contextmanager
def _kept_out(run_dir: Path) -> Iterator[None]:
    """Keep crawls out of a run while it is deleted; a ValueError if one is at work."""
    lock = run_dir / f"{FRONTIER_FILE}.lock"
    at_work = f"A crawl is at work in {run_dir}. Stop it first"
    if is_locked(run_dir):  # also by workers whose command is gone
        raise ValueError(at_work)
    if fcntl is None or lock.is_symlink() or not lock.is_file():
        if read_state(run_dir, "").state in (LIVE, KILLED) and is_recent(run_dir):
            raise ValueError(f"{at_work}, or wait two minutes")
        yield
        return
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(at_work) from None
        yield
