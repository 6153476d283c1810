"""``scrapy report``: write the report of crawls or of an evaluation as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from focused.crawl.losses import LOSSES
from focused.utils.file_names import RESULTS_FILE
from focused.utils.output_files import check_output
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
        group = parser.add_argument_group("report")
        group.add_argument(
            "--output",
            metavar="FILE",
            help="file of the report (default: report.html in RUN_DIR; of several runs: in the folder that holds them)",
        )

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write the report."""
        print(self._write(args, Path(opts.output) if opts.output else None))

    def _write(self, args: list[str], output: Path | None) -> Path:
        # Scrapy imports every command whichever is run, and only this one should wait for matplotlib.
        from focused.evaluation.report import write_evaluation_report, write_run_report

        self.refuse_options(args)
        if not args:
            raise ValueError("Name the folder of a crawl: scrapy report RUN_DIR... Got none.")
        if output is not None:
            check_output(output, "--output")
        directories = [Path(arg) for arg in args]
        # A shell's runs/* also names an earlier report.
        folders = [directory for directory in directories if not (directory.is_file() and directory.suffix == ".html")]
        evaluations = [directory for directory in folders if (directory / RESULTS_FILE).is_file()]
        if evaluations and len(folders) > 1:
            raise ValueError(
                f"{evaluations[0]} is an evaluation; give it alone. Crawls and evaluations do not share figures."
            )
        try:
            if evaluations:
                return write_evaluation_report(evaluations[0], output)
            return write_run_report(folders or directories, output, meanings=LOSSES)
        except OSError as error:
            if error.filename and not str(error.filename).endswith(".part"):
                raise  # a file could not be read
            where = str(error.filename or output or "").removesuffix(".part")
            reason = error.strerror or error
            raise ValueError(
                f"The report {where} cannot be written: {reason}. Write it elsewhere: --output FILE"
            ) from None
