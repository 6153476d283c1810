"""The workers of ``-a workers=N`` as processes, and the signals that they get."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from focused.utils.file_names import WORKERS_FOLDER
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

logger = logging.getLogger(__name__)

FOLDER = WORKERS_FOLDER
"""In the run directory: a folder and a log of each worker."""
MOST_RESTARTS, RESTARTS_SECS = 3, 600.0
"""How often a worker that was killed is started again, in how many seconds. The numbers were not measured: a machine that is
short of memory kills a worker again within a minute or two, and must not do so without end."""


class Crew:
    """The workers, as processes that a terminal's Ctrl-C does not reach by itself.

    A worker that was killed can be started again: it joins the crawl as a new worker, and nothing of the crawl is lost.
    """

    def __init__(self, argv: list[str], folder: Path, n_workers: int, kept_open: Sequence[int]) -> None:
        self._argv, self._folder, self._kept_open = argv, folder, kept_open
        package = str(Path(__file__).resolve().parents[2])
        self._environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")])),
            # Processes that each use all cores for small products are slower than as many that use one.
            "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
            "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", "1"),
        }
        self._processes = [self._start(number) for number in range(1, n_workers + 1)]
        self._told: set[int] = set()
        #: Workers that were killed and may be started again, by their places.
        self._killed: list[int] = []
        self._restarted_at: dict[int, list[float]] = {}
        self._is_to_end = False
        self._former: list[int] = []

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        """Start the worker of a place, from 1, in a folder of its own."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        with (self._folder / f"{number}.log").open("ab") as log:
            return subprocess.Popen(
                [*self._argv, "-a", f"run_dir={self._folder / f'{stamp}-{number}'}"],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=self._kept_open,
            )

    @property
    def processes(self) -> list[int]:
        """Their numbers, also of those that have ended."""
        return [*self._former, *(each.pid for each in self._processes)]

    @property
    def n_running(self) -> int:
        """How many are there."""
        return sum(each.poll() is None for each in self._processes)

    def signal(self, number: int) -> None:
        """Pass a signal on to those that are there; none is started again after that."""
        self._is_to_end = True
        for each in self._processes:
            if each.poll() is None:
                each.send_signal(number)

    def newly_failed(self) -> Iterator[tuple[int, int]]:
        """Yield number and exit code of workers that failed since the last call."""
        for number, each in enumerate(self._processes, 1):
            if each.poll() and number not in self._told:
                self._told.add(number)
                if each.returncode < 0:
                    self._killed.append(number)
                yield number, int(each.returncode)

    @property
    def waits_to_restart(self) -> bool:
        """Whether a worker was killed, not by this process, and `restart_killed` has not been called since."""
        return bool(self._killed) and not self._is_to_end

    @property
    def killed(self) -> list[int]:
        """The processes of these."""
        return [self._processes[number - 1].pid for number in self._killed]

    def restart_killed(self) -> Iterator[tuple[int, int]]:
        """Start killed workers again; yield each one's number and how often that was in ten minutes, 0: not any more."""
        killed, self._killed = self._killed, []
        for number in killed:
            now = time.monotonic()
            times = [at for at in self._restarted_at.get(number, ()) if now - at < RESTARTS_SECS]
            if len(times) >= MOST_RESTARTS:
                yield number, 0
                continue
            self._restarted_at[number] = [*times, now]
            self._former.append(self._processes[number - 1].pid)
            self._processes[number - 1] = self._start(number)
            self._told.discard(number)
            yield number, len(times) + 1

    def leave_killed(self) -> None:
        """Forget workers that were killed: the crawl has ended."""
        self._killed.clear()

    @property
    def has_failed(self) -> bool:
        """Whether no worker ended well."""
        return all(each.returncode for each in self._processes)


@contextmanager
def signals_passed_on(crew: Crew) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the workers, not this process, which ends when they have ended."""

    def pass_on(number: int, _frame: object) -> None:
        if not crew.n_running:
            raise KeyboardInterrupt
        logger.info(
            "Received %s. Stopping %s; repeat to stop at once",
            signal.Signals(number).name,
            quantity(crew.n_running, "workers"),
        )
        crew.signal(number)

    before = {each: signal.signal(each, pass_on) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
