"""Run tests on mutants, each in a copy of the project that is thrown away."""

from __future__ import annotations

import compileall
import contextlib
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutation import reach
from mutation.sources import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KILLED, SURVIVED, HANGS, UNREACHED = "killed", "survived", "hangs", "reached by no test"
CAUGHT = {KILLED, HANGS}
#: Libraries that tests import: read once, before the processes of the trials are forked.
LIBRARIES = "pytest numpy scipy.sparse scipy.optimize sklearn.svm sklearn.linear_model sklearn.utils.estimator_checks \
    lxml.html scrapy.crawler scrapy.cmdline warcio".split()


ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Trial:
    """What became of a mutant, and by which test."""

    mutant: Mutant
    outcome: str
    by: str
    n_tests: int
    seconds: float


def copy_project(root: Path, tests: Path, target: Path) -> Path:
    """Copy the tracked files of a project, with the tests of a folder instead of its own."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout.decode()
    for name in filter(None, files.split("\0")):
        if not name.startswith("tests/") and (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / name)
    shutil.copytree(tests, target / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(target / "focused", quiet=1)  # trials only read byte code, so none of a mutant is kept
    return target


def trace(project: Path, folder: Path, jobs: int, chosen: Sequence[str]) -> reach.Reach:
    """Run the tests once and return which of them reach which function."""
    folder.mkdir(exist_ok=True)
    own = Path(__file__).resolve().parent.parent
    (project / "sitecustomize.py").write_text(f"import sys\nsys.path.append({str(own)!r})\n{reach.START}")
    environment = {**os.environ, **ENVIRONMENT, reach.FOLDER: str(folder), "PYTHONPATH": f"{project}{os.pathsep}{own}"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    argv = ["-m", "pytest", "-q", "-n", str(jobs), "-p", "mutation.reach", "-p", "no:cacheprovider", *chosen]
    done = subprocess.run(
        [sys.executable, *argv], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    (project / "sitecustomize.py").unlink()
    found = reach.read(folder)
    if not found.seconds:  # tests that fail without a mutant are left out
        raise RuntimeError(f"Some tests of {project} must pass. Got none:\n{done.stdout[-3000:]}{done.stderr[-2000:]}")
    return found


def chosen_tests(found: reach.Reach, mutant: Mutant, budget: float, first: str = "") -> list[str]:
    """Return the cheapest tests that reach a mutant and take at most ``budget`` seconds together; ``first`` before all."""
    tests, left = [], budget
    for test in found.of(mutant.path, mutant.function):
        left -= found.seconds[test]
        if left < 0 and tests:
            break
        tests.append(test)
    return [first, *(test for test in tests if test != first)] if first in found.seconds else tests


def trials(copies: Sequence[Path], work: Sequence[tuple[Mutant, list[str], float]]) -> Iterator[Trial]:
    """Yield what becomes of each mutant with its tests and seconds; one mutant a copy at a time."""
    for name in LIBRARIES:
        __import__(name)
    context = multiprocessing.get_context("fork")
    waiting, done = context.SimpleQueue(), context.SimpleQueue()
    workers = [context.Process(target=_work, args=(copy, work, waiting, done)) for copy in copies]
    for worker in workers:
        worker.start()
    for number in range(len(work)):
        waiting.put(number)
    for _ in workers:
        waiting.put(None)
    for _ in work:
        yield done.get()
    for worker in workers:
        worker.join()


def _work(copy: Path, work: Sequence[tuple[Mutant, list[str], float]], waiting: Any, done: Any) -> None:
    while (number := waiting.get()) is not None:
        done.put(_trial(copy, *work[number]))


def _trial(copy: Path, mutant: Mutant, tests: list[str], seconds: float) -> Trial:
    begun, by, outcome = time.monotonic(), "", SURVIVED if tests else UNREACHED
    file = copy / mutant.path
    source, times = file.read_bytes(), file.stat()
    left = list(tests)
    while left:
        file.write_bytes(mutant.applied(source))
        try:
            failed = _failed(copy, left, seconds)
        finally:
            file.write_bytes(source)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        if failed is None:
            outcome = HANGS
            break
        if not failed:
            break
        by = failed
        # A test that fails without the mutant, too, has seen the load of this machine.
        if failed not in left or not _failed(copy, [failed], seconds):
            outcome = KILLED
            break
        left = left[left.index(failed) + 1 :]
    return Trial(mutant, outcome, by, len(tests), round(time.monotonic() - begun, 1))


def _failed(copy: Path, tests: list[str], seconds: float) -> str | None:
    """Return the first of some tests that fails, "" if all pass, and None if they take too long."""
    log = copy / "trial.log"
    log.unlink(missing_ok=True)
    process = multiprocessing.get_context("fork").Process(target=_run_tests, args=(copy, tests, log))
    process.start()
    process.join(seconds)
    is_late = process.exitcode is None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid or 0, signal.SIGKILL)  # with the servers that tests have left
    process.join()
    if is_late:
        return None
    return (
        ""
        if process.exitcode == 0
        else (log.read_text(encoding="utf-8") if log.exists() else "") or "no test is collected"
    )


def _run_tests(copy: Path, tests: list[str], log: Path) -> None:
    import pytest

    class FirstFailure:
        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.failed and not log.exists():
                log.write_text(report.nodeid, encoding="utf-8")

    os.setsid()
    os.chdir(copy)
    os.environ.update(ENVIRONMENT, PYTHONDONTWRITEBYTECODE="1")
    sys.dont_write_bytecode = True
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    sys.path.insert(0, str(copy))
    sys.argv = ["pytest"]
    code = pytest.main(["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests], plugins=[FirstFailure()])
    os._exit(int(code))


def as_row(trial: Trial) -> dict[str, Any]:
    """Return a trial as it is written to a file."""
    return asdict(trial)


def from_row(row: dict[str, Any]) -> Trial:
    """Return a trial that `as_row` has written."""
    return Trial(**{**row, "mutant": Mutant(**row["mutant"])})
