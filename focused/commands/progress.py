"""Progress of long work on stderr: a bar on a terminal, else a line every few seconds, or nothing."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LINE_EVERY_SECS = 5.0


class Progress:
    """Shows progress.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet

    def say(self, text: str) -> None:
        """Print a line."""
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)

    def track(self, items: list[Any], what: str) -> Iterable[Any]:
        """Iterate over items and show progress."""
        if self.quiet or not items:
            return items
        return self._bar(items, what) if sys.stderr.isatty() else self._lines(items, what)

    def counter(self, total: int, what: str) -> ProgressCounter:
        """Return a function without arguments to be called once for each of ``total`` things done."""
        return ProgressCounter(self, total, what)

    def _bar(self, items: list[Any], what: str) -> Iterator[Any]:
        with tqdm(items, desc=f"Reading {what}", leave=False) as bar:
            yield from bar

    def _lines(self, items: list[Any], what: str) -> Iterator[Any]:
        counter = ProgressCounter(self, len(items), f"Reading {what}")
        for item in items:
            yield item
            counter()


class ProgressCounter:
    """Counts finished items, and prints a line now and then."""

    def __init__(self, progress: Progress, total: int, what: str) -> None:
        self._progress = progress
        self._total = total
        self._what = what
        self._n = 0
        self._last = time.monotonic()

    def __call__(self) -> None:
        """Count one."""
        self._n += 1
        now = time.monotonic()
        if now - self._last >= LINE_EVERY_SECS:
            self._last = now
            self._progress.say(f"{self._what}: {self._n} of {self._total}")
