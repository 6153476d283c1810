"""Make the evaluations of the plan that are not done yet."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

from common import say
from evaluations.running import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from paper_claims.plan import Evaluation

DONE = "papers.done"
"""A file in the folder of an evaluation that has been made with the arguments it holds."""


def run_all(
    evaluations: Sequence[Evaluation], output: Path, folders: Mapping[str, Path], *, quick: bool, jobs: int
) -> list[str]:
    """Make or resume each evaluation; return the names of those whose web is not there.

    A line of progress says how many are done, and how long the rest may take.
    """
    missing: list[str] = []
    start, n_made = time.monotonic(), 0
    left = [one for one in evaluations if not is_done(one, output, folders, quick)]
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
        evaluate(one.arguments(folders, quick), folder, jobs)
        (folder / DONE).write_text(_mark(one, folders, quick), encoding="utf-8")
        n_made += 1
    return missing


def is_done(one: Evaluation, output: Path, folders: Mapping[str, Path], quick: bool) -> bool:
    """Whether an evaluation has been made as it is planned now."""
    mark = output / one.name / DONE
    return mark.is_file() and mark.read_text(encoding="utf-8") == _mark(one, folders, quick)


def has_web(one: Evaluation, folders: Mapping[str, Path]) -> bool:
    """Whether the web of an evaluation is on this machine."""
    return one.web == "demo" or any((folder / f"{one.web}.warc.gz").is_file() for folder in folders.values())


def _mark(one: Evaluation, folders: Mapping[str, Path], quick: bool) -> str:
    return "\n".join(word for word in one.arguments(folders, quick) if "/" not in word)
