"""The webs that benchmarks crawl: their names, where their files lie, and the options that choose among them.

A web is NAME.warc.gz with NAME.labels.tsv beside it. Recorded webs lie in the folder of ``--data``, all others in that of
``--webs``. The demo web has no files: it is made while it is crawled.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from common import DATA_DIR, ROOT
from manuals.plan import WEBS as MANUALS
from web_makers.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

RECORDED = ("hyperphysics", "webkb", "foldoc")
MADE = tuple(KINDS)
"""The webs that ``benchmarks/webs.py`` makes."""
DEMO = "demo"
NAMED_ONLY = ("quotes",)
"""Webs that came after the tables of most benchmarks: crawled where ``--only`` names them."""
KNOWN = (*RECORDED, *(name for name in MADE if name not in NAMED_ONLY))
ANY = (*KNOWN, *NAMED_ONLY)


def web_parser(
    description: str | None, output: str | None, names: Sequence[str] = KNOWN, *, jobs: int | None = 1
) -> argparse.ArgumentParser:
    """Return a parser with the options of a benchmark that crawls some of these webs.

    ``output`` is the name of its folder in ``runs/``, ``jobs`` the default number of processes; a benchmark without one of
    them has no such option.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_folders(parser, names)
    if output is not None:
        kept = f"keeps finished crawls (default: runs/{output})"
        parser.add_argument("--output", type=Path, default=ROOT / "runs" / output, help=kept)
    some = f"some of {', '.join(names)} (default: all)"
    parser.add_argument("--only", metavar="NAMES", default=",".join(names), help=some)
    if jobs is not None:
        parser.add_argument("--jobs", type=int, default=jobs, help=f"processes (default: {jobs})")
    parser.add_argument("--no-write", action="store_true", help="print the tables only")
    return parser


def add_folders(parser: argparse.ArgumentParser, names: Sequence[str] = KNOWN) -> None:
    """Add the options that say where the webs of these names lie."""
    others = ", ".join(name for name in names if name not in (*RECORDED, DEMO))
    parser.add_argument("--data", type=Path, default=DATA_DIR, help="folder of the recorded webs")
    parser.add_argument(
        "--webs",
        type=Path,
        default=ROOT / "runs" / "webs",
        help=f"folder of the made webs: {others} (default: runs/webs)",
    )


def folder_of(name: str, data: Path, webs: Path) -> Path:
    """Return the folder, as an absolute path, that holds the files of a web; exit with what makes them if it does not.

    For the demo web, which has no files, any folder will do.
    """
    folder = (data if name in RECORDED else webs).resolve()
    if name != DEMO and not (folder / f"{name}.warc.gz").is_file():
        sys.exit(f"{folder} has no {name}.warc.gz. {_remedy(name, folder)}")
    return folder


def _remedy(name: str, folder: Path) -> str:
    if name in RECORDED:
        return f"--data must be the folder of the recorded webs: {', '.join(RECORDED)}."
    if name in MADE:
        return f"Make it: python benchmarks/webs.py --out {folder} --only {name}"
    if name in MANUALS:
        return f"Make it: python benchmarks/documentation_webs.py make --webs {folder} --only {name}"
    return f"No benchmark makes it; known are {', '.join((*ANY, *MANUALS))}."


def labels_of(path: Path) -> dict[str, set[str]]:
    """Return the labels of each URL of a labels file; its first line, the header, counts as one."""
    with path.open(encoding="utf-8") as file:
        return {url: set(labels.rstrip("\n").split("|")) for url, _, labels in (line.partition("\t") for line in file)}
