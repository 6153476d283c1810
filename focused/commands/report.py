"""``scrapy report``: write the report of crawls or of an evaluation as one HTML file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from focused.crawl.followed_run import local_runs
from focused.crawl.losses import LOSSES
from focused.retraining.applied_verdicts import apply_verdicts
from focused.utils.file_names import RESULTS_FILE
from focused.utils.output_files import check_output, check_regular
from focused.utils.project_command import ProjectCommand

if TYPE_CHECKING:
    import argparse

EXAMPLES = """\
Relevant means: relevant for the crawl's own classifier. To compare strategies by labels: scrapy evaluate.

Examples:
  scrapy report runs/astrophysics/20260101-120000
      one crawl; writes report.html into its folder
  scrapy report runs/astrophysics/*
      several crawls in the same figures; writes runs/astrophysics/report.html
  scrapy report first second --output compared.html
      the same, written to another file
  scrapy report evaluations/hyperphysics
      the report of an evaluation, written again from its files
"""


class Command(ProjectCommand):
    """Write the report; an error is one line on stderr and exit code 1."""

    usage = "RUN_DIR... [options]"
    summary = "Write the report of one or several crawls as one HTML file"
    examples = EXAMPLES

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("report").add_argument
        help_ = "file of the report (default: report.html in RUN_DIR; of several runs: in the folder that holds them)"
        add("--output", metavar="FILE", help=help_)

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write the report."""
        # Scrapy imports every command whichever is run, and only this one should wait for matplotlib.
        from focused.evaluation.report import write_evaluation_report, write_run_report

        self.refuse_options(args)
        if not args:
            raise ValueError("Name the folder of a crawl: scrapy report RUN_DIR... Got none.")
        output = check_regular(check_output(Path(opts.output), "--output"), "--output") if opts.output else None
        paths = local_runs(args, self.settings)
        # A shell's runs/* also names an earlier report.
        folders = [path for path in paths if not (path.is_file() and path.suffix == ".html")]
        evaluations = [folder for folder in folders if (folder / RESULTS_FILE).is_file()]
        if evaluations and len(folders) > 1:
            alone = f"{evaluations[0]} is an evaluation; give it alone"
            raise ValueError(f"{alone}. Crawls and evaluations do not share figures.")
        for folder in () if evaluations else folders:
            with suppress(ValueError, OSError):  # a folder that may not be written is reported as it is
                apply_verdicts(folder)
        try:
            if evaluations:
                print(write_evaluation_report(evaluations[0], output))
            else:
                print(write_run_report(folders or paths, output, meanings=LOSSES))
        except OSError as error:
            if error.filename and not str(error.filename).endswith(".part"):
                raise  # a file could not be read
            where, why = str(error.filename or output or "").removesuffix(".part"), error.strerror or error
            raise ValueError(
                f"The report {where} cannot be written: {why}. Write it elsewhere: --output FILE"
            ) from None
