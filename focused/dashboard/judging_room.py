"""Sessions of people who judge in the browser: each in a thread of its own, as SQLite wants it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from focused.collection.figure_words import figure_lines
from focused.collection.judging_session import JudgingSession
from focused.collection.verdict_folder import ASSESSOR, ON_PAGE
from focused.dashboard import background_work
from focused.dashboard.verdicts import not_counted
from focused.utils.sqlite_files import TAKING_IN_SECS, done_within

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from focused.collection.judging_session import ShownPage

MAX_SESSIONS = 20
ANSWERS = {"y": True, "n": False, "s": None}


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked: the page that is shown."""

    person: str
    shown: ShownPage | None
    counts: tuple[int, int, int]
    figures: list[str]
    #: The pages are being read: nothing is shown yet.
    is_reading: bool = False


@dataclass(eq=False, slots=True)
class _PersonSession:
    """One person's session on one run."""

    executor: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    session: JudgingSession | None = None
    asked: Question | None = None


def person_of(said: str) -> str:
    """Return a name as it is kept; a ValueError says that it is one of programs, whose word counts less."""
    person = said.strip()
    if person.casefold().startswith(ASSESSOR):
        raise ValueError(
            f"A person's name must not begin with {ASSESSOR!r}, as those of programs do. Got {person[:64]!r}"
        )
    return person


class JudgingRoom:
    """The sessions; beyond `MAX_SESSIONS` the one used longest ago ends. Nothing is lost: each verdict is on disk at once."""

    def __init__(self) -> None:
        self._seats: OrderedDict[tuple[Path, str], _PersonSession] = OrderedDict()

    async def ask(self, run_dir: Path, person: str) -> Question:
        """Return what the person is shown now; a ValueError says why there is nothing to judge, or the name is none.

        Pages that take long to be read are read while the answer says so.
        """
        work = asyncio.ensure_future(self._run(run_dir, person, _refresh))
        done, _ = await asyncio.wait([work], timeout=background_work.ANSWER_SECS)
        if done:
            return work.result()
        work.add_done_callback(
            lambda each: each.cancelled() or each.exception()
        )  # it is said when the person asks again
        return Question(person, None, (0, 0, 0), [], is_reading=True)

    async def answer(self, run_dir: Path, person: str, url: str, answer: str) -> Question:
        """Take an answer (``y``, ``n``, ``s``, or ``u`` for undo) on the page that was shown, and return what is shown next.

        An answer on another page than the one that is shown changes nothing: it was sent twice, or from an old window.
        """
        return await self._run(run_dir, person, lambda seat: _answer(seat, url, answer))

    async def _run(self, run_dir: Path, person: str, work: Callable[[_PersonSession], Question]) -> Question:
        seat = self._seats.setdefault((run_dir, person), _PersonSession())
        self._seats.move_to_end((run_dir, person))
        while len(self._seats) > MAX_SESSIONS:
            _, oldest = self._seats.popitem(last=False)
            oldest.executor.submit(_close, oldest)
            oldest.executor.shutdown(wait=False)

        def begun() -> Question:
            if seat.session is None:
                with background_work.ONE, done_within(TAKING_IN_SECS):
                    seat.session = JudgingSession(run_dir, person, "mixed", most=ON_PAGE)
                    return work(seat)
            with done_within(TAKING_IN_SECS):
                return work(seat)

        try:
            return await asyncio.get_running_loop().run_in_executor(seat.executor, begun)
        except BaseException:
            if seat.session is None and self._seats.get((run_dir, person)) is seat:
                del self._seats[run_dir, person]
                seat.executor.shutdown(wait=False)
            raise


def _refresh(seat: _PersonSession) -> Question:
    """Look anew at what the person is shown: others judge meanwhile, and the model learns."""
    session = seat.session
    assert session is not None
    shown = session.next() if seat.asked is None or seat.asked.shown is None else session.current()
    lines = list(figure_lines(session.figures(), session.about.believed_precision()))
    lines += not_counted(session.about.folder)
    seat.asked = Question(session.path.stem, shown, session.counts, lines)
    return seat.asked


def _ask(seat: _PersonSession) -> Question:
    return _refresh(seat) if seat.asked is None or seat.asked.shown is None else seat.asked


def _answer(seat: _PersonSession, url: str, answer: str) -> Question:
    session, asked = seat.session, _ask(seat)
    assert session is not None
    if answer == "u":
        if session.undo():
            seat.asked = None
    elif asked.shown is not None and asked.shown.row["url"] == url and answer in ANSWERS:
        session.give_verdict(ANSWERS[answer])
        seat.asked = None
    return _ask(seat)


def _close(seat: _PersonSession) -> None:
    if seat.session is not None:
        seat.session.__exit__(None, None, None)
