"""The project's worker processes as forks of the process that has imported all, instead of new interpreters.

A worker is `python -m` of a program in `PROGRAMS`: an evaluation's or a training's process, a worker of ``-a workers=2``, or
a command that the dashboard starts. Importing takes longer than what a test has it do. Tests of how a worker is started run
it as it is: `commands.scrapy(..., forks_workers=False)`.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
import threading
from multiprocessing import connection, forkserver, reduction
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAMS = ("focused.evaluation.group_child", "focused.retraining.training_child", "focused", "scrapy")


def install() -> None:
    """From now on, `subprocess.Popen` forks workers in this process; all other programs are started as ever."""
    subprocess.Popen = _popen  # type: ignore[assignment, misc]
    # This process was forked by the fork server that forks the workers, too; left alone, it would start another.
    forkserver._forkserver.ensure_running = lambda: None  # type: ignore[attr-defined]


_Popen = subprocess.Popen


def _popen(command: Any, *args: Any, **options: Any) -> Any:
    is_worker = list(command[:2]) == [sys.executable, "-m"] and command[2] in PROGRAMS
    is_asyncios = "shell" in options  # asyncio waits for processes by their number, which only a parent may
    return ForkedWorker(command[2:], **options) if is_worker and not is_asyncios else _Popen(command, *args, **options)


class ForkedWorker:
    """What these workers' owners use of `subprocess.Popen`."""

    def __init__(
        self, argv: list[str], *, stdin: int, stdout: int | IO[Any], stderr: IO[Any], env: dict[str, str],
        text: bool = False, start_new_session: bool, pass_fds: Sequence[int] = (),
    ) -> None:  # fmt: skip
        assert start_new_session
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[Any] | None = None
        ours: list[int] = []
        if stdin == subprocess.PIPE:
            their_in, our_in = os.pipe()
            self.stdin = os.fdopen(our_in, "wb")
        else:
            their_in = os.open(os.devnull, os.O_RDONLY)
        ours.append(their_in)
        if isinstance(stdout, int):
            assert stdout == subprocess.PIPE
            our_out, their_out = os.pipe()
            self.stdout = os.fdopen(our_out, "r") if text else os.fdopen(our_out, "rb")
            ours.append(their_out)
        else:
            their_out = stdout.fileno()
        standard = [_Descriptor(number) for number in (their_in, their_out, stderr.fileno())]
        kept = [_Descriptor(number) for number in pass_fds]
        context = multiprocessing.get_context("forkserver")
        self._process = context.Process(target=_work, args=(argv, str(Path.cwd()), env, standard, kept))
        self._process.start()
        self._lock = threading.Lock()
        for number in ours:
            os.close(number)

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self.poll()

    def poll(self) -> int | None:
        with self._lock:  # its exit code can be read once
            return self._process.exitcode

    def wait(self) -> int | None:
        connection.wait([self._process.sentinel])
        return self.poll()

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

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


def _work(
    argv: list[str], cwd: str, env: dict[str, str], standard: list[_Descriptor], _kept: list[_Descriptor]
) -> None:
    os.setsid()
    os.chdir(cwd)
    for number, file in enumerate(standard):
        os.dup2(file.number, number)
        os.close(file.number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)  # what multiprocessing gives it is /dev/null
    os.environ.clear()
    os.environ.update(env)
    sys.path[:0] = env.get("PYTHONPATH", "").split(os.pathsep)
    program = argv[0] if "." in argv[0] else f"{argv[0]}.__main__"
    for name in (program, "focused.settings"):
        sys.modules.pop(name, None)  # they were read in another environment
    sys.argv = list(argv)
    sys.orig_argv = [sys.executable, "-m", *argv]
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    install()
    runpy.run_module(argv[0], run_name="__main__", alter_sys=True)
