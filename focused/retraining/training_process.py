"""Runs the process that trains: it is given tasks and polled, and the crawl never waits for it."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from focused.retraining.training_task import HARVEST_TASK_FILE, TASK_FILE
from focused.retraining.versions import Attempt, attempt

if TYPE_CHECKING:
    from focused.retraining.training_task import Task

logger = logging.getLogger(__name__)

MAX_ANSWER_BYTES = 1_000_000
_WAIT_SECS = 0.02


class TrainingProcess:
    """Runs ``focused.retraining.training_child``. If it dies or does not answer in time, the next task starts it anew."""

    def __init__(self, timeout_secs: float, command: list[str] | None = None) -> None:
        self.timeout_secs = timeout_secs
        self.n_failed = 0
        self._command = command or [sys.executable, "-m", "focused.retraining.training_child"]
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._answer = b""
        self._asked_at: float | None = None

    @property
    def is_busy(self) -> bool:
        """Whether an answer is awaited."""
        return self._asked_at is not None

    def get_ready(self) -> None:
        """Start the process ahead of its first task: for one to two seconds it only loads what it trains with."""
        if self._process is None:
            with suppress(OSError):  # the first task says so
                self._start()

    def ask(self, task: Task) -> bool:
        """Give a task to the process; return whether it took it."""
        try:
            if self._process is None or self._process.poll() is not None:
                self._start()
            assert self._process is not None
            assert self._process.stdin is not None
            # In a file: a pipe holds no more than 64 KiB, and the process may still be starting.
            path = Path(task.run_dir) / (HARVEST_TASK_FILE if task.is_last else TASK_FILE)
            path.write_text(task.to_line() + "\n", encoding="utf-8")
            self._process.stdin.write(os.fsencode(path) + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            self._fail(f"its process could not be started: {error}")
            return False
        self._answer, self._asked_at = b"", time.monotonic()
        return True

    def poll(self) -> Attempt | None:
        """Return the answer if it is there. Never waits."""
        if self._asked_at is None or self._process is None:
            return None
        assert self._process.stdout is not None
        try:
            while data := os.read(self._process.stdout.fileno(), 65_536):
                self._answer += data
                if b"\n" in data or len(self._answer) > MAX_ANSWER_BYTES:
                    return self._answered()
        except BlockingIOError:
            if time.monotonic() - self._asked_at > self.timeout_secs:
                self._fail(f"no answer for {self.timeout_secs:g} s (FOCUSED_RETRAINING_TIMEOUT_SECS)")
            return None
        self._fail("its process ended")
        return None

    def wait(self) -> Attempt | None:
        """Wait for the answer, until the time for it is over; None if there is none. For the end of a crawl."""
        while self.is_busy:
            if (found := self.poll()) is not None:
                return found
            time.sleep(_WAIT_SECS)
        return None

    def close(self) -> None:
        """End the process."""
        process, self._process, self._asked_at = self._process, None, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):  # what it has not read is of no use
                        pipe.close()
            process.wait()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def _start(self) -> None:
        self.close()
        package = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
        # Not to a pipe: it would fill up, for it is not read while the process works.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
            start_new_session=True,  # Ctrl-C is for the crawl, which ends this process itself
        )
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)

    def _answered(self) -> Attempt | None:
        try:
            found = attempt(json.loads(self._answer))
        except (ValueError, TypeError, KeyError):
            self._fail("the answer of its process cannot be read")
            return None
        self._asked_at = None
        return found

    def _fail(self, why: str) -> None:
        said = ""
        if self._errors is not None:
            self._errors.seek(0)
            said = self._errors.read()[-2000:].decode("utf-8", "replace").strip().rpartition("\n")[2]
        logger.warning("A training failed: %s%s", why, f" ({said})" if said else "")
        self.n_failed += 1
        self.close()
