"""``scrapy export``: write the pages of runs to files for other programs."""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from focused.collection.as_markdown import is_export, why_kept
from focused.collection.asked_filter import OPTIONS, WHICH, asked_filter
from focused.collection.formats import FORMATS, SUFFIXES
from focused.collection.joined import JoinedRuns
from focused.collection.schema import CollectionFileError
from focused.collection.word_index import bring_up_to_date
from focused.crawl.followed_run import local_runs
from focused.retraining.applied_verdicts import apply_verdicts
from focused.utils.file_names import VERDICTS_FOLDER
from focused.utils.output_files import check_output, check_regular
from focused.utils.output_settings import CSV_SAFE
from focused.utils.own_files import check_verdicts_folder
from focused.utils.project_command import ProjectCommand
from focused.utils.terminal_text import harmless
from focused.utils.words import quantity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

EXAMPLES = """\
Delivered pages are those that the model calls relevant and no person said no to, and those that a person said yes to;
no copies, and none that ask not to be indexed.

Examples:
  scrapy export runs/astrophysics/20260101-120000 --format jsonl
      an object a line; writes export.jsonl into the run's folder
  scrapy export runs/astrophysics/* --format parquet --output astrophysics.parquet
      all runs of a topic, each page once
  scrapy export runs/astrophysics/* --format markdown --output notes --language en,de --since 2020
      a folder with a file for each page in English or German that was published since 2020
  scrapy export runs/astrophysics/20260101-120000 --format csv --words "pulsar OR quasar" --host example.org
      pages that hold one of the words, of example.org and its subdomains
  scrapy export postgresql://me@host/database/CRAWL --format jsonl
      a crawl that many workers share; RUNS_DIR/TOPIC/CRAWL follows it
"""


class Command(ProjectCommand):
    """Write the export; an error is one line on stderr and exit code 1."""

    usage = "RUN_DIR... --format FORMAT [options]"
    summary = "Write the pages of runs as JSON Lines, CSV, Parquet, Markdown, WARC or SQLite"
    examples = EXAMPLES

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("export").add_argument
        add("--format", metavar="FORMAT", help=f"one of {', '.join(FORMATS)}")
        names = ", ".join(f"export{_suffix(name)}" for name in FORMATS)
        help_ = (
            f"file to write, of markdown a folder (default: {names}, in RUN_DIR; of several runs: in the folder that "
        )
        add("--output", metavar="PATH", help=f"{help_}holds them)")
        add = parser.add_argument_group("which pages").add_argument
        add("--which", metavar="WHICH", default="delivered", help=f"{', '.join(WHICH)} (default: delivered)")
        add("--relevance", metavar="R", help="relevance by the model, at least, from 0 to 1")
        add("--language", metavar="CODES", default="", help="languages, such as en,de")
        add("--since", metavar="DATE", help="published on that day or later: 2024, 2024-05 or 2024-05-31")
        add("--before", metavar="DATE", help="published before that day")
        add("--host", metavar="HOSTS", default="", help="hosts with their subdomains, separated by commas")
        help_ = "words of title or text: a query of SQLite's FTS5; what is none is taken as it stands, word by word"
        add("--words", metavar="WORDS", default="", help=help_)

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write the export."""
        self.refuse_options(args)
        if not args:
            raise ValueError("Name the folder of a run: scrapy export RUN_DIR... --format FORMAT. Got none.")
        if not opts.format:
            raise ValueError(f"--format is missing. Give one of {', '.join(FORMATS)}. Example: --format jsonl")
        if opts.format not in FORMATS:
            raise ValueError(f"--format must be one of {', '.join(FORMATS)}. Got {opts.format!r}.")
        # A shell's runs/* also names earlier exports and reports.
        folders = local_runs(args, self.settings)
        if len(folders) > 1:
            folders = [folder for folder in folders if folder.is_dir() and not is_export(folder)] or folders
        output = _output(opts.output, opts.format, folders)
        said = {option: getattr(opts, option) or "" for option in OPTIONS}
        unknown = [line for folder in folders for line in _follow_verdicts(folder)]
        if opts.words:
            for folder in folders:
                bring_up_to_date(folder)
        with JoinedRuns(folders, asked_filter(said, "--{}".format)) as runs:
            write = FORMATS[opts.format]
            if opts.format == "csv":
                write = partial(write, is_safe=CSV_SAFE.read(self.settings or {}))
            remarks = _write_whole(write, runs, output)
            print(output)
            print(f"{quantity(runs.n_written, 'pages')} of {quantity(len(folders), 'runs')}.")
            if not runs.n_written and (taken := runs.words_as_they_stand()):
                remarks.append(f"--words is no query of FTS5, so it was taken as it stands: {harmless(taken)}")
            if n_undated := runs.n_undated():
                remarks.append(f"Left out: {quantity(n_undated, 'pages')} that do not say when they were published.")
        for remark in [*unknown, *remarks]:
            print(remark)


def _follow_verdicts(run_dir: Path) -> Iterator[str]:
    """Apply to a collection the verdicts that people gave since; yield what is wrong with them, or why that failed."""
    if not os.path.lexists(run_dir / VERDICTS_FOLDER):
        return
    about = list[str]()
    try:
        check_verdicts_folder(run_dir, "Put a folder in its place")
        apply_verdicts(run_dir, say=about.append)
    except (CollectionFileError, ValueError) as error:
        yield f"The newest verdicts of {run_dir} are not followed: {error}"
    yield from map(harmless, about)


def _output(named: str | None, name: str, folders: Sequence[Path]) -> Path:
    """Return where to write; a ValueError says that something is there which must not be overwritten."""
    if named is not None:
        path = check_regular(Path(named), "--output")
    else:
        parents = [folder.resolve().parent for folder in folders]
        path = (folders[0] if len(folders) == 1 else Path(os.path.commonpath(parents))) / f"export{_suffix(name)}"
    if not SUFFIXES.get(name, "."):
        if path.exists() and (why := why_kept(path)):
            raise ValueError(f"{path} {why}. Choose another: --output FOLDER")
    elif path.is_dir():
        raise ValueError(f"{path} is a folder. Name a file: --output FILE")
    if named is not None and not path.parent.is_dir():
        raise ValueError(
            f"--output must be in a folder that is there: {path.parent} is none. Make it: mkdir -p {path.parent}"
        )
    return check_output(path, "--output")


def _suffix(name: str) -> str:
    return SUFFIXES.get(name, f".{name}") or f"-{name}"


def _write_whole(write: Callable[..., list[str]], runs: JoinedRuns, output: Path) -> list[str]:
    """Write beside the output and rename it, so that what is there is whole."""
    with tempfile.TemporaryDirectory(prefix=f".{output.name}-", dir=output.parent) as folder:
        part = Path(folder) / output.name
        remarks = write(runs, part)
        if output.is_dir():
            shutil.rmtree(output)
        part.replace(output)
    return remarks
