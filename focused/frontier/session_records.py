"""`SessionRecords`: stores what a strategy's session learns, and moves waiting links to their new scores."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focused.frontier.store.interface import LinkStore
    from focused.method.scoring.session import Session

logger = logging.getLogger(__name__)

_MANY, _PAGES_A_SEC = 1_000, 400


@dataclass(eq=False)
class SessionRecords:
    """Moves waiting links to where a session says they belong, and keeps what it learns."""

    store: LinkStore
    session: Session

    def __post_init__(self) -> None:
        self._records = self.store.records(self.session.max_recorded_links)

    def resume(self) -> int:
        """Replay the session's records; return how many of them could not be read."""
        n_bad = 0
        if (n_records := self._records.n_records) > _MANY:
            logger.info(
                "Replaying what was learnt from %d pages, which takes about %.0f s", n_records, n_records / _PAGES_A_SEC
            )
        for number, record in self._records:
            try:
                self.session.replay(record)
            except ValueError as error:
                n_bad += 1
                if n_bad == 1:  # a file of another version has as many of them as pages
                    logger.warning("Record %d of the frontier is left out: %s", number, error)
        if n_bad > 1:
            logger.warning(
                "%d records of the frontier are left out, of %d. They are damaged, or another version of this program "
                "wrote them. The crawl goes on without what those pages taught.",
                n_bad,
                n_records,
            )
        for number, url, score in self.store.waiting.scores():
            self.session.note_waiting(url, number, score)
        self.session.finish_replay()
        self.move()
        return n_bad

    def note_waiting(self, url: str, score: float) -> None:
        """Note that the last link of the store is new."""
        self.session.note_waiting(url, self.store.last_id, score)

    def page_ended(self, url: str) -> None:
        """Take in what was learnt from the page that a link led to."""
        record = self.session.take_record(url)
        if record is not None:
            self._records.add(*record)
        self.move()

    def finish(self) -> None:
        """Move all links that have not been moved yet."""
        self.move(is_last=True)

    def move(self, *, is_last: bool = False, only_urgent: bool = False) -> None:
        """Move some of the links whose scores are others now; last, all; or only those that cannot wait for the next page."""
        moved = self.session.take_urgent_moves() if only_urgent else self.session.take_moves(is_last=is_last)
        if moved and (gone := self.store.waiting.place(moved)):
            self.session.note_not_waiting(gone)
