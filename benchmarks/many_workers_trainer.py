"""People who judge the pages of many_workers.py's chaos while it goes on, and the processes that train from what they say."""

from __future__ import annotations

import os
import random
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from focused.frontier.shared import version_rows
from focused.frontier.shared.schema import connect
from focused.frontier.shared.version_rows import StoredVerdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

EVERY_PAGES = 8
"""Verdicts from which a model is trained anew."""
_A_SEC = 4
_NEXT = (
    "SELECT url FROM collected WHERE crawl = 1 AND NOT EXISTS "
    "(SELECT FROM verdicts WHERE verdicts.crawl = 1 AND verdicts.url = collected.url) ORDER BY page LIMIT %s"
)
_TRAINER = b"focused.retraining.training_child"


class Person(threading.Thread):
    """Judges some pages each second, every second one relevant; waits while the database is away."""

    def __init__(self, url: str) -> None:
        super().__init__(name="person", daemon=True)
        self._url, self._stopping = url, threading.Event()

    def stop(self) -> None:
        """Judge no more."""
        self._stopping.set()
        self.join()

    def run(self) -> None:
        """Judge until it is to stop."""
        while not self._stopping.wait(1.0):
            # Before the first worker has made them there are no tables.
            with suppress(psycopg.Error), connect(self._url) as sql:
                urls = [url for (url,) in sql.execute(_NEXT, (_A_SEC,)).fetchall()]
                said = [StoredVerdict(0, url, "anna", place % 2 == 0, "") for place, url in enumerate(urls)]
                version_rows.write_verdicts(sql, 1, said)


class Killer(threading.Thread):
    """Kills (kill -9) processes that train for workers, at random moments, until it is to stop or has killed enough.

    ``workers`` returns the numbers of the workers' processes.
    """

    def __init__(self, n_most: int, workers: Callable[[], Iterable[int]], seed: int) -> None:
        super().__init__(name="killer", daemon=True)
        self._n_most, self._workers, self._random = n_most, workers, random.Random(seed)
        self._stopping = threading.Event()
        #: How many it has killed.
        self.n_killed = 0

    def stop(self) -> None:
        """Kill no more."""
        self._stopping.set()
        self.join()

    def run(self) -> None:
        """Kill until it is to stop."""
        while self.n_killed < self._n_most and not self._stopping.wait(self._random.uniform(2.0, 12.0)):
            self.n_killed += _kill_one(set(self._workers()))


def _kill_one(of: set[int]) -> bool:
    """Kill a process that trains for one of these workers; tell whether there was any."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
            if parent in of and _TRAINER in (entry.parent / "cmdline").read_bytes():
                os.kill(int(entry.parent.name), signal.SIGKILL)
                return True
    return False


def trainings(url: str) -> str:
    """Return how many trainings have ended, and how many versions of them were taken over."""
    with connect(url) as sql:
        row = sql.execute("SELECT count(*), count(*) FILTER (WHERE accepted), count(DISTINCT version) FROM versions")
        n_ended, n_accepted, n_numbers = row.fetchone() or (0, 0, 0)
    assert n_ended == n_numbers
    return f"{n_ended}, {n_accepted}"
