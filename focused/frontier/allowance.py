"""The inputs of patience: the budgets of a crawl, its speed, and its waiting links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from focused.frontier.store.worker_demand import OtherWorkers

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.frontier.politeness import HostAvailability
    from focused.frontier.store.interface import LinkStore
    from focused.frontier.store.waiting_counts import WaitingCounts


@dataclass(frozen=True)
class LinkSupply:
    """The links that may be asked for: those that wait here, counted by level, and what other workers say of theirs."""

    store: LinkStore
    by_level: WaitingCounts
    other_workers: OtherWorkers = field(default_factory=OtherWorkers)


@dataclass(frozen=True)
class RequestPace:
    """How fast requests may follow each other."""

    #: The delays of hosts, and the clock.
    hosts: HostAvailability
    #: Requests that may be under way at a time.
    concurrency: int
    #: Whether the strategy asks for few requests because it knows little yet.
    begins: Callable[[], bool]


@dataclass(frozen=True)
class Allowance:
    """What a crawl may spend, in pages and in time, and what it has spent."""

    #: Pages that the crawl is meant to fetch; how many of them are left, not counting those under way.
    goal_pages: Callable[[], int]
    pages_left: Callable[[], int]
    #: How many times as long as an impatient crawl this one may take.
    factor: float
    #: Seconds that the crawl may take in all, earlier runs included; 0: as ``factor`` says.
    max_secs: float
    #: Seconds that the crawl has taken, earlier runs included.
    spent_secs: Callable[[], float]
