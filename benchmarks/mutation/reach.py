"""Which functions of the package each test calls, in its own process and in those that it starts.

Loaded twice: by Python itself when it starts (`START`, written to a sitecustomize.py), so that commands are followed,
too; and by pytest (``-p mutation.reach``), which says which test is run. Each process adds lines to a file of its own in
the folder that the environment variable names. (PYTEST_DONT_REWRITE: it is imported before pytest.)
"""

from __future__ import annotations

import os
import sys
import threading
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

FOLDER = "FOCUSED_MUTANTS_REACH"
START = f"import os\nif os.environ.get({FOLDER!r}):\n    import mutation.reach\n    mutation.reach.start()\n"

Function = tuple[str, int]
"""A module's path and the first line of a function in it."""


@dataclass
class Reach:
    """What a run of all tests has shown."""

    tests: dict[Function, set[str]] = field(default_factory=lambda: defaultdict(set))
    #: Seconds of each test that has passed.
    seconds: dict[str, float] = field(default_factory=dict)

    def of(self, path: str, function: int) -> list[str]:
        """Return the tests that reach a function, or for 0 any function of its module; the cheapest first."""
        keys = [(path, function)] if function else [key for key in self.tests if key[0] == path]
        found = {test for key in keys for test in self.tests.get(key, ())}
        return sorted(found & self.seconds.keys(), key=lambda test: (self.seconds[test], test))


def read(folder: Path) -> Reach:
    """Read what all processes have written. What a fixture calls counts for all tests of the file that asked for it."""
    reach, of_files = Reach(), defaultdict(set)
    for path in sorted(folder.glob("calls-*")):
        for line in path.read_text(encoding="utf-8").splitlines():
            module, function, phase, test = line.split("\t")
            (reach.tests if phase == "call" else of_files)[module, int(function)].add(test)
    for path in sorted(folder.glob("passed-*")):
        for line in path.read_text(encoding="utf-8").splitlines():
            test, _, seconds = line.rpartition("\t")
            reach.seconds[test] = reach.seconds.get(test, 0.0) + float(seconds)
    by_file = defaultdict(set)
    for test in reach.seconds:
        by_file[test.partition("::")[0]].add(test)
    for key, tests in of_files.items():
        for file in {test.partition("::")[0] for test in tests}:
            reach.tests[key] |= by_file[file]
    return reach


_folder = os.environ.get(FOLDER, "")
_package = f"{os.sep}focused{os.sep}"
_seen: set[int] = set()
_now: list[str] = []  # phase and test; empty until it is known


def start() -> None:
    """Note each function of the package when it is called for the first time in a test."""
    os.register_at_fork(after_in_child=_forget)
    threading.settrace(_called)
    sys.settrace(_called)


def _called(frame: FrameType, event: str, argument: Any) -> None:
    code = frame.f_code
    if id(code) in _seen:
        return
    _seen.add(id(code))
    root, found, path = code.co_filename.rpartition(_package)
    if found and "site-packages" not in root:
        if not _now:
            current = Path(_folder, f"now-{_session()}")
            _now.extend(current.read_text(encoding="utf-8").split("\t") if current.exists() else ["setup", ""])
        _write("calls", f"focused/{path}\t{code.co_firstlineno}\t{_now[0]}\t{_now[1]}\n")


def _forget() -> None:
    _seen.clear()
    _now.clear()


def _session() -> str:
    return os.environ.get("PYTEST_XDIST_WORKER", "main")


def _write(kind: str, line: str) -> None:
    with Path(_folder, f"{kind}-{_session()}-{os.getpid()}").open("a", encoding="utf-8") as file:
        file.write(line)


def _begin(phase: str, test: str) -> None:
    Path(_folder, f"now-{_session()}").write_text(f"{phase}\t{test}", encoding="utf-8")
    _forget()
    sys.settrace(_called)  # again: a test may have ended it, or let files be written nowhere


def pytest_runtest_setup(item: Any) -> None:
    """Let what fixtures call be noted."""
    _begin("setup", item.nodeid)


def pytest_runtest_call(item: Any) -> None:
    """Let what the test itself calls be noted."""
    _begin("call", item.nodeid)


def pytest_runtest_logreport(report: Any) -> None:
    """Note how long a test took that passed."""
    if report.when == "call" and report.passed and (_session() != "main" or not hasattr(report, "node")):
        _write("passed", f"{report.nodeid}\t{report.duration:.3f}\n")
