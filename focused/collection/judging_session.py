"""`JudgingSession`: shows one person page after page, and writes the verdicts. It knows no terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.collection.judged import JudgedCollection
from focused.collection.queue import Pick, Queue
from focused.collection.queue_kinds import RANDOM
from focused.collection.verdict_folder import ASSESSOR, FolderLimits, Opinion, VerdictLog
from focused.utils.file_names import VERDICTS_FOLDER

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from typing_extensions import Self

    from focused.collection.figures import Figures

SKIPPED, TAKEN_BACK = "skipped", "taken back"
"""Notes of lines without a verdict."""


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page that a person should judge."""

    pick: Pick
    #: Of the collection's table ``pages``.
    row: sqlite3.Row
    #: Near copies, which are judged with it.
    copies: list[str]


class JudgingSession:
    """Shows one page after the other to one person, and writes each verdict down at once.

    What other people have judged is not shown again: together they draw one random sample. A program is shown what people
    have judged, so that it can be compared with them.

    Raises
    ------
    ValueError
        If there is no collection to judge, or the person's name is not valid.
    """

    def __init__(self, run_dir: Path, person: str, order: str, *, most: FolderLimits | None = None) -> None:
        self._log = VerdictLog(run_dir / VERDICTS_FOLDER, person)
        self._collection = JudgedCollection(run_dir, most=most)
        self._is_program = person.startswith(ASSESSOR)
        self._collection.refresh()
        self._order = order
        self._begin_queue()
        self._shown: ShownPage | None = None
        self._pages, self._model = 0, ""
        self._again: ShownPage | None = None
        self._done: list[tuple[ShownPage, bool | None]] = []

    def __enter__(self) -> Self:
        """Nothing to do: it is open."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the collection."""
        self._collection.__exit__(*error)

    @property
    def person(self) -> str:
        """Who judges."""
        return self._log.person

    @property
    def path(self) -> Path:
        """The person's file."""
        return self._log.path

    @property
    def counts(self) -> tuple[int, int, int]:
        """Of this session: pages called relevant, pages called irrelevant, pages skipped."""
        said = [relevant for _, relevant in self._done]
        return said.count(True), said.count(False), said.count(None)

    @property
    def about(self) -> JudgedCollection:
        """The collection."""
        return self._collection

    def current(self) -> ShownPage | None:
        """Return the page that is shown; another if people have judged it meanwhile, or the model has changed."""
        shown = self._shown
        if shown is None:
            return self.next()
        self._refresh()
        is_judged = not self._is_program and shown.pick.page.url in self._collection.verdicts()
        if is_judged or self._model != self._collection.learnt.model:
            return self.next()
        return shown

    def next(self) -> ShownPage | None:
        """Return the page to be judged now; None if there is none left among those that have been fetched."""
        if self._again is not None:
            self._shown, self._again = self._again, None
            return self._shown
        self._refresh()
        while (pick := self._queue.next()) is not None:
            row = self._collection.row_of(pick.page.url)
            if row is not None and not row["text_left_out"]:
                copies = self._collection.copies_of(pick.page.url)
                self._shown = ShownPage(pick, row, copies)
                self._pages, self._model = self._collection.last_number, self._collection.learnt.model
                return self._shown
            self._queue.set_aside(pick.page.url)  # the page was removed, or its text was replaced by another one's
        self._shown = None
        return None

    def give_verdict(self, relevant: bool | None, note: str = "") -> None:
        """Write the person's verdict on the page that is shown; ``relevant`` is None where the person skips the page.

        An OSError says that it could not be written: the page is still the one that is shown.
        """
        shown = self._shown
        assert shown is not None
        self._write(shown, relevant, note or (SKIPPED if relevant is None else ""))
        self._done.append((shown, relevant))
        self._queue.count(shown.pick.page.url, shown.pick.kind)
        self._queue.set_aside(shown.pick.page.url, is_aside=relevant is None)

    def undo(self) -> bool:
        """Withdraw the last verdict of this session and show its page again; False if there is none."""
        if not self._done:
            return False
        shown, _ = self._done[-1]
        self._write(shown, None, TAKEN_BACK)
        self._done.pop()
        self._queue.count(shown.pick.page.url, None)
        self._queue.set_aside(shown.pick.page.url, is_aside=False)
        self._again = shown
        return True

    def figures(self) -> Figures:
        """Return what all people's verdicts on random pages say."""
        self._refresh()
        return self._collection.figures()

    def _write(self, shown: ShownPage, relevant: bool | None, note: str) -> None:
        is_random = shown.pick.kind == RANDOM
        opinion = Opinion(
            shown.pick.page.url,
            self._log.person,
            relevant,
            note,
            drawn=shown.pick.kind,
            probability=shown.pick.probability,
            pages=self._pages if is_random else 0,
            model=self._model,
        )
        self._log.write(opinion)

    def _begin_queue(self) -> None:
        self._queue = Queue(self._order, self._collection.seed, self._collection.terms_of, pages=self._collection.pages)
        self._remember(self._log.person)

    def _refresh(self) -> None:
        pages = self._collection.pages
        self._collection.refresh()
        if self._collection.pages is not pages:
            self._begin_queue()
        said = self._collection.verdicts(of=self._log.person if self._is_program else None)
        self._queue.learn({url: share >= 0.5 for url, share in said.items()})

    def _remember(self, person: str) -> None:
        """Restore what the person did in earlier sessions; kinds count since the model has learnt from verdicts."""
        for opinion in self._collection.opinions:
            if opinion.person == person and (url := self._collection.url_of(opinion.url)):
                is_counted = opinion.model == self._collection.learnt.model and opinion.note != TAKEN_BACK
                self._queue.count(url, (opinion.drawn or None) if is_counted else None)
                self._queue.set_aside(url, is_aside=opinion.note == SKIPPED and opinion.relevant is None)
