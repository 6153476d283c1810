"""Runs the project's commands as processes: all that the dashboard does besides showing files.

So each argument is checked by the declarations of the command line, nothing heavy happens in the process that answers
browsers, and what lasts longer than a page outlives it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from focused.utils.files import open_regular

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

_POLL_SECS = 0.5
_MAX_SAID = 20_000


class CommandError(ValueError):
    """A command refused or failed; the message is its own."""


@dataclass(frozen=True, slots=True)
class Commands:
    """Runs commands of this project, in the folder and with the settings (``NAME=VALUE``) of the dashboard."""

    settings: tuple[str, ...] = ()
    #: Where topics are looked for, the user's own folder first.
    models_dirs: tuple[Path, ...] = ()

    def words(self, command: str, *words: str) -> list[str]:
        """Return the words of a command line. A value that people gave must stand in one word with its option."""
        options = [word for each in self.settings for word in ("-s", each)]
        return [sys.executable, "-m", "focused", command, *options, *words]

    async def done(self, is_gone: Callable[[], Awaitable[bool]], command: str, *words: str) -> str:
        """Run a command to its end and return what it printed; it is ended if ``is_gone`` says that nobody waits any more.

        Raises
        ------
        CommandError
            If it failed, in the one line that it says.
        """
        process = await asyncio.create_subprocess_exec(
            *self.words(command, *words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment(),
            start_new_session=True,
        )
        talk = asyncio.create_task(process.communicate())
        try:
            while not (await asyncio.wait([talk], timeout=_POLL_SECS))[0]:
                if await is_gone():
                    raise CommandError("Nobody waits for it any more.")
            out, err = talk.result()
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await talk
        if process.returncode:
            raise CommandError(error_line(err[-_MAX_SAID:].decode("utf-8", "replace")))
        return out[:_MAX_SAID].decode("utf-8", "replace")


def begin_process(words: Sequence[str], log: Path) -> tuple[subprocess.Popen[bytes], int]:
    """Start a process that outlives this one, and return it and where in the log begins what it says."""
    with open_log(log) as file:
        begin = file.seek(0, os.SEEK_END)
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=environment(), start_new_session=True
        )
    threading.Thread(target=process.wait, daemon=True).start()  # so that it does not stay as a zombie
    return process, begin


def open_log(path: Path) -> IO[bytes]:
    """Open a log to append to it: a regular file, whatever a stranger's folder holds; an OSError if it cannot be."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return open(os.open(path, flags, 0o644), "ab", buffering=0)  # noqa: PTH123


def read_log(path: Path, begin: int) -> str:
    """Return what a log says from a byte on, the last of it if that is much; a negative number counts from its end.

    A link is not followed: in a stranger's folder it may lead to a key.
    """
    try:
        with os.fdopen(open_regular(path, may_link=False), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            start = max(begin if begin >= 0 else size + begin, size - _MAX_SAID, 0)
            file.seek(start)
            return file.read(_MAX_SAID).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def environment() -> dict[str, str]:
    """Return the environment of a command: this package is found wherever the dashboard was started."""
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def error_line(said: str) -> str:
    r"""Return the line in which a command says why it ended.

    >>> error_line("INFO: x\nError: There is no topic 'a'.\n")
    "There is no topic 'a'."
    """
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.removeprefix("Error: ") for line in lines if line.startswith("Error: ")]
    return (errors or lines or ["It ended without a word."])[-1][:2000]
