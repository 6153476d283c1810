"""Make the evaluations of the plan that are not done yet."""

from __future__ import annotations

import csv
import json
import shutil
import time
from typing import TYPE_CHECKING

from common import say
from evaluations.running import evaluate
from provenance import commit_now

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from paper_claims.plan import Evaluation, Size

DONE = "papers.done.json"
"""A file in the folder of an evaluation that has been made: its arguments, and the commit that it was made at."""
FAILED = "papers.failed"
"""A file in the folder of an evaluation whose crawls failed; it says why. It is tried again when the page is made "
"again."""


def run_all(
    evaluations: Sequence[Evaluation], output: Path, folders: Mapping[str, Path], *, size: Size, jobs: int
) -> list[str]:
    """Make or resume each evaluation; return the names of those whose web is not there.

    A line of progress says how many are done, and how long the rest may take.
    """
    missing: list[str] = []
    start, n_made = time.monotonic(), 0
    left = [one for one in evaluations if not is_done(one, output, folders, size)]
    for number, one in enumerate(left, 1):
        if not has_web(one, folders):
            missing.append(one.name)
            continue
        rest = (
            f", about {(time.monotonic() - start) / n_made * (len(left) - number + 1) / 60:.0f} min" if n_made else ""
        )
        say(f"[{len(evaluations) - len(left) + number} of {len(evaluations)}] {one.name}{rest}")
        folder = output / one.name
        models = output / one.models_from / "models" if one.models_from else None
        if models is not None and models.is_dir() and not (folder / "models").is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copytree(models, folder / "models")
        try:
            evaluate(one.arguments(folders, size), folder, jobs)
            (folder / FAILED).unlink(missing_ok=True)
            made = {"arguments": _words(one, folders, size), "commit": commit_now()}
            (folder / DONE).write_text(json.dumps(made), encoding="utf-8")
        except SystemExit as error:  # the other evaluations go on
            folder.mkdir(parents=True, exist_ok=True)
            (folder / FAILED).write_text(why_failed(folder) or str(error), encoding="utf-8")
            say(f"{one.name} failed: {error}")
        n_made += 1
    return missing


def why_failed(folder: Path) -> str:
    """Return why the first crawl of an evaluation failed, as its results say; empty if none did."""
    path = folder / "results.csv"
    if not path.is_file():
        return ""
    with path.open(newline="", encoding="utf-8") as file:
        reasons = [row["finish_reason"] for row in csv.DictReader(file)]
    return next((reason.removeprefix("failed: ") for reason in reasons if reason.startswith("failed")), "")


def is_done(one: Evaluation, output: Path, folders: Mapping[str, Path], size: Size) -> bool:
    """Whether an evaluation has been made as it is planned now."""
    mark = output / one.name / DONE
    if not mark.is_file():
        return False
    return bool(json.loads(mark.read_text(encoding="utf-8"))["arguments"] == _words(one, folders, size))


def commits(folders: Iterable[Path]) -> list[str]:
    """Return the commits that the evaluations in some folders were made at, each once; those under way are left out."""
    marks = [folder / DONE for folder in folders]
    return list(dict.fromkeys(json.loads(mark.read_text("utf-8"))["commit"] for mark in marks if mark.is_file()))


def has_web(one: Evaluation, folders: Mapping[str, Path]) -> bool:
    """Whether the web of an evaluation is on this machine."""
    return one.web == "demo" or any((folder / f"{one.web}.warc.gz").is_file() for folder in folders.values())


def _words(one: Evaluation, folders: Mapping[str, Path], size: Size) -> list[str]:
    """Return the arguments of an evaluation but paths, which differ from machine to machine."""
    return [word for word in one.arguments(folders, size) if "/" not in word]
