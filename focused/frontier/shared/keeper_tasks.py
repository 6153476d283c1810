"""`KeeperTasks`: the tasks that a worker's reactor sets its keeper, the thread that renews the lease."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focused.frontier.shared.links_wanted import LinksWanted


@dataclass(slots=True)
class KeeperTasks:
    """What is to be done now, and what holds until it is set anew: ``is_busy``, ``n_own``, ``best`` and ``demand``."""

    n_hosts: int = 0
    ahead: dict[str, LinksWanted] = field(default_factory=dict)
    #: Hosts from which links should be drawn.
    draws: dict[str, None] = field(default_factory=dict)
    give_back: dict[str, tuple[float, float]] = field(default_factory=dict)
    #: Texts of robots.txt files by their origins, and when they were read, by `focused.frontier.shared.events.now`.
    robots: dict[str, tuple[bytes, float]] = field(default_factory=dict)
    #: Failures of origins: in a row, why, and whether they have ever answered.
    troubles: dict[str, tuple[int, str, bool]] = field(default_factory=dict)
    n_pages: int = 0
    n_records: int = 0
    #: Records above this number are read once more, whichever were read; None: go on.
    records_from: int | None = None
    reads_texts: bool = False
    reads_answers: bool = False
    inherits: bool = False
    scores: dict[tuple[int, int], None] = field(default_factory=dict)
    returns_pages: bool = False
    joins: bool = False
    is_busy: bool = True
    n_own: int = 0
    best: int | None = None
    #: What this worker tells the others of its links; None: it is not patient.
    demand: list[float] | None = None

    def fulfilled(self) -> KeeperTasks:
        """Return what is left of these when all tasks are done."""
        return KeeperTasks(is_busy=self.is_busy, n_own=self.n_own, best=self.best, demand=self.demand)

    def restore(self, earlier: KeeperTasks) -> None:
        """Add again what could not be done, and does not come again by itself; what was said later holds."""
        self.ahead = earlier.ahead | self.ahead
        self.draws = earlier.draws | self.draws
        self.give_back = earlier.give_back | self.give_back
        self.robots = earlier.robots | self.robots
        self.troubles = earlier.troubles | self.troubles
        self.scores = earlier.scores | self.scores
        self.returns_pages |= earlier.returns_pages
        self.joins |= earlier.joins
        if self.records_from is None:
            self.records_from = earlier.records_from
