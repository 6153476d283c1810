"""Trainings that were started in the dashboard: processes with a log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.dashboard.processes import begin_process, error_line, read_log

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence
    from pathlib import Path

MAX_BUSY = 2
_MAX_KNOWN = 100
_TAIL_BYTES = 6_000


@dataclass(frozen=True, slots=True)
class Job:
    """What is known of a training: also one whose dashboard was killed has its log."""

    is_busy: bool
    #: Why it failed; empty where it did not, or is under way, or nobody knows.
    error: str
    #: The end of its log.
    said: str


class Jobs:
    """The trainings by what they are for."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[subprocess.Popen[bytes], int]] = {}

    def start(self, key: str, words: Sequence[str], log: Path) -> None:
        """Start one; a ValueError says that one is under way."""
        busy = [name for name, (process, _) in self._known.items() if process.poll() is None]
        if key in busy:
            raise ValueError("A training is under way. Wait for its end")
        if len(busy) >= MAX_BUSY:
            raise ValueError("Other trainings are under way. Try again in a moment")
        self._known = {name: self._known[name] for name in [*busy, *list(self._known)[-_MAX_KNOWN:]]}
        self._known[key] = begin_process(words, log)

    def of(self, key: str, log: Path) -> Job:
        """Return what is known."""
        process, begin = self._known.get(key, (None, 0))
        code = None if process is None else process.poll()
        error = error_line(read_log(log, begin)) if code else ""
        said = read_log(log, -_TAIL_BYTES if process is None else begin)
        return Job(process is not None and code is None, error, said[-_TAIL_BYTES:])
