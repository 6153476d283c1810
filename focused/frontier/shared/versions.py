"""`SharedVersions`: tells a worker to use a new version of the model, and sends the records of pages judged by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.frontier.shared.page import LearntRecord, Move
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from focused.frontier.shared.exchange import Exchange
    from focused.frontier.shared.leasing import Totals
    from focused.frontier.shared.page_draft import PageDraft


class SharedVersions:
    """Says when there is a new version, and hands on what kept pages teach by it.

    A record is of the version that judged its page (`focused.frontier.shared.lessons`). So whoever changes versions lets its
    kept pages be judged again, and gives these records to all; it reads those of the others from where the version began.
    """

    def __init__(self, exchange: Exchange, draft: PageDraft) -> None:
        self._exchange, self._draft = exchange, draft
        #: The last version that is known.
        self.version = 1
        self._n_pages = self._n_since = 0
        #: Pages that all workers had fetched when the last training began, as far as is known.
        self.n_pages_trained = 0
        #: To be set: called when the database has another version.
        self.on_new: Callable[[], None] = lambda: None
        #: Called when the session begins to learn anew: what has been heard and not learnt is of the version before.
        self.on_change: Callable[[], None] = lambda: None
        #: Set by the trainer: tells whether the crawl pauses now, because a model is being trained.
        self.waits: Callable[[], bool] = lambda: False
        #: Returns the fingerprint of a URL.
        self.fingerprint: Callable[[str], int] = lambda url: 0
        #: Lets waiting links have other scores.
        self.place: Callable[[Iterable[Move]], None] = lambda moves: None

    @property
    def n_pages(self) -> int:
        """Pages that all workers have fetched, as far as is known, with the latest ones of this worker."""
        return self._n_pages + self._n_since

    def note_page(self) -> None:
        """Note that this worker has judged a page."""
        self._n_since += 1

    @property
    def worker(self) -> int:
        """The number of this worker; 0: it has none now."""
        return self._exchange.worker

    def update(self, totals: Totals) -> None:
        """Note the version that all are to use, and how many pages they have fetched and trained with."""
        version, self._n_pages, self.n_pages_trained = totals.version, totals.n_pages, totals.n_pages_trained
        self._n_since = self._exchange.n_pending
        if version > self.version:
            self.version = version
            self.on_new()

    def update_at_end(self, totals: Totals) -> None:
        """Note how many pages all have fetched when this worker has ended."""
        self._n_pages, self._n_since = totals.n_pages, 0

    def begin(self, floor: int) -> None:
        """Receive the records of other workers from number ``floor`` on: those of the version that begins there."""
        self.on_change()
        self._exchange.add_tasks(records_from=floor)

    def send_record(self, n_links: int, version: int, record: bytes) -> None:
        """Hand on what a kept page teaches, judged by a version."""
        self._draft.page.records.append(LearntRecord(n_links, version, record))

    def move(self, scores: Iterable[tuple[str, float, bool]]) -> None:
        """Give links that wait, by URL, other scores, and say whether they are admitted."""
        self.place(Move(self.fingerprint(url), host_of(url), score, admitted) for url, score, admitted in scores)
