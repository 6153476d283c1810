"""The events that a worker's threads send to its reactor, and the box through which they go."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.frontier.shared.commit_result import CommitResult
    from focused.frontier.shared.host_troubles import KnownTrouble
    from focused.frontier.shared.leasing import LeasedHost, Totals
    from focused.frontier.shared.link_rows import WaitingLink
    from focused.frontier.shared.links_wanted import LinksWanted
    from focused.frontier.shared.page import LearntRecord, PageCommit
    from focused.frontier.shared.robots import KnownRobots
    from focused.frontier.shared.texts import OtherText

LEASE_LOST = "lease lost"
"""Why a page is refused whose worker had ended when it was written: its link waits again."""
NOT_STORED = "not stored"
"""How it begins why a page was refused that the database does not take."""


@dataclass(frozen=True, slots=True)
class PagesWritten:
    """Pages are durable."""

    pages: list[PageCommit]
    result: CommitResult


@dataclass(frozen=True, slots=True)
class PageRefused:
    """A page is not in the database and never will be: another worker had its link, or the lease was lost; or it cannot."""

    page: PageCommit
    why: str


@dataclass(frozen=True, slots=True)
class LinksRead:
    """Waiting links of hosts, as they were wanted; with them hosts that are this worker's from now on."""

    links: dict[str, list[WaitingLink]]
    #: Which links of each were asked for: where fewer came, there are no more.
    asked: dict[str, LinksWanted]
    taken: list[LeasedHost]
    #: How many `PagesWritten` there were before the links were read.
    n_written: int
    #: What the robots.txt files of the taken hosts say, as their last owners read them.
    robots: list[KnownRobots] = field(default_factory=list)
    #: What was wrong with them.
    troubles: list[KnownTrouble] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LinksDrawn:
    """Waiting links of some hosts, drawn at random."""

    links: list[WaitingLink]


@dataclass(frozen=True, slots=True)
class KeeperReport:
    """What the keeper has read of the whole crawl."""

    totals: Totals
    news: dict[str, int]
    #: Best ranks of hosts that no worker owns.
    free: list[int]
    #: Best ranks of the other workers; None of one that has nothing to ask for.
    others: list[int | None]
    has_ended: bool
    #: Pages of the budget that are this worker's, and that it has fetched.
    budget: tuple[int, int]
    #: How many `PagesWritten` there were before.
    n_written: int
    #: As of `Leasing.other_demand`; None: this worker is not patient.
    other_demand: tuple[float, list[list[float]]] | None = None


@dataclass(frozen=True, slots=True)
class PagesGranted:
    """How many pages of the budget are this worker's, those that it has fetched included."""

    n_pages: int
    #: Whether this is after it gave some back.
    is_return: bool = False


@dataclass(frozen=True, slots=True)
class RecordsReceived:
    """Records of other workers."""

    records: list[LearntRecord]


@dataclass(frozen=True, slots=True)
class TextsReceived:
    """What pages of other workers say."""

    texts: list[OtherText]


@dataclass(frozen=True, slots=True)
class AnswersReceived:
    """Answers to other workers' probes, by host; values as of `Soft404s.state`."""

    state: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RecordsInherited:
    """Records of a worker that has ended, and whose links this one is to move from now on."""

    records: list[bytes]


@dataclass(frozen=True, slots=True)
class ScoresRead:
    """Scores of links that were asked for, by their fingerprints: of those that wait."""

    scores: dict[int, float]


@dataclass(frozen=True, slots=True)
class LeaseLost:
    """The worker's lease has ended: its hosts are others' now."""


@dataclass(frozen=True, slots=True)
class WorkerJoined:
    """The worker has joined, or joined again, and has this number."""

    worker: int


@dataclass(frozen=True, slots=True)
class DatabaseGone:
    """The database has not answered for too long, or cannot be used."""

    error: Exception


Event = (
    PagesWritten
    | PageRefused
    | LinksRead
    | LinksDrawn
    | KeeperReport
    | PagesGranted
    | RecordsReceived
    | TextsReceived
    | AnswersReceived
    | RecordsInherited
    | ScoresRead
    | LeaseLost
    | WorkerJoined
    | DatabaseGone
)


class EventBox:
    """Takes events from any thread, and keeps them for the reactor."""

    def __init__(self) -> None:
        self._events: SimpleQueue[Event] = SimpleQueue()
        #: How many transactions with pages were written, or refused.
        self.n_written = 0
        #: Called by a thread when there is something to look at.
        self.woken: Callable[[], None] = lambda: None

    def put(self, event: Event) -> None:
        """Add an event."""
        self._events.put(event)

    def take(self) -> list[Event]:
        """Return what has happened since the last call, in its order."""
        found = []
        with suppress(Empty):
            while True:
                found.append(self._events.get_nowait())
        return found
