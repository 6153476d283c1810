"""Sends the records of this worker's pages to the others, and receives theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.frontier.shared.memory import SharedRecords
from focused.frontier.shared.page import LearntRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from focused.frontier.shared.memory import EarlierRecords
    from focused.frontier.shared.page_draft import PageDraft


class Lessons:
    """Gives a worker's records to its pages, and those of others to who learns from them; of the own model only.

    ``earlier`` is what was learnt before this worker began, ``draft`` the page that ends next.
    """

    def __init__(self, earlier: EarlierRecords, draft: PageDraft) -> None:
        self._earlier, self._draft = earlier, draft
        #: Returns the version of the model that judges.
        self.model_version: Callable[[], int] = lambda: 1
        #: Returns how many records of other workers are wanted.
        self.n_wanted: Callable[[], int] = lambda: 0
        #: Called with those that came.
        self.on_received: Callable[[list[bytes]], None] = lambda records: None
        #: Tells whether links of workers that have ended may be taken over now.
        self.inherits: Callable[[], bool] = lambda: False
        #: Called with records of such a worker; returns the keys of links whose scores are wanted.
        self.on_inherited: Callable[[list[bytes]], list[tuple[int, int]]] = lambda records: []
        #: Called with these scores, by fingerprint.
        self.on_scores: Callable[[dict[int, float]], None] = lambda scores: None
        #: Called for each that is left out.
        self.on_other_model: Callable[[], None] = lambda: None

    def records(self, max_links: int) -> SharedRecords:
        """Return where records of pages go, and what workers have learnt so far."""
        return SharedRecords(max_links, self._earlier, self._note, self._fits)

    def receive(self, records: Iterable[LearntRecord]) -> None:
        """Pass on records of other workers."""
        self.on_received([each.record for each in records if self._fits(each)])

    def _note(self, n_links: int, record: bytes) -> None:
        """Add what a strategy has learnt to the page, for other workers."""
        self._draft.page.records.append(LearntRecord(n_links, self.model_version(), record))

    def _fits(self, record: LearntRecord) -> bool:
        """Tell whether a record is of this worker's model: another one calls other pages relevant."""
        is_own = record.model_version == self.model_version()
        if not is_own:
            self.on_other_model()
        return is_own
