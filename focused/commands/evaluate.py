"""``scrapy evaluate``: which strategy is best, measured offline on recorded webs with labels."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from scrapy.utils.conf import arglist_to_dict

from focused.commands.evaluate_options import read_options
from focused.commands.progress import Progress
from focused.evaluation.starts import STARTS, WEB
from focused.method.learning.learners import LEARNERS
from focused.method.strategies import STRATEGIES
from focused.method.topic.presets import PRESETS
from focused.utils.output_files import check_folder
from focused.utils.project_command import ProjectCommand, whole_number
from focused.utils.words import with_preset

if TYPE_CHECKING:
    import argparse

    from focused.evaluation.run import Evaluation

EXAMPLES = f"""\
Strategies: {", ".join(STRATEGIES)}

For each topic (a label) and repeat, positives, unlabelled pages and seeds are drawn, a topic is trained, and every
strategy crawls the recorded web offline. --start says what a topic is trained from: six words that are chosen from the
positives; examples, the positives and the general background; elsewhere, the same with examples from another web; or web,
the positives and the unlabelled pages. A page is
relevant if it has the label, which the crawler never sees.
docs/method/evaluation.md is the protocol. DIR gets results.csv, curves.csv, run.json and report.html. The same command
resumes an interrupted evaluation.

Examples:
  scrapy evaluate --web demo --largest 3 --pages 200 --repeats 1 --output runs/demo-evaluation
      the demo web with its own labels: a minute or two
  scrapy evaluate --web site.warc.gz --labels site.labels.tsv --largest 10 --exclude Class --jobs 2 --output runs/site
      the ten largest topics of a recorded web, all strategies, three repeats
  scrapy evaluate --web site.warc.gz --labels site.labels.tsv --topics Sound,Nuclear --strategies cbp_slc,best_first \\
      --output runs/two -s FOCUSED_BLOCK_ALPHA=0.25
      two topics, two strategies, another setting
  scrapy evaluate --web site.warc.gz --labels site.labels.tsv --largest 3 --preset p13,l16,modern --output runs/papers
      two papers' crawlers as printed, each by its own classifier, beside today's defaults
  scrapy evaluate --web demo --largest 3 --pages 200 --delay 1 --concurrency 16 --output runs/polite
      a polite crawl of the live web: delays in virtual time, which takes no time; results.csv has its virtual hours
  scrapy evaluate --web runs/solar/20260101-120000/pages.warc.gz --labels-from solar --output runs/own
      a crawl that was recorded with FOCUSED_WARC=all, labelled by a classifier (marked as such)
