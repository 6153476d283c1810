"""Decides how far hosts sink whose pages prove irrelevant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.method.scoring.priority import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable

_REVIEW_EVERY_PAGES = 100


@dataclass(eq=False)
class HostPenalty:
    """Counts pages and relevant ones of each host, and says how many levels of priority a host stands back.

    A host sinks by ``strength`` times the share by which its harvest rate falls short of the whole crawl's. What counts
    is not the rate seen but the best that is still likely: shrunk towards the crawl's by ``patience`` pages, and with
    an allowance that shrinks with the host's pages and grows with the crawl's, as in UCB1 (docs/method/, D60). So one
    page writes no host off, and each is tried again.
    """

    #: 1: a host without any relevant page ends up a whole scale of scores lower. 0: none sinks.
    strength: float
    #: Pages.
    patience: float = 10.0

    def __post_init__(self) -> None:
        self._hosts: dict[str, tuple[int, int]] = {}
        self._n_pages = self._n_relevant = 0

    def load(self, hosts: Iterable[tuple[str, int, int]]) -> dict[str, int]:
        """Take (name, pages, relevant pages) of an earlier run; return how far each host that sinks stands back."""
        for host, n_pages, n_relevant in hosts:
            self._hosts[host] = n_pages, n_relevant
            self._n_pages += n_pages
            self._n_relevant += n_relevant
        return self._all()

    def count_page(self, host: str, relevant: bool) -> dict[str, int]:
        """Count a page; return how far the hosts stand back for which that may have changed."""
        n_pages, n_relevant = self._hosts.get(host, (0, 0))
        self._hosts[host] = n_pages + 1, n_relevant + relevant
        self._n_pages += 1
        self._n_relevant += relevant
        return self._all() if self._n_pages % _REVIEW_EVERY_PAGES == 0 else {host: self.levels(host)}

    def levels(self, host: str) -> int:
        """Return how many levels of priority a host stands back.

        >>> penalty = HostPenalty(1.0)
        >>> for number in range(200):
        ...     _ = penalty.count_page("good" if number % 2 else "bad", number % 2 == 1)
        >>> penalty.levels("good"), 100 < penalty.levels("bad") < 1000
        (0, True)
        """
        n_pages, n_relevant = self._hosts.get(host, (0, 0))
        prior = (self._n_relevant + 1) / (self._n_pages + 2)
        n_seen = n_pages + self.patience
        mean = (n_relevant + self.patience * prior) / n_seen
        allowance = math.sqrt(prior * (1 - prior) * math.log1p(self._n_pages) / n_seen) / 2
        return round(self.strength * LEVELS * max(0.0, 1 - (mean + allowance) / prior))

    def _all(self) -> dict[str, int]:
        return {host: self.levels(host) for host in self._hosts}
