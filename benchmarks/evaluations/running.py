"""Run ``scrapy evaluate`` for every evaluation of the plan that is not done yet."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from common import ROOT, SCRAPY, say

from evaluations.plan import MORE_PAGES, PAGES, SWEEP_PAGES, web_arguments

if TYPE_CHECKING:
    from pathlib import Path

    from evaluations.plan import Sweep


def evaluate(arguments: list[str], output: Path, jobs: int) -> None:
    """Run or resume one evaluation in a folder; exit with its error if it fails."""
    command = [*SCRAPY, "evaluate", *arguments, "--jobs", str(jobs), "--output", str(output)]
    say(f"+ scrapy {' '.join(command[3:])}")
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False)
    if done.returncode:
        sys.exit(f"The evaluation in {output} ended with exit code {done.returncode}.")


def adaptive_crawls(pages: int, start: str, *, repeats: int = 1) -> list[str]:
    """Return the arguments of crawls with `adaptive` alone, of so many pages, that begin as ``start`` says."""
    return ["--strategies", "adaptive", "--pages", str(pages), "--repeats", str(repeats), "--start", start, "--quiet"]


def run_web(name: str, data: Path, output: Path, jobs: int, repeats: int, start: str = "web") -> Path:
    """Crawl a web with all strategies; return the folder of the evaluation."""
    folder = output / name
    pages = str(PAGES.get(name, MORE_PAGES))
    chosen = ["--strategies", "all", "--pages", pages, "--repeats", str(repeats), "--start", start]
    evaluate([*web_arguments(name, data), *chosen], folder, jobs)
    return folder


def run_sweep(sweep: Sweep, data: Path, output: Path, jobs: int) -> dict[object, Path]:
    """Crawl HyperPhysics with each value of a parameter; return the folders of the evaluations by value."""
    base = output / "sweeps" / "default"
    if not (base / "results.csv").is_file():
        evaluate([*_sweep_arguments(data), "--strategies", _strategies_of_all_sweeps()], base, jobs)
    folders: dict[object, Path] = {}
    for value in sweep.values:
        if value == sweep.default and not sweep.settings:
            folders[value] = base
            continue
        folder = output / "sweeps" / f"{sweep.name}-{value}"
        changed = [sweep.what, str(value)] if sweep.what.startswith("--") else ["-s", f"{sweep.what}={value}"]
        others = [argument for name, given in sweep.settings.items() for argument in ("-s", f"{name}={given}")]
        if sweep.what != "--positives" and not (folder / "models").is_dir():
            # The same examples give the same models.
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copytree(base / "models", folder / "models")
        evaluate([*_sweep_arguments(data), "--strategies", ",".join(sweep.strategies), *changed, *others], folder, jobs)
        folders[value] = folder
    return folders


def _sweep_arguments(data: Path) -> list[str]:
    return [*web_arguments("hyperphysics", data), "--pages", str(SWEEP_PAGES), "--repeats", "1"]


def _strategies_of_all_sweeps() -> str:
    from evaluations.plan import SWEEPS

    return ",".join(dict.fromkeys(name for sweep in SWEEPS for name in sweep.strategies))
