"""A session of `scrapy judge`: keys in, verdicts out, and what they say at the end."""

from __future__ import annotations

import shlex
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

from focused.collection.figure_words import NONE_YET, figure_lines
from focused.collection.schema import CollectionFileError
from focused.collection.verdict_words import contradictions
from focused.commands.judge_display import Display
from focused.retraining.applied_verdicts import apply_verdicts
from focused.utils.program import as_typed
from focused.utils.terminal_keys import END, Keys
from focused.utils.terminal_text import harmless
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FrameType

    from focused.collection.judging_session import JudgingSession


def judge(run_dir: Path, person: str, order: str, most: int | None) -> None:
    """Ask a person to judge at most so many pages, and print what all verdicts say."""
    # Scrapy imports this module before every command, and only this one should wait for numpy and scipy.
    from focused.collection.judging_session import JudgingSession

    with JudgingSession(run_dir, person, order) as session:
        try:
            with _terminated_as_interrupted(), Keys() as keys:
                why = _judge(session, keys, most)
        except KeyboardInterrupt:
            why = "Interrupted."
        print("\n" + why)
        for line in (*apply_new_verdicts(session, run_dir), *_ending(session, run_dir)):
            print(line)


def _judge(session: JudgingSession, keys: Keys, most: int | None) -> str:
    """Show pages and take verdicts until there is a reason to end; return it."""
    display = Display(keys.is_raw)
    while most is None or sum(session.counts) < most:
        shown = session.next()
        if shown is None:
            return "No page is left: all that were fetched so far have a verdict, or were skipped."
        display.start = 0
        keys.forget()
        while True:
            display.show(shown, _so_far(session))
            key = keys.read()
            if key in ("q", END):
                return "Ended."
            if key in ("y", "n", "s"):
                session.give_verdict({"y": True, "n": False, "s": None}[key])
                break
            if key == "u" and session.undo():
                break
            if key in ("up", "down", "b", "m"):
                display.move(1 if key in ("down", "m") else -1)
            elif not keys.is_raw:
                display.say(
                    "There is nothing to undo." if key == "u" else f"y, n, s, u, m (more text) or q. Got {key!r}."
                )
    return f"{quantity(sum(session.counts), 'pages')} judged."


def _so_far(session: JudgingSession) -> str:
    n_yes, n_no, _ = session.counts
    return f"{n_yes + n_no} judged ({n_yes} yes, {n_no} no)"


def apply_new_verdicts(session: JudgingSession, run_dir: Path) -> Iterator[str]:
    """Apply the verdicts to the collection, also of a crawl that has ended; yield lines that say what changes."""
    about = list[str]()
    try:
        changed = apply_verdicts(run_dir, say=about.append)
    except CollectionFileError as error:
        yield f"The verdicts are kept, and the collection does not follow them yet. {error}"
        return
    yield from map(harmless, about)
    n_in = sum(each.is_delivered for each in changed)
    if changed:
        n_out = quantity(len(changed) - n_in, "pages")
        yield f"Delivered from now on: {quantity(n_in, 'pages')} more; not any more: {n_out}"


def _ending(session: JudgingSession, run_dir: Path) -> Iterator[str]:
    n_yes, n_no, n_skipped = session.counts
    if n_yes or n_no or n_skipped:
        yield f"{n_yes} relevant, {n_no} not, {n_skipped} skipped: {session.path}"
    yield from list(figure_lines(session.figures(), session.about.believed_precision())) or [NONE_YET]
    yield from contradictions(session.about.opinions_on_pages())
    if topic := session.about.about("topic"):
        yield as_typed(
            f"Learn from the verdicts: scrapy train {shlex.quote(topic)} --from-run {shlex.quote(str(run_dir))}"
        )


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Let SIGTERM end the session as Ctrl-C does: the terminal must not stay without echo."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
