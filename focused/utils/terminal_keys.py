"""Keys of a terminal, one at a time and without Enter; lines where there is no terminal."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

try:
    import termios
    import tty
except ImportError:  # Windows
    termios = tty = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

END = ""
"""No key will come: the input is at its end."""
_SEQUENCES = {
    b"\x1b[A": "up",
    b"\x1b[B": "down",
    b"\x1b[5~": "up",
    b"\x1b[6~": "down",
    b"\x1bOA": "up",
    b"\x1bOB": "down",
}
_NAMES = {" ": "down", "\x7f": "u", "\x08": "u", "\x04": END, "\r": "enter", "\n": "enter"}


class Keys:
    """What a person presses. Ctrl-C raises KeyboardInterrupt; the terminal is as it was afterwards.

    ``is_raw`` tells whether keys come without Enter. Else a line is read, and its first letter is the key.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stdin if stream is None else stream
        self.is_raw = termios is not None and self._stream.isatty() and sys.stdout.isatty()
        self._before: list[object] | None = None

    def __enter__(self) -> Self:
        """Let keys come at once."""
        if self.is_raw:
            self._before = termios.tcgetattr(self._stream.fileno())
            tty.setcbreak(self._stream.fileno())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Put the terminal back."""
        if self._before is not None:
            termios.tcsetattr(self._stream.fileno(), termios.TCSADRAIN, self._before)  # type: ignore[arg-type]
            self._before = None

    def forget(self) -> None:
        """Drop what was pressed before the person could see what it is about."""
        if self.is_raw:
            termios.tcflush(self._stream.fileno(), termios.TCIFLUSH)

    def read(self) -> str:
        """Return the next key: a small letter, ``up``, ``down``, ``enter``; `END` at the end of the input."""
        if not self.is_raw:
            line = self._stream.readline()
            return END if not line else line.strip()[:1].lower() or "enter"
        data = os.read(self._stream.fileno(), 32)
        if not data:
            return END
        if data in _SEQUENCES:
            return _SEQUENCES[data]
        key = data.decode("utf-8", "replace")[:1].lower()
        return _NAMES.get(key, key)