"""


class Command(ProjectCommand):
    """Evaluate strategies; a bad argument gives one clear line and exit code 1."""

    usage = "--web WEB --labels FILE --output DIR [options]"
    summary = "Compare strategies offline on recorded webs with labels"
    examples = EXAMPLES
    interrupted = "Interrupted. Finished crawls are kept; the same command resumes the evaluation"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        web = parser.add_argument_group("webs and labels").add_argument
        web("--web", action="append", metavar="WEB", help="a WARC file, or demo; repeat it for several webs")
        web("--labels", action="append", metavar="FILE", help="url<TAB>labels separated by |; one for each --web")
        web("--labels-from", metavar="TOPIC", help="instead: labels by the classifier of a topic (or a,b)")
        topics = parser.add_argument_group("topics (default: all labels)").add_argument
        topics("--topics", metavar="A,B", help="these labels, as in a CSV file: '\"A, with a comma\",B'")
        topics("--largest", metavar="N", help="the N labels with most pages")
        topics("--min-pages", metavar="N", help="labels with at least N pages")
        topics("--exclude", metavar="A,B", help="labels that are no topics, written likewise")
        crawl = parser.add_argument_group("crawls").add_argument
        crawl("--strategies", metavar="all|A,B", help="default: all; with --preset, those of its paper")
        help_ = f"train and crawl as papers do, each in turn: {', '.join(PRESETS)}"
        crawl("--preset", metavar="A,B", help=help_)
        crawl("--pages", default="600", metavar="N", help="pages a crawl fetches (default: 600)")
        crawl("--depth", metavar="D", help="links from a seed, at most (default: no limit)")
        crawl("--positives", default="30", metavar="N", help="training positives (default: 30)")
        crawl("--unlabeled", default="1500", metavar="N", help="unlabelled pages (default: 1500)")
        crawl("--seeds", default="5", metavar="N|FILE", help="drawn from the positives, or a file of URLs (default: 5)")
        crawl("--seeds-apart", action="store_true", help="draw seeds from pages that are no positives")
        crawl("--repeats", default="3", metavar="N", help="random samples for each topic (default: 3)")
        crawl("--random-state", default="0", metavar="N", help="seed of all random draws (default: 0)")
        crawl(
            "--start", default=WEB, metavar="A,B", help=f"topics are trained from {', '.join(STARTS)} (default: {WEB})"
        )
        crawl("--elsewhere-web", metavar="WARC", help="with --start elsewhere: the web that examples come from")
        crawl("--elsewhere-labels", metavar="FILE", help="its labels")
        crawl("--elsewhere-topics", metavar="A,B", help="its label for each of --topics (default: the same)")
        crawl(
            "--background-without",
            metavar="none|A,B",
            help="sources that the general background leaves out (default: those of a known web)",
        )
        crawl("--concurrency", default="1", metavar="N", help="requests at a time (default: 1)")
        crawl("--delay", metavar="SECONDS", help="between two requests to a host, in virtual time (default: no delays)")
        crawl("--latency", metavar="SECONDS", help="virtual time for an answer (default: 0.3)")
        crawl("--learner", metavar="NAME", help=f"how topics are learnt (default: the preset's, else {LEARNERS[0]})")
        running = parser.add_argument_group("running").add_argument
        running("--jobs", default="1", metavar="N", help="processes at a time (default: 1)")
        running("--output", metavar="DIR", help="folder of the results; required")
        running("--quiet", action="store_true", help="no progress on stderr")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Evaluate."""
        self.refuse_arguments(args)
        if not opts.output:
            raise ValueError("--output is missing: name a folder for the results. Example: --output runs/evaluation")
        options = read_options(opts, arglist_to_dict(opts.set))
        # Imported here: they would double the time that every scrapy command takes to start.
        from focused.evaluation.report.evaluation_report import write_evaluation_report
        from focused.evaluation.run import Evaluation

        progress = Progress(opts.quiet)
        folder = check_folder(Path(opts.output).expanduser().resolve(), "--output")
        # Scrapy removes the command's name from the arguments.
        command = shlex.join(["scrapy", "evaluate", *sys.argv[1 + (sys.argv[1:2] == ["evaluate"]) :]])
        evaluation = Evaluation(
            options,
            folder,
            self.settings,
            command=command,
            n_jobs=whole_number("--jobs", opts.jobs, 1),
            quiet=opts.quiet,
            say=progress.say,
            track=progress.track,
        )
        n_failed = evaluation.run()
        print(*_summary(evaluation), sep="\n")
        print(f"\nReport: {os.path.relpath(write_evaluation_report(evaluation.folder))}")
        if n_failed:
            failed = f"{n_failed} of {len(evaluation.records)} crawls failed (results.csv says why)"
            self.fail(f"{failed}. The others are done; the same command repeats the failed ones")


def _summary(evaluation: Evaluation) -> list[str]:
    """Return a table of means for each web and start, best strategy first."""
    from focused.evaluation.report.results import with_start

    lines: list[str] = []
    done = [record for record in evaluation.records if record["state"] == "done"]
    for web, start in dict.fromkeys((record["web"], record["start"]) for record in evaluation.records):
        about = web, start, "share_of_bound"
        compared = [e for e in evaluation.significance if (e["web"], e["start"], e["measure"]) == about]
        verdicts = {entry["strategy"]: entry for entry in compared}
        rows = []
        for strategy in evaluation.series:
            key = web, start, strategy
            found = [each["figures"] for each in done if _key(each) == key]
            shares = [each["share_of_bound"] for each in found if each["share_of_bound"] is not None]
            if shares:
                rows.append((fmean(shares), fmean(each["harvest_rate"] for each in found), strategy, len(found)))
        name = with_start(web, start)
        head = f"{name}: {'strategy':20}{'share of bound':>15}{'harvest rate':>14}{'crawls':>8}"
        lines += ["", f"{head}  {_against(verdicts, evaluation)}"]
        lines += [
            f"{'':{len(name) + 2}}{strategy:20}{share:15.3f}{rate:14.3f}{n:8}  {_verdict(verdicts.get(strategy))}"
            for share, rate, strategy, n in sorted(rows, key=lambda row: (-row[0], row[2]))
        ]
    return lines


def _against(verdicts: dict[str, dict[str, Any]], evaluation: Evaluation) -> str:
    """Return the name of the crawls that the last column compares the others with."""
    for entry in verdicts.values():
        unit = entry["unit"] if entry["n"] != 1 else entry["unit"].removesuffix("s")
        return f"against {entry['against']}, over {entry['n']} {unit}"
    default = evaluation.against
    if default in evaluation.series:
        return ""
    return f"against {default}, which was not crawled with (-s FOCUSED_STRATEGY=NAME names another)"


def _key(record: dict[str, Any]) -> tuple[str, str, str]:
    return record["web"], record["start"], with_preset(record["strategy"], record["preset"])


def _verdict(entry: dict[str, Any] | None) -> str:
    if entry is None:
        return ""
    if entry["low"] is None:
        return f"{entry['difference']:+.3f}, no interval"
    return f"{entry['difference']:+.3f} ({entry['low']:+.3f} to {entry['high']:+.3f}), {entry['verdict']}"
