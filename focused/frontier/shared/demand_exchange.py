"""Sends the other workers of a shared crawl what this one could ask for, and sums up what they send."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from focused.frontier.store.priority_bins import N_BINS
from focused.frontier.store.worker_demand import OtherWorkers, WorkerDemand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.frontier.shared.crawl_overview import CrawlOverview
    from focused.frontier.shared.exchange import Exchange


class DemandExchange(OtherWorkers):
    """What the other workers have told in their rows of the database, some seconds old."""

    def __init__(self, exchange: Exchange, overview: CrawlOverview) -> None:
        super().__init__()
        self._exchange, self._overview = exchange, overview

    def send(self, own: WorkerDemand) -> None:
        """Send the others this worker's demand, with the next renewal of its lease."""
        self._exchange.add_tasks(demand=own.numbers())

    def have(self, least: int) -> bool:
        """Tell whether another worker has a link of at least this priority, and the crawl gets on."""
        return self._overview.others_have_link(least)

    def receive(self, n_workers: int, n_impatient: float, rows: Sequence[Sequence[float]]) -> None:
        """Receive the number of workers, the requests of all others, and the demands of those at work."""
        known = [WorkerDemand.of_numbers(row) for row in rows]
        self.n_workers, self.n_impatient = max(1, n_workers), n_impatient
        self.rate = sum(each.rate for each in known)
        self.supply = np.sum([each.supply for each in known], axis=0) if known else np.zeros(N_BINS)
        self.n_ended, self.n_pages = sum(each.n_ended for each in known), sum(each.n_pages for each in known)
