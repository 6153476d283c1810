"""Computes how well a crawl does: pure functions and one counter [P13, eq. 4-10; P15, eq. 6]."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from focused.utils.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def harvest_rate(n_relevant: int, n_pages: int) -> float:
    """Return the share of the fetched pages that are relevant, in [0, 1]; 0 before the first page [P13, eq. 8].

    >>> harvest_rate(30, 40)
    0.75
    """
    return n_relevant / n_pages if n_pages else 0.0


def target_recall(n_relevant: int, n_targets: int) -> float:
    """Return the share of the relevant pages of the virtual web that were fetched, in [0, 1] [P13, eq. 9].

    >>> target_recall(30, 120)
    0.25
    """
    return n_relevant / n_targets if n_targets else 0.0


def f_measure(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision (or harvest rate) and recall, in [0, 1] [P13, eq. 6; P15, eq. 6].

    >>> round(f_measure(0.91, 0.95), 2)
    0.93
    """
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def area(rates: Sequence[float]) -> float:
    """Return the mean of the rates after each page, in [0, 1]: the area under a crawl's curve; 0 of no page.

    Of two crawls that found the same, the one that found it earlier has the larger area.

    >>> area([1.0, 0.5, 0.75])
    0.75
    """
    return sum(rates) / len(rates) if rates else 0.0


class HarvestCounter:
    """Counts pages as they are judged; the recent harvest rate is that of the last ``window`` pages."""

    def __init__(self, window: int = 100, clock: Clock | None = None) -> None:
        self.n_pages = 0
        self.n_relevant = 0
        #: Pages that an earlier run of this crawl counted.
        self.n_pages_before = 0
        #: Links on the crawl paths of the relevant pages, summed [P13, eq. 10].
        self.target_length = 0
        #: Irrelevant pages on those paths, summed: how far the crawl tunnelled.
        self.n_irrelevant_on_path = 0
        self._clock = clock or Clock()
        self._started, self._earlier_secs = self._clock.now(), 0.0
        self._recent: deque[bool] = deque(maxlen=window)
        self._n_recent_relevant = 0

    def add(self, is_relevant: bool, path_length: int = 0, irrelevant_on_path: int = 0) -> None:
        """Count one page, with the links and the irrelevant pages on its path from a seed."""
        self.n_pages += 1
        if len(self._recent) == self._recent.maxlen:
            self._n_recent_relevant -= self._recent[0]
        self._recent.append(is_relevant)
        self._n_recent_relevant += is_relevant
        if is_relevant:
            self.n_relevant += 1
            self.target_length += path_length
            self.n_irrelevant_on_path += irrelevant_on_path

    def spent_secs(self) -> float:
        """Return how many seconds the crawl has taken, earlier runs included."""
        return self._earlier_secs + self._clock.now() - self._started

    def begin_after(self, secs: float) -> None:
        """Note that the crawl had taken so many seconds before this run."""
        self._earlier_secs = secs

    def state(self) -> dict[str, Any]:
        """Return all that has been counted, as JSON values."""
        return {
            "pages": self.n_pages,
            "relevant": self.n_relevant,
            "target_length": self.target_length,
            "irrelevant_on_path": self.n_irrelevant_on_path,
            "recent": "".join("01"[each] for each in self._recent),
            "secs": round(self.spent_secs(), 3),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue counting from what :meth:`state` returned.

        >>> first, second = HarvestCounter(2), HarvestCounter(2)
        >>> first.add(True, 3, 1); first.add(False); second.restore(first.state()); second.add(True)
        >>> second.n_pages, second.n_relevant, second.target_length, second.recent_rate
        (3, 2, 3, 0.5)
        """
        self.n_pages, self.n_relevant = state["pages"], state["relevant"]
        self.n_pages_before = self.n_pages
        self.target_length, self.n_irrelevant_on_path = state["target_length"], state["irrelevant_on_path"]
        self._earlier_secs = float(state.get("secs", 0.0))
        self._recent.clear()
        self._recent.extend(digit == "1" for digit in state["recent"])
        self._n_recent_relevant = sum(self._recent)

    @property
    def rate(self) -> float:
        """Harvest rate since the start."""
        return harvest_rate(self.n_relevant, self.n_pages)

    @property
    def recent_rate(self) -> float:
        """Harvest rate over the last pages."""
        return harvest_rate(self._n_recent_relevant, len(self._recent))
