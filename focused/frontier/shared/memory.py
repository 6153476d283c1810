"""Stands in for parts of the SQLite store that a shared frontier has in the database, or not at all."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from focused.frontier.shared.page import Move
from focused.frontier.store.page_records import StoredPages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from focused.frontier.shared.page import LearntRecord

_MAX_KNOWN_HOSTS = 1_000_000


class NoTransaction:
    """There is no transaction in the reactor: what changes is collected, page by page."""

    def begin(self) -> None:
        """Do nothing."""

    def abandon(self) -> None:
        """Do nothing."""

    def commit(self, state: Mapping[str, Any]) -> None:
        """Do nothing."""


class NoLog:
    """There is no log file to be emptied."""

    n_bytes = 0

    def empty(self) -> None:
        """Do nothing."""


class EarlierRecords(Protocol):
    """What workers have learnt before this one began."""

    def n_earlier_records(self, max_links: int) -> int:
        """Return how many of them are the latest with so many links together."""

    def earlier_records(self, max_links: int) -> Iterator[LearntRecord]:
        """Yield these."""


@dataclass(frozen=True)
class SharedRecords:
    """Takes what a strategy has learnt from pages; it begins with the latest that all workers have learnt."""

    max_links: int
    known: EarlierRecords
    note: Callable[[int, bytes], None]
    #: Tells whether a record is of this worker's model.
    fits: Callable[[LearntRecord], bool]

    @property
    def n_records(self) -> int:
        """How many there are."""
        return self.known.n_earlier_records(self.max_links)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Iterate over (number, record)."""
        for number, each in enumerate(self.known.earlier_records(self.max_links), 1):
            if self.fits(each):
                yield number, each.record

    def add(self, n_links: int, record: bytes) -> None:
        """Add a record to its page."""
        self.note(n_links, record)


class OwnMemory:
    """What one worker remembers of its pages for itself, and loses when it ends."""

    def __init__(self) -> None:
        self._sql = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)

    def pages(self, max_pages: int) -> StoredPages:
        """Return the pages that this worker keeps as they came."""
        return StoredPages(self._sql, max_pages)

    def remembered(self, key: str, default: Any = None) -> Any:
        """Return the default: what a run remembers stands elsewhere."""
        return default

    def done_urls(self) -> Iterable[str]:
        """Return none: the database knows."""
        return ()

    def host_pages(self) -> list[tuple[str, int, int]]:
        """Return none: a worker begins without."""
        return []

    def forget(self) -> None:
        """Forget all of it."""
        self._sql.close()


class SharedForms:
    """Links whose URLs have one form are one from now on; those that wait already stay as they are."""

    def join(self, host: str, form: Callable[[str], str], fingerprint: Callable[[str], int], why: str) -> int:
        """Return 0: nothing is dropped."""
        return 0


class Moves(Protocol):
    """Takes moves of waiting links."""

    def move(self, moves: Iterable[Move]) -> None:
        """Change the scores of waiting links."""


@dataclass
class SharedScores:
    """Scores of links that this worker has found: of others it knows neither fingerprint nor host."""

    store: Moves
    _hosts: dict[int, str] = field(default_factory=dict)

    def found(self, fingerprint: int, host: str) -> None:
        """Note the host of a link that may be moved."""
        if len(self._hosts) >= _MAX_KNOWN_HOSTS:
            self._hosts.clear()
        self._hosts[fingerprint] = host

    def scores(self) -> Iterable[tuple[int, str, float]]:
        """Return none: a worker begins without."""
        return ()

    def place(self, scores: Iterable[tuple[int, float]]) -> list[int]:
        """Give links other scores; return the fingerprints of those whose host is not known any more."""
        gone, moves = [], []
        for fingerprint, score in scores:
            host = self._hosts.get(fingerprint)
            if host is None:
                gone.append(fingerprint)
            else:
                moves.append(Move(fingerprint, host, score))
        self.store.move(moves)
        return gone

    def count_referrers(self, rows: Iterable[tuple[float, int, int]]) -> None:
        """Do nothing: referrers that change no priority are not counted in the database."""

    def rows(self, after: int, until: int, n_links: int) -> list[tuple[Any, ...]]:
        """Return none: see docs/method/many-workers.md, retraining."""
        return []
