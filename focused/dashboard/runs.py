"""Lists the runs of a folder, by their files: run directories may be live, finished, killed, or a stranger's."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.dashboard.harvest_file import last_row, number_of
from focused.utils.file_names import (
    COLLECTION_FILE,
    DATABASE_FILE,
    FRONTIER_FILE,
    HARVEST_FILE,
    PROGRESS_FILE,
    RUN_FILE,
    RUNNING,
    WORKERS_FOLDER,
)
from focused.utils.files import read_regular

try:
    import fcntl
except ImportError:  # not on this system: whether a crawl is at work is then not known
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

MAX_RUNS = 2_000
_MAX_DEPTH = 3
_MAX_BYTES = 5_000_000
LIVE, KILLED, STOPPED, UNREADABLE = "running", "killed", "shutdown", "cannot be read"
WAS_LIVE = "was running"
"""Of a folder that follows a crawl of other machines, and was not brought up to date for a while."""
RECENT_SECS = 120.0
_IN_WORDS = {
    LIVE: "live",
    KILLED: "killed",
    WAS_LIVE: "live when last looked at",
    STOPPED: "stopped",
    UNREADABLE: UNREADABLE,
    "finished": "finished: no link is left",
    "max_pages": "finished: its pages are fetched",
    "max_relevant": "finished: its relevant pages are found",
    "max_minutes": "finished: its time is up",
    "saturated": "finished: nothing new came",
    "alert_harvest": "stopped by an alert: few relevant pages",
    "alert_hosts": "stopped by an alert: hosts do not answer",
    "alert_disk": "stopped by an alert: the disk is nearly full",
    "alert_no_page": "stopped by an alert: no page came",
    "alert_saturated": "stopped by an alert: nothing new came",
}
_MOST_FILES = 2_000


@dataclass(frozen=True, slots=True)
class RunState:
    """What a list of runs shows of one; what its files do not say is None or empty."""

    key: str
    path: Path
    name: str
    topic: str
    strategy: str
    web: str
    #: `LIVE`, `WAS_LIVE`, `KILLED`, or the finish reason, which is `STOPPED` where a person ended it.
    state: str
    started_at: str
    n_pages: int
    n_relevant: int
    max_pages: int
    n_waiting: int
    #: The share of relevant pages by the model: value, low, high.
    estimate: tuple[float, float, float] | None
    #: Hosts with waiting links, and hosts that do not answer; None if that is not known.
    hosts: tuple[int, int] | None
    n_bytes: int
    has_collection: bool

    @property
    def is_live(self) -> bool:
        """Whether a process crawls now."""
        return self.state == LIVE

    @property
    def in_words(self) -> str:
        """The state for people."""
        return _IN_WORDS.get(self.state) or f"finished: {self.state.replace('_', ' ')}"


class Runs:
    """Finds runs by keys that no path can be made of: what a browser sends is never part of a path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> list[RunState]:
        """Return the runs, the latest first."""
        return sorted(
            (_state_of(path, key) for key, path in self._paths()), key=lambda run: run.started_at, reverse=True
        )

    def get(self, key: str) -> RunState | None:
        """Return a run by its key."""
        return next((_state_of(path, found) for found, path in self._paths() if found == key), None)

    @staticmethod
    def key_of(path: Path) -> str:
        """Return the key of a run."""
        return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]

    def _paths(self) -> Iterator[tuple[str, Path]]:
        for path in list(folders(self.folder))[:MAX_RUNS]:
            yield self.key_of(path), path


def folders(folder: Path, depth: int = _MAX_DEPTH) -> Iterator[Path]:
    """Yield folders that hold a run, the folder itself or some levels below it; links are not followed."""
    if _is_regular(folder / RUN_FILE):
        yield folder
        return
    if not depth:
        return
    for name in sorted(_folders_in(folder)):
        yield from folders(folder / name, depth - 1)


def _folders_in(folder: Path) -> list[str]:
    names = []
    with suppress(OSError), os.scandir(folder) as entries:
        for each in entries:
            with suppress(OSError):
                names += [each.name] * (each.is_dir(follow_symlinks=False) and not each.name.startswith("."))
    return names


