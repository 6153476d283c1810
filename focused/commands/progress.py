"""Shows the progress of long work on stderr: a bar on a terminal, else a line every few seconds, or nothing."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LINE_EVERY_SECS = 5.0


class Progress:
    """Shows progress, or with ``quiet`` nothing."""

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
        return tqdm(items, desc=f"Reading {what}", leave=False) if sys.stderr.isatty() else self._lines(items, what)

    def counter(self, total: int, what: str) -> Callable[[], None]:
        """Return a function to be called for each of ``total`` things done, which prints a line now and then."""
        n, last = 0, time.monotonic()

        def count() -> None:
            nonlocal n, last
            n += 1
            now = time.monotonic()
            if now - last >= LINE_EVERY_SECS:
                last = now
                self.say(f"{what}: {n} of {total}")

        return count

    def _lines(self, items: list[Any], what: str) -> Iterator[Any]:
        count = self.counter(len(items), f"Reading {what}")
        for item in items:
            yield item
            count()
