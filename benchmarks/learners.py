"""Compare all learners on four corpora (ranking, decision, calibration, time), and repeat the papers' own comparisons.

The output folder keeps a file for each finished trial, so an interrupted run is resumed. At the end the
tables are written into docs/results, between the marks that bear their names, and the plots into docs/figures.

Examples
--------
  python -m pip install -r benchmarks/requirements.txt
  python benchmarks/learners.py --data ../shared/data --output runs/learners
  python benchmarks/learners.py --data ../shared/data --output runs/learners --only reuters --seeds 1 --no-write
"""

from __future__ import annotations

import os

# Two processes with one thread each; before numpy counts the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpora
import learner_trials
from common import DATA_DIR, ROOT, chosen_names, machine, say
from comparisons import COMPARISONS
from joblib import Parallel, delayed
from learner_jobs import load, run_comparison, run_trial
from learner_report import Results, in_full, report
from learner_trials import trials
from provenance import LEARNING_ROOMS, RESULTS, now, write_blocks, write_csv
from tqdm import tqdm

if TYPE_CHECKING:
    from collections.abc import Callable

FIGURES = ROOT / "docs" / "figures"


def parallel(function: Callable[..., Any], jobs: list[tuple[Any, ...]], n_jobs: int, what: str) -> list[Any]:
    """Run jobs in processes, with a bar."""
    results = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(function)(*job) for job in jobs)
    return list(tqdm(results, total=len(jobs), desc=what, unit="job"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA_DIR, help="folder of the four corpora")
    parser.add_argument("--output", type=Path, default=ROOT / "runs" / "learners")
    parser.add_argument("--seeds", type=int, default=3, help="trials of each topic (default: 3)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--only", metavar="NAMES", help="corpora, separated by commas (default: all four)")
    parser.add_argument("--no-write", action="store_true", help="print the tables only")
    options = parser.parse_args()
    data, output = options.data.resolve(), options.output.resolve()
    names = chosen_names(options.only, [*corpora.TEXT_CORPORA, *corpora.WEBS])

    start = time.monotonic()
    digests = {}
    for name in names:  # read once, before the processes do
        digests[name] = load(name, data, output / "corpora").digest
    load.cache_clear()
    chosen = [trial for trial in trials(range(options.seeds)) if trial.corpus in names]
    done = parallel(run_trial, [(trial, data, output) for trial in chosen], options.jobs, "learners")
    compared: dict[str, list[Any]] = {}
    if options.only is None:
        cached = partial(load, data=data, cache=output / "corpora")
        jobs = [(n, job, data, output) for n, one in enumerate(COMPARISONS) for job in one.jobs(cached)]
        load.cache_clear()
        for (number, *_), result in zip(jobs, parallel(run_comparison, jobs, options.jobs, "comparisons"), strict=True):
            compared.setdefault(COMPARISONS[number].name, []).append(result)
    minutes = (time.monotonic() - start) / 60

    figures = output / "figures" if options.no_write else FIGURES
    figures.mkdir(parents=True, exist_ok=True)
    about = [f"{machine()}.", f"{len(done)} trials, seeds 0 to {options.seeds - 1}."]
    about += [f"`{corpora.FILES[name]}` sha256 `{digest[:16]}`." for name, digest in digests.items()]
    took = f" {minutes:.0f} minutes for what was not done yet." if minutes >= 1 else ""
    blocks = {"learners: run": " ".join(about) + took}
    results = Results(done, learner_trials.SUPERVISED, learner_trials.DEFAULT)
    blocks |= report(results, figures)
    for comparison in COMPARISONS:
        if comparison.name in compared:
            blocks[f"comparison: {comparison.name}"] = comparison.report(compared[comparison.name], figures)
    if options.no_write:
        print("\n\n".join(f"## {name}\n\n{block}" for name, block in blocks.items()))
    else:
        command = "python benchmarks/learners.py --data ../shared/data --output runs/learners"
        source = now(command, LEARNING_ROOMS, {"seeds": options.seeds, "corpora": ",".join(names)})
        write_blocks(blocks, source)
        write_csv("learners", in_full(results), source)
        say(f"Tables written into {RESULTS}, plots into {figures}")


if __name__ == "__main__":
    main()
