"""`WorkerDemand`: how many requests and links one worker counts; `OtherWorkers`: the sums of the others.

Workers tell each other, so that each of them is patient for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from focused.frontier.store.priority_bins import N_BINS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.frontier.store.waiting_counts import Floats


class WorkerDemand(NamedTuple):
    """What one worker knows of its own hosts."""

    #: Requests that it would have made by now if it never waited, and how many of them a second.
    n_impatient: float
    rate: float
    #: Links that it can ask for until the end, of the best level, of the two best, and so on; shape (N_BINS,).
    supply: Floats
    #: Responses, and how many of them were pages.
    n_ended: float = 0.0
    n_pages: float = 0.0

    def numbers(self) -> list[float]:
        """Return it as a row of numbers."""
        return [self.n_impatient, self.rate, *self.supply.tolist(), float(self.n_ended), float(self.n_pages)]

    @classmethod
    def of_numbers(cls, numbers: Sequence[float]) -> WorkerDemand:
        """Return what a row of numbers says; levels that are not known here, or there, count as none."""
        supply = np.zeros(N_BINS)
        given = np.asarray(numbers[2 : 2 + N_BINS], dtype=float)
        supply[: len(given)] = given
        ended = map(float, numbers[2 + N_BINS : 4 + N_BINS])
        return cls(float(numbers[0]), float(numbers[1]), supply, *ended)


class OtherWorkers:
    """What a crawl's other workers have told; a crawl of one process has none."""

    def __init__(self) -> None:
        #: Workers that are at work, this one included.
        self.n_workers = 1
        #: The sum of `WorkerDemand.n_impatient`, workers that have ended included.
        self.n_impatient = 0.0
        #: The sums of their rates and supplies, those of workers at work only.
        self.rate = 0.0
        self.supply: Floats = np.zeros(N_BINS)
        #: Responses to workers at work, and how many of them were pages.
        self.n_ended = self.n_pages = 0.0

    def send(self, own: WorkerDemand) -> None:
        """Send the others this worker's demand."""

    def have(self, least: int) -> bool:
        """Tell whether another worker is about to ask for a link of at least this priority: better ones may come of it."""
        return False
