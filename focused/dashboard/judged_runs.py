"""Caches the verdicts on a run until its files change: reading 100,000 pages takes a second."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING

from focused.dashboard.background_work import BackgroundWork
from focused.dashboard.verdicts import Opinions, Stamps, read_opinions, stamps, verdict_stamps
from focused.utils.file_names import COLLECTION_FILE

if TYPE_CHECKING:
    from pathlib import Path

MAX_RUNS = 50
_FILES = (COLLECTION_FILE, f"{COLLECTION_FILE}-wal")
TIMES_AS_LONG = 20
"""While a crawl adds pages, figures are kept for so many times as long as it took to find them out: 5 % of a core at most."""


@dataclass(eq=False, slots=True)
class _Seen:
    """What was read of a run, and the state that its files had then; only one thread reads it at a time."""

    lock: Lock = field(default_factory=Lock)
    opinions: Opinions | None = None
    last: Opinions | None = None
    verdicts: Stamps = ()
    pages: Stamps = ()
    #: By the monotonic clock; in seconds.
    read_at: float = 0.0
    took: float = 0.0


class JudgedRuns:
    """Reads opinions and figures of runs. A new verdict counts at once; pages that a crawl adds count a little later."""

    def __init__(self) -> None:
        self._seen: OrderedDict[Path, _Seen] = OrderedDict()
        self._lock = Lock()
        self._background = BackgroundWork[Opinions]()

    def opinions(self, run_dir: Path) -> Opinions | None:
        """Return what people say of a run; a `CollectionFileError` says why it cannot be read.

        While it is read anew what was known before, marked so; None if nothing was.
        """
        found = self._background.get(run_dir, lambda: self.read(run_dir))
        if found is None and (seen := self._seen.get(run_dir)) is not None and seen.last is not None:
            return replace(seen.last, is_old=True)
        return found

    def read(self, run_dir: Path) -> Opinions:
        """Return what people say of a run, however long it takes."""
        with self._lock:
            seen = self._seen.setdefault(run_dir, _Seen())
            self._seen.move_to_end(run_dir)
            if len(self._seen) > MAX_RUNS:
                self._seen.popitem(last=False)
        with seen.lock:
            verdicts, pages = verdict_stamps(run_dir), stamps(run_dir / name for name in _FILES)
            is_young = time.monotonic() - seen.read_at < TIMES_AS_LONG * seen.took
            if seen.opinions is None or verdicts != seen.verdicts or (pages != seen.pages and not is_young):
                began = time.monotonic()
                seen.opinions = None  # if it cannot be read, nothing is known any more
                try:
                    seen.opinions = seen.last = read_opinions(run_dir)
                except BaseException:
                    seen.last = None
                    raise
                seen.verdicts, seen.pages, seen.read_at = verdicts, pages, time.monotonic()
                seen.took = seen.read_at - began
            return seen.opinions
