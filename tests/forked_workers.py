"""The project's worker processes as forks of the process that has imported all, instead of new interpreters.

A worker is `python -m focused.evaluation.worker` or `focused.retraining.worker`: importing takes longer than what a test
has it do. Tests of how a worker is started run it as it is: `commands.scrapy(..., forks_workers=False)`.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
from multiprocessing import forkserver, reduction
from pathlib import Path
from typing import IO, Any

WORKERS = ("focused.evaluation.worker", "focused.retraining.worker")


def install() -> None:
    """From now on, `subprocess.Popen` forks workers in this process; all other programs are started as ever."""
    subprocess.Popen = _popen  # type: ignore[assignment, misc]
    # This process was forked by the fork server that forks the workers, too; left alone, it would start another.
    forkserver._forkserver.ensure_running = lambda: None  # type: ignore[attr-defined]


_Popen = subprocess.Popen


def _popen(command: Any, *args: Any, **options: Any) -> Any:
    is_worker = list(command[:2]) == [sys.executable, "-m"] and command[2] in WORKERS
    return ForkedWorker(command[2:], **options) if is_worker else _Popen(command, *args, **options)


class ForkedWorker:
    """What these workers' owners use of `subprocess.Popen`."""

    def __init__(
        self, argv: list[str], *, stdin: int, stdout: int, stderr: IO[Any], env: dict[str, str], text: bool = False,
        start_new_session: bool,
    ) -> None:  # fmt: skip
        assert stdout == subprocess.PIPE
        assert start_new_session
        self.stdin: IO[bytes] | None = None
        if stdin == subprocess.PIPE:
            their_in, our_in = os.pipe()
            self.stdin = os.fdopen(our_in, "wb")
        else:
            their_in = os.open(os.devnull, os.O_RDONLY)
        our_out, their_out = os.pipe()
        self.stdout = os.fdopen(our_out, "r") if text else os.fdopen(our_out, "rb")
        standard = [_Descriptor(number) for number in (their_in, their_out, stderr.fileno())]
        context = multiprocessing.get_context("forkserver")
        self._process = context.Process(target=_work, args=(argv, str(Path.cwd()), env, standard))
        self._process.start()
        os.close(their_in)
        os.close(their_out)

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int | None:
        self._process.join()
        return self._process.exitcode

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


class _Descriptor:
    """An open file that a new process is handed."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __getstate__(self) -> Any:
        return reduction.DupFd(self.number)

    def __setstate__(self, sent: Any) -> None:
        self.number = sent.detach()


def _work(argv: list[str], cwd: str, env: dict[str, str], standard: list[_Descriptor]) -> None:
    os.setsid()
    os.chdir(cwd)
    for number, file in enumerate(standard):
        os.dup2(file.number, number)
        os.close(file.number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)  # what multiprocessing gives it is /dev/null
    os.environ.clear()
    os.environ.update(env)
    sys.path[:0] = env.get("PYTHONPATH", "").split(os.pathsep)
    for name in (argv[0], "focused.settings"):
        sys.modules.pop(name, None)  # they were read in another environment
    sys.argv = list(argv)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    runpy.run_module(argv[0], run_name="__main__", alter_sys=True)
