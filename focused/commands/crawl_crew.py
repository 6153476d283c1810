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

from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

logger = logging.getLogger(__name__)

FOLDER = "workers"
"""In the run directory: a folder and a log of each worker."""


class Crew:
    """The workers, as processes that a terminal's Ctrl-C does not reach by itself."""

    def __init__(self, argv: list[str], folder: Path, n_workers: int, kept_open: Sequence[int]) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        package = str(Path(__file__).resolve().parents[2])
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")])),
            # Processes that each use all cores for small products are slower than as many that use one.
            "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
            "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", "1"),
        }
        for number in range(1, n_workers + 1):
            with (folder / f"{number}.log").open("ab") as log:
                self._processes.append(
                    subprocess.Popen(
                        [*argv, "-a", f"run_dir={folder / f'{stamp}-{number}'}"],
                        env=environment,
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=log,
                        start_new_session=True,
                        pass_fds=kept_open,
                    )
                )
        self._told: set[int] = set()

    @property
    def processes(self) -> list[int]:
        """Their numbers, also of those that have ended."""
        return [each.pid for each in self._processes]

    @property
    def n_running(self) -> int:
        """How many are there."""
        return sum(each.poll() is None for each in self._processes)

    def signal(self, number: int) -> None:
        """Pass a signal on to those that are there."""
        for each in self._processes:
            if each.poll() is None:
                each.send_signal(number)

    def newly_failed(self) -> Iterator[tuple[int, int]]:
        """Yield number and exit code of workers that failed since the last call."""
        for number, each in enumerate(self._processes, 1):
            if each.poll() and number not in self._told:
                self._told.add(number)
                yield number, int(each.returncode)

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
