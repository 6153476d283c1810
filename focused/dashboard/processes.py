"""The project's commands as processes of their own: what the dashboard does beside showing, it does by them.

So each argument is checked by the declarations of the command line, nothing heavy happens in the process that answers
browsers, and what lasts longer than a page outlives it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_POLL_SECS = 0.5
_MAX_SAID = 20_000


class CommandError(ValueError):
    """A command refused or failed; the message is its own."""


@dataclass(frozen=True, slots=True)
class Commands:
    """Runs commands of this project, in the folder and with the settings (``NAME=VALUE``) of the dashboard."""

    settings: tuple[str, ...] = ()

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
