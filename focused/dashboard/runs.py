"""The runs of a folder, as their files tell: run directories may be live, finished, killed, or a stranger's."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.utils.file_names import COLLECTION_FILE, FRONTIER_FILE, HARVEST_FILE, RUN_FILE, RUNNING
from focused.utils.files import read_regular

try:
    import fcntl
except ImportError:  # not on this system: whether a crawl is at work is then not known
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_RUNS = 2_000
_MAX_DEPTH = 3
_MAX_BYTES = 5_000_000
_TAIL_BYTES = 4_000
LIVE, KILLED = "running", "killed"


@dataclass(frozen=True, slots=True)
class RunState:
    """What a list of runs shows of one; what its files do not say is None or empty."""

    key: str
    path: Path
    name: str
    topic: str
    strategy: str
    web: str
    #: `LIVE`, `KILLED`, or the finish reason.
    state: str
    started_at: str
    n_pages: int
    n_relevant: int
    max_pages: int
    n_waiting: int
    #: The share of relevant pages by the model: value, low, high.
    estimate: tuple[float, float, float] | None
    n_bytes: int
    has_collection: bool

    @property
    def is_live(self) -> bool:
        """Whether a process crawls now."""
        return self.state == LIVE


class Runs:
    """Finds runs by keys that no path can be made of: what a browser sends is never part of a path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> list[RunState]:
        """Return the runs, the latest first."""
        return sorted(
            (read_state(path, key) for key, path in self._paths()), key=lambda run: run.started_at, reverse=True
        )

    def get(self, key: str) -> RunState | None:
        """Return a run by its key."""
        return next((read_state(path, found) for found, path in self._paths() if found == key), None)

    def _paths(self) -> Iterator[tuple[str, Path]]:
        for path in list(_folders(self.folder, _MAX_DEPTH))[:MAX_RUNS]:
            yield hashlib.sha256(os.fsencode(path)).hexdigest()[:12], path


def _folders(folder: Path, depth: int) -> Iterator[Path]:
    """Yield folders that hold a run; links are not followed."""
    if (folder / RUN_FILE).is_file():
        yield folder
        return
    if not depth:
        return
    with suppress(OSError):
        for each in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if each.is_dir(follow_symlinks=False) and not each.name.startswith("."):
                yield from _folders(folder / each.name, depth - 1)


def read_state(path: Path, key: str) -> RunState:
    """Read what the files of a run say, however damaged they are."""
    run, row = read_json(path / RUN_FILE), last_row(path / HARVEST_FILE)
    said = _text(run.get("finish_reason"))
    state = (LIVE if is_locked(path) else KILLED) if said in ("", RUNNING) else said
    n_bytes = 0
    with suppress(OSError):
        n_bytes = sum(
            each.stat(follow_symlinks=False).st_size for each in os.scandir(path) if each.is_file(follow_symlinks=False)
        )
    numbers = [_number(row.get(name)) for name in ("estimated", "estimated_low", "estimated_high")]
    estimate = None
    if all(each is not None for each in numbers):
        estimate = tuple(float(each or 0.0) for each in numbers)
    return RunState(
        key=key, path=path, name=path.name, topic=_text(run.get("topic")), strategy=_text(run.get("strategy")),
        web=_text(run.get("web")), state=state, started_at=_text(run.get("started_at")), n_pages=_whole(row.get("pages")),
        n_relevant=_whole(row.get("relevant")), max_pages=_whole(run.get("max_pages")), n_waiting=_whole(row.get("frontier")),
        estimate=estimate,  # type: ignore[arg-type]
        n_bytes=n_bytes, has_collection=(path / COLLECTION_FILE).is_file(),
    )  # fmt: skip


def read_json(path: Path) -> dict[str, Any]:
    """Return an object of a file; an empty one if there is none."""
    try:
        found = json.loads(read_regular(path, _MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def is_locked(run_dir: Path) -> bool:
    """Tell whether a process holds the frontier of a run."""
    path = run_dir / f"{FRONTIER_FILE}.lock"
    if fcntl is None or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def last_row(path: Path) -> dict[str, str]:
    """Return the last whole row of a CSV file by the names of its columns; empty if there is none."""
    try:
        with path.open("rb") as file:
            head = file.readline(_TAIL_BYTES)
            size = file.seek(0, 2)
            file.seek(max(len(head), size - _TAIL_BYTES))
            lines = file.read(_TAIL_BYTES).split(b"\n")[:-1]
    except OSError:
        return {}
    if not lines or not path.is_file():
        return {}
    names, values = (next(csv.reader(io.StringIO(line.decode("utf-8", "replace"))), []) for line in (head, lines[-1]))
    return dict(zip(names, values, strict=False))


def curve(run_dir: Path, most: int = 500) -> list[list[float | None]]:
    """Return columns for a chart: pages, harvest rate so far, of the last pages, estimate; at most so many rows each."""
    try:
        text = read_regular(run_dir / HARVEST_FILE, 20 * _MAX_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return [[], [], [], []]
    rows = list(csv.DictReader(io.StringIO(text)))
    rows = rows[:: max(1, len(rows) // most)] + rows[-1:]
    recent = next((name for name in (rows[0] if rows else {}) if name and name.startswith("harvest_rate_last")), "")
    return [[_number(row.get(name)) for row in rows] for name in ("pages", "harvest_rate", recent, "estimated")]


def _text(value: Any) -> str:
    return value[:300] if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return found if abs(found) < 1e12 else None


def _whole(value: Any) -> int:
    return int(_number(value) or 0)
