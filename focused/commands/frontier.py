"""``scrapy frontier``: the links in the frontier of a crawl, running or ended, and their evidence."""

from __future__ import annotations

import os
import shlex
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from focused.commands.frontier_display import overview, why
from focused.commands.frontier_recovery import recovered_collection, recovered_frontier
from focused.crawl.followed_run import FollowedCrawl, shared_frontier
from focused.frontier.store.schema import advice
from focused.frontier.store.view import FrontierView, file_of
from focused.utils.database import is_database_url
from focused.utils.file_names import DATABASE_FILE
from focused.utils.output_files import check_output, check_regular
from focused.utils.output_settings import CSV_SAFE
from focused.utils.project_command import ProjectCommand, whole_number
from focused.utils.words import quantity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator


EXAMPLES = """\
The crawl may be running: it is not disturbed, and the links are those after its last page.

Examples:
  scrapy frontier runs/astrophysics/20260101-120000
      links by state and host, and the next 20 with the evidence of their scores
  scrapy frontier runs/astrophysics/20260101-120000 --top 5 --hosts 0
      fewer links, all hosts
  scrapy frontier runs/astrophysics/20260101-120000 --why http://stars.example/a.html
      where a URL is, how it got there, and how many come before it
  scrapy frontier runs/astrophysics/20260101-120000 --csv links.csv
      every link, for a program to read
  scrapy frontier runs/astrophysics/20260101-120000 --recover
      save what can be read of a damaged frontier; the crawl can then go on
"""


class Command(ProjectCommand):
    """Show a frontier; an error is one line on stderr and exit code 1."""

    usage = "RUN_DIR [options]"
    summary = "Show the links in a crawl's frontier, and their evidence"
    examples = EXAMPLES

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("what to show").add_argument
        add("--top", default="20", metavar="N", help="links that come next; 0: all (default: 20)")
        add("--hosts", default="10", metavar="N", help="hosts with most links; 0: all (default: 10)")
        add("--why", metavar="URL", help="say where this URL is and why")
        add("--csv", metavar="FILE", help="write every link to a file instead")
        add(
            "--recover",
            action="store_true",
            help="save what can be read of a damaged frontier or collection into a new one",
        )

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Show."""
        try:
            for line in self._show(args, opts):
                print(line)
        except sqlite3.Error as error:
            raise ValueError(advice(file_of(Path(args[0])), error)) from None

    def _show(self, args: list[str], opts: argparse.Namespace) -> Iterator[str]:
        self.refuse_options(args)
        if len(args) != 1:
            raise ValueError(f"Name the folder of a run: scrapy frontier RUN_DIR. Got {shlex.join(args) or 'none'}.")
        if opts.why is not None and opts.csv is not None:
            raise ValueError("--csv writes every link and --why explains one. Use them one after the other.")
        if opts.why is not None and not opts.why.strip():
            raise ValueError("--why must be a URL. Got an empty text.")
        if opts.recover:
            if opts.why is not None or opts.csv is not None:
                raise ValueError("--recover shows nothing. Look at the frontier afterwards: --why URL, --csv FILE.")
            if is_database_url(args[0]) or (Path(args[0]) / DATABASE_FILE).exists():
                raise ValueError(
                    "--recover saves the files of a crawl of one process. The links of many workers are in their database: "
                    "restore a backup of it (pg_restore)."
                )
            yield from recovered_frontier(file_of(Path(args[0])))
            yield from recovered_collection(file_of(Path(args[0])))
            return
        export_to = None if opts.csv is None else _csv_path(opts.csv, file_of(Path(args[0])))
        n_links = whole_number("--top", opts.top, meaning="0: all")
        n_hosts = whole_number("--hosts", opts.hosts, meaning="0: all")
        with _opened(args[0]) as view:
            if export_to is not None:
                yield _export(view, export_to, is_safe=CSV_SAFE.read(self.settings or {}))
            elif opts.why is not None:
                yield from why(view, opts.why, self.settings)
            else:
                yield from overview(view, n_hosts, n_links)


@contextmanager
def _opened(named: str) -> Iterator[FrontierView]:
    """Yield the frontier of a run directory, or of a crawl in a database."""
    if is_database_url(named) or (Path(named).is_dir() and FollowedCrawl.of(Path(named)) is not None):
        with shared_frontier(named) as shared:
            yield shared
    else:
        with FrontierView(Path(named)) as view:
            yield view


def _export(view: FrontierView, path: Path, *, is_safe: bool) -> str:
    part = path.with_name(path.name + ".part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            n_links = view.write_csv(file, is_safe=is_safe)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return f"{quantity(n_links, 'links')} in {path}"


def _csv_path(value: str, frontier: Path) -> Path:
    path = Path(value)
    if not value.strip() or value.endswith(("/", os.sep)) or path.is_dir():
        raise ValueError(f"--csv must be the name of a file, not of a folder: --csv links.csv. Got {value!r}.")
    if not (folder := path.parent).is_dir():
        raise ValueError(f"--csv must be in a folder that is there: {folder} is none. Make it: mkdir {folder}")
    path = check_regular(check_output(path, "--csv"), "--csv")
    if path.exists() and frontier.exists() and path.samefile(frontier):
        raise ValueError(f"{path} is the frontier that is to be read. Choose another name: --csv FILE")
    return path