def _is_regular(path: Path) -> bool:
    """Tell whether there is a regular file; what cannot be looked at, such as a link to an endless name, is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _state_of(path: Path, key: str) -> RunState:
    """Read a run; one whose files break all rules hides no other."""
    try:
        return read_state(path, key)
    except Exception:
        logger.exception("The run in %r cannot be read", str(path))
        return RunState(key, path, _text(path.name), "", "", "", UNREADABLE, "", 0, 0, 0, 0, None, None, 0, False)


def read_state(path: Path, key: str) -> RunState:
    """Read what the files of a run say, however damaged they are."""
    run, row = read_json(path / RUN_FILE), last_row(path / HARVEST_FILE)
    said = _text(run.get("finish_reason"))
    state = _state_of_unfinished(path) if said in ("", RUNNING) else said
    numbers = [number_of(row.get(name)) for name in ("estimated", "estimated_low", "estimated_high")]
    estimate = None
    if all(each is not None for each in numbers):
        estimate = tuple(float(each or 0.0) for each in numbers)
    hosts = read_json(path / PROGRESS_FILE).get("hosts")
    n_hosts = [number_of(hosts.get(name)) for name in ("active", "failing")] if isinstance(hosts, dict) else [None]
    return RunState(
        key=key, path=path, name=_text(path.name), topic=_text(run.get("topic")), strategy=_text(run.get("strategy")),
        web=_text(run.get("web")), state=state, started_at=_text(run.get("started_at")), n_pages=_whole(row.get("pages")),
        n_relevant=_whole(row.get("relevant")), max_pages=_whole(run.get("max_pages")), n_waiting=_whole(row.get("frontier")),
        estimate=estimate,  # type: ignore[arg-type]
        hosts=None if None in n_hosts else tuple(int(each or 0) for each in n_hosts),  # type: ignore[arg-type]
        n_bytes=_size(path), has_collection=_is_regular(path / COLLECTION_FILE),
    )  # fmt: skip


def _state_of_unfinished(run_dir: Path) -> str:
    """Return the state of a run whose file does not say that it ended."""
    if is_locked(run_dir):
        return LIVE
    if not read_json(run_dir / DATABASE_FILE).get("database"):
        return KILLED
    # Its workers may be anywhere. The file is what the database said.
    return LIVE if is_recent(run_dir) else WAS_LIVE


def is_recent(run_dir: Path) -> bool:
    """Tell whether a run's files say something of the last two minutes."""
    times = [0.0]
    for name in (RUN_FILE, HARVEST_FILE):
        with suppress(OSError):
            times.append((run_dir / name).stat().st_mtime)
    return time.time() - max(times) < RECENT_SECS


def read_json(path: Path) -> dict[str, Any]:
    """Return an object of a file; an empty one if there is none."""
    try:
        found = json.loads(read_regular(path, _MAX_BYTES, may_link=False))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def is_locked(run_dir: Path) -> bool:
    """Tell whether a process crawls in a run: one that holds its frontier, or a worker of this machine."""
    if _holds_frontier(run_dir):
        return True
    if not _is_regular(run_dir / DATABASE_FILE):
        return False
    workers = run_dir / WORKERS_FOLDER
    return any(_holds_frontier(workers / name) for name in _folders_in(workers)[-_MOST_FILES:])


def _holds_frontier(run_dir: Path) -> bool:
    path = run_dir / f"{FRONTIER_FILE}.lock"
    if fcntl is None or not _is_regular(path):
        return False
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def _size(folder: Path) -> int:
    """Return the bytes of the files in a folder and those below; links count nothing, and of very many files some."""
    n_bytes, n_left, waiting = 0, _MOST_FILES, [folder]
    while waiting and n_left > 0:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for each in entries:
                n_left -= 1
                if each.is_dir(follow_symlinks=False):
                    waiting.append(Path(each.path))
                elif each.is_file(follow_symlinks=False):
                    n_bytes += each.stat(follow_symlinks=False).st_size
    return n_bytes


def _text(value: Any) -> str:
    """Return a short text that can be shown: halves of characters become question marks."""
    return value[:300].encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _whole(value: Any) -> int:
    return int(number_of(value) or 0)
