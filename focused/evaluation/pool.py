"""Run groups of crawls in processes of their own, a few at a time. A process that dies loses one crawl only."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from focused.evaluation.crawl_group import FAILED, CrawlGroup, write_record
from focused.utils.files import write_json

if TYPE_CHECKING:
    from collections.abc import Callable

    Report = Callable[[CrawlGroup, str, str, str], None]

_ROOT = Path(__file__).resolve().parents[2]
# Two processes that each use all cores for small products are slower than two with one core each.
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Pool:
    """Runs groups of crawls in processes of their own.

    ``n_jobs``: processes at a time. ``report``: called when a step begins or ends, from several threads, with the group,
    ``training``, ``crawling``, ``done`` or ``failed``, the strategy, and the reason of a failure.
    """

    def __init__(self, n_jobs: int, report: Report) -> None:
        self._n_jobs = n_jobs
        self._report = report
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._stopping = False

    def run(self, groups: list[CrawlGroup]) -> None:
        """Run all groups; an interrupt ends the processes first."""
        with ThreadPoolExecutor(self._n_jobs) as threads:
            futures = [threads.submit(self._run, group) for group in groups]
            try:
                for future in as_completed(futures):
                    future.result()
            except BaseException:
                self._stop()
                threads.shutdown(wait=True, cancel_futures=True)
                raise

    def _stop(self) -> None:
        with self._lock:
            self._stopping = True
            for process in self._running:
                process.terminate()

    def _run(self, group: CrawlGroup) -> None:
        """Run a group. If its process dies, start another one for the crawls after the one that failed."""
        left = list(group.strategies)
        folder = Path(group.folder)
        log = folder / "logs" / f"{group.name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        path = folder / "groups" / f"{group.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        while left and not self._stopping:
            write_json(path, asdict(group) | {"strategies": left})
            current, code = self._follow(group, path, log, left)
            if self._stopping or not left:
                return
            # A process that dies before its first crawl would die for all crawls.
            for strategy in [current] if current else list(left):
                left.remove(strategy)
                why = f"its process ended with {_ending(code)}; see {log}"
                write_record(group, strategy, {"state": FAILED, "why": why})
                self._report(group, FAILED, strategy, why)

    def _follow(self, group: CrawlGroup, path: Path, log: Path, left: list[str]) -> tuple[str, int]:
        """Run one process to its end; remove finished crawls from ``left``. Return the crawl it was running, and its code."""
        current = ""
        with log.open("a", encoding="utf-8") as errors:
            with self._lock:
                if self._stopping:
                    return "", 0
                process = subprocess.Popen(
                    [sys.executable, "-m", "focused.evaluation.group_child", str(path)],
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    stdin=subprocess.DEVNULL,
                    text=True,
                    env=_environment(),
                    start_new_session=True,  # Ctrl-C is for us; we end the processes
                )
                self._running.add(process)
            assert process.stdout is not None
            with process.stdout:
                for line in process.stdout:
                    try:
                        what, *about = json.loads(line)
                    except ValueError:
                        continue  # output of another program
                    strategy, why = (*about, "", "")[:2]
                    current = strategy if what == "crawling" else ""
                    if what not in ("training", "crawling"):
                        left.remove(strategy)
                    self._report(group, what, strategy, why)
            code = process.wait()
            with self._lock:
                self._running.discard(process)
        return current, code


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _environment() -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH", "")]))
    return {**dict.fromkeys(_ONE_THREAD, "1"), **os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}
