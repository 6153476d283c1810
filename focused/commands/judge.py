"""``scrapy judge``: a person says of the pages of a crawl, one after the other, whether they are relevant."""

from __future__ import annotations

import getpass
import re
import shlex
import signal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from focused.collection.figure_words import figure_lines
from focused.collection.judging import JudgingSession
from focused.collection.queue import ORDERS
from focused.collection.schema import CollectionFileError
from focused.collection.verdict_folder import ASSESSOR
from focused.commands.judge_display import Display
from focused.retraining.applied_verdicts import apply_verdicts
from focused.utils.keys import END, Keys
from focused.utils.program import as_typed
from focused.utils.project_command import ProjectCommand, whole_number
from focused.utils.words import quantity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from types import FrameType

EXAMPLES = """\
The crawl may be running, finished or killed. Keys: y (relevant), n (not), s (skip), u (undo), space (more text), q (quit).
Without a terminal each line of the input is a key. Each verdict is on disk at once, in RUN_DIR/verdicts/NAME.jsonl.

Orders: mixed teaches the model and draws enough random pages for honest figures; uncertain only teaches; random gives the
figures soonest; top shows the pages with the highest relevance first.

Examples:
  scrapy judge runs/astrophysics/20260101-120000
      judge as you, in the mixed order, until you press q
  scrapy judge runs/astrophysics/20260101-120000 --as anna --pages 20
      another person; stop after 20 pages
  scrapy judge runs/astrophysics/20260101-120000 --order random
      pages at random: ten of those that the model calls relevant give the precision
  scrapy judge runs/astrophysics/20260101-120000 --pages 0
      judge nothing; show what the verdicts so far say of the collection
  scrapy judge runs/astrophysics/20260101-120000 --assessor -s FOCUSED_ASSESSOR_URL=http://127.0.0.1:8080/v1 \\
      -s FOCUSED_ASSESSOR_MODEL=NAME --pages 100
      a program judges: any endpoint that speaks the OpenAI chat protocol
  scrapy train astrophysics --from-run runs/astrophysics/20260101-120000
      afterwards: learn from the verdicts
"""


class Command(ProjectCommand):
    """Judge pages; an error is one line on stderr and exit code 1."""

    usage = "RUN_DIR [options]"
    summary = "Judge the pages of a crawl, one after the other"
    examples = EXAMPLES

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("what to judge").add_argument
        add(
            "--order",
            default="mixed",
            metavar="ORDER",
            help=f"which page comes next: {', '.join(ORDERS)} (default: mixed)",
        )
        add("--as", default=None, dest="person", metavar="NAME", help="who judges (default: your login name)")
        add("--assessor", action="store_true", help="a program judges (FOCUSED_ASSESSOR_URL, FOCUSED_ASSESSOR_MODEL)")
        add(
            "--describe",
            default=None,
            metavar="SENTENCE",
            help="what --assessor is told of the topic (default: its title)",
        )
        add("--pages", default=None, metavar="N", help="stop after so many pages (default: when you quit)")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Judge."""
        self.refuse_options(args)
        if len(args) != 1:
            raise ValueError(f"Name the folder of a run: scrapy judge RUN_DIR. Got {shlex.join(args) or 'none'}.")
        if opts.order not in ORDERS:
            raise ValueError(f"--order must be {', '.join(ORDERS)}. Got {opts.order!r}.")
        most = None if opts.pages is None else whole_number("--pages", opts.pages)
        run_dir = Path(args[0])
        if opts.assessor:
            self._have_judged(run_dir, opts, most)
            return
        if opts.describe is not None:
            raise ValueError("--describe is for --assessor: people know what they want.")
        person = _login_name() if opts.person is None else opts.person
        if person.startswith(ASSESSOR):
            raise ValueError(f"--as must not begin with {ASSESSOR!r}: that is for programs. Got {person!r}.")
        with JudgingSession(run_dir, person, opts.order) as session:
            try:
                with _terminated_as_interrupted(), Keys() as keys:
                    why = _judge(session, keys, most)
            except KeyboardInterrupt:
                why = "Interrupted."
            print("\n" + why)
            for line in _ending(session, run_dir):
                print(line)

    def _have_judged(self, run_dir: Path, opts: argparse.Namespace, most: int | None) -> None:
        """Let a program judge."""
        # It takes a moment to import what loads a topic.
        from focused.commands.judge_program import (
            agreement,
            judge_by_program,
            make_assessor,
            name_of_program,
            topic_in_words,
        )

        if opts.person is not None:
            raise ValueError("--as is for people; a program's verdicts carry the name of its model.")
        with JudgingSession(run_dir, name_of_program(self.settings), opts.order) as session:
            described = opts.describe or topic_in_words(session.about.about("topic"), self.settings)
            for line in judge_by_program(session, make_assessor(self.settings, described), most):
                print(line, flush=True)
            session.figures()  # takes in what was said last
            for line in filter(None, (str(session.path), agreement(session))):
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
                session.say({"y": True, "n": False, "s": None}[key])
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


def _delivered(run_dir: Path) -> Iterator[str]:
    """Let the collection follow all verdicts there are, and say what changes by that."""
    try:
        changes = apply_verdicts(run_dir)
    except CollectionFileError as error:
        yield f"The collection does not know the verdicts yet: {error}"
        return
    n_added = sum(change.is_delivered for change in changes)
    if changes:
        yield (
            f"Delivered from now on: {quantity(n_added, 'pages')} more; not any more: "
            f"{quantity(len(changes) - n_added, 'pages')}."
        )


def _ending(session: JudgingSession, run_dir: Path) -> Iterator[str]:
    n_yes, n_no, n_skipped = session.counts
    if n_yes or n_no or n_skipped:
        yield f"{n_yes} relevant, {n_no} not, {n_skipped} skipped: {session.path}"
        yield from _delivered(run_dir)
    yield from figure_lines(session.figures(), session.about.believed_precision())
    if n_bad := session.about.folder.n_bad:
        yield f"{quantity(n_bad, 'lines')} of {session.path.parent} hold no verdict; the crawl's log names them"
    if topic := session.about.about("topic"):
        yield as_typed(
            f"Learn from the verdicts: scrapy train {shlex.quote(topic)} --from-run {shlex.quote(str(run_dir))}"
        )


def _login_name() -> str:
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = ""
    return re.sub(r"[^\w .@-]", "", name)[:64].lstrip(" .@-") or "me"


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
