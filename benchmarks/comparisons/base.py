"""A comparison as jobs that know nothing of each other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from corpora import Corpus

if TYPE_CHECKING:
    from pathlib import Path

Load = Callable[[str], Corpus]
Job = Sequence[Any]
Found = dict[str, Any]
SEEDS = range(3)


class Comparison(NamedTuple):
    """A comparison as jobs that know nothing of each other."""

    name: str
    title: str
    jobs: Callable[[Load], list[Job]]
    """Keys of all jobs, as JSON can hold them."""
    run: Callable[[Job, Load], dict[str, Any]]
    """Do one job; what it finds, as JSON can hold it."""
    report: Callable[[list[dict[str, Any]], Path], str]
    """Write figures into a folder; the tables and figures in Markdown."""


def timed(work: Callable[[], Any]) -> float:
    """Return the CPU seconds that some work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start
