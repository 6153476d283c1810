"""``scrapy judge``: a person judges pages of a crawl, one after the other."""

from __future__ import annotations

import getpass
import re
import shlex
from typing import TYPE_CHECKING

from focused.collection.verdict_folder import ASSESSOR
from focused.crawl.followed_run import local_runs, verdicts_sent
from focused.utils.project_command import ProjectCommand, whole_number

if TYPE_CHECKING:
    import argparse

ORDERS = ("mixed", "uncertain", "random", "top")

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
        run_dir = local_runs(args, self.settings)[0]
        # Scrapy imports every command whichever is run, and only this one should wait for numpy and scipy.
        if opts.assessor:
            from focused.commands.judge_program import have_judged

            if opts.person is not None:
                raise ValueError("--as is for people; a program's verdicts carry the name of its model.")
            with verdicts_sent(run_dir):
                have_judged(run_dir, self.settings, opts.order, most, opts.describe)
            return
        from focused.commands.judge_session import judge

        if opts.describe is not None:
            raise ValueError("--describe is for --assessor: people know what they want.")
        person = _login_name() if opts.person is None else opts.person
        if person.startswith(ASSESSOR):
            raise ValueError(f"--as must not begin with {ASSESSOR!r}: that is for programs. Got {person!r}.")
        with verdicts_sent(run_dir):
            judge(run_dir, person, opts.order, most)


def _login_name() -> str:
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = ""
    return re.sub(r"[^\w .@-]", "", name)[:64].lstrip(" .@-") or "me"
