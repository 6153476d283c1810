"""Show the progress of an evaluation: a bar on a terminal, else a line now and then, or nothing."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from focused.evaluation.crawl_group import DONE, FAILED

if TYPE_CHECKING:
    from typing_extensions import Self

    from focused.evaluation.crawl_group import CrawlGroup

LINE_EVERY_SECS = 10.0


class Display:
    """Shows which crawls run, how many are done, and the time left.

    ``total``: crawls of the evaluation. ``done``: crawls done by an earlier run. ``quiet``: print failures only.
    """

    def __init__(self, total: int, done: int, quiet: bool = False) -> None:
        self._total = total
        self._done_before = self._n_done = done
        self._running: dict[str, str] = {}
        self._lock = threading.Lock()
        self._started = self._last = time.monotonic()
        is_terminal = sys.stderr.isatty()
        # The bar's estimate leaves out the crawls of an earlier run: they took no time in this one.
        self._bar: Any = tqdm(
            total=total,
            initial=done,
            disable=quiet or not is_terminal,
            leave=False,
            dynamic_ncols=True,
            bar_format="{n_fmt} of {total_fmt} crawls |{bar:24}| {remaining} left; {desc}",
        )
        self._shows_lines = not quiet and not is_terminal

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.close()

    def __call__(self, group: CrawlGroup, what: str, strategy: str, why: str) -> None:
        """Note that a crawl begins or ends; called from several threads."""
        with self._lock:
            if what in (DONE, FAILED):
                self._n_done += 1
                self._bar.update(1)
                self._running.pop(group.name, None)
                if what == FAILED:
                    self._bar.clear()
                    print(f"Failed: {group.label}, {strategy}: {why}", file=sys.stderr, flush=True)
            else:
                self._running[group.name] = f"{group.label} {strategy or what}"
            running = "; ".join(self._running.values())
            self._bar.set_description_str(running, refresh=True)
            now = time.monotonic()
            if self._shows_lines and running and now - self._last >= LINE_EVERY_SECS:
                self._last = now
                text = f"{self._n_done} of {self._total} crawls, {self._left(now)} left; now {running}"
                print(text, file=sys.stderr, flush=True)

    def _left(self, now: float) -> str:
        n = self._n_done - self._done_before
        if not n:
            return "?"
        seconds = (now - self._started) / n * (self._total - self._n_done)
        return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
