"""Do the tests notice small changes of the code? A mutation run over a sample, and a table of two such runs.

A mutant is a copy of the project with one change: a comparison swapped, a number one larger or smaller, `and` for `or`, a
condition turned round, an arithmetic operator swapped, a result left out, a statement dropped. A mutant is killed when a
test fails (and passes without the mutant), or when the tests hang. First all tests are run once, to see which of them
reach which function; then each mutant is tried with the tests that reach its function, the cheapest first, for a budget
of seconds. The sample depends on the seed and the code alone: two folders of tests are compared on the same mutants.
The working copy is never changed: everything runs in copies in a temporary folder.

Examples:
  python benchmarks/mutants.py --output after.json
  python benchmarks/mutants.py --tests ../old/tests --output before.json --mutants 100 --jobs 4
  python benchmarks/mutants.py --write before.json after.json      the table of docs/results/mutants.md
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common import ROOT, machine, say, table
from mutation import reach
from mutation.sources import Mutant, mutants
from mutation.trials import CAUGHT, SURVIVED, Trial, as_row, chosen_tests, copy_project, from_row, trace, trials
from provenance import STATUS, Source, now, status, write_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

DEPENDS_ON = (
    *("focused/method/strategies", "focused/frontier", "focused/method/page/blocks.py"),
    "focused/method/learning/two_step/wvc.py",
)
#: Rooms by name: their share of the sample, and the files that belong to them.
ROOMS = {
    "method/strategies": (0.28, ["method/strategies/*.py"]),
    "method/strategies/linkmodel": (0.22, ["method/strategies/linkmodel/*.py"]),
    "frontier": (0.22, ["frontier/*.py"]),
    "frontier/store": (0.18, ["frontier/store/*.py"]),
    "method/page/blocks.py": (0.05, ["method/page/blocks.py"]),
    "method/learning/two_step/wvc.py": (0.05, ["method/learning/two_step/wvc.py"]),
}


def main() -> None:
    options = _parser().parse_args()
    if options.write:
        runs = [_read(path) for path in options.write]
        write_blocks({"mutants": report(*runs)}, Source(**runs[-1]["source"]))
        STATUS.write_text(status(), encoding="utf-8")
        return
    settings = {name: getattr(options, name) for name in ("mutants", "seed", "budget", "jobs")}
    command = f"python benchmarks/mutants.py --tests {options.tests.name}"
    about = {
        "source": asdict(now(command, DEPENDS_ON, {**settings, "machine": machine()})),
        "tests": _git("rev-parse", "--short", "HEAD", folder=options.tests),
    }
    known = {row.mutant.name: row.by for row in _read(options.first)["trials"]} if options.first else {}
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [copy_project(ROOT, options.tests, Path(folder, str(job))) for job in range(options.jobs)]
        if options.reach and options.reach.is_dir():
            found = reach.read(options.reach)
        else:
            say("Seeing which test reaches which function ...")
            found = trace(copies[0], options.reach or Path(folder, "reach"), options.jobs, options.only)
        work = []
        for mutant in sample(copies[0], options.mutants, options.seed):
            tests = chosen_tests(found, mutant, options.budget, known.get(mutant.name, ""))
            work.append((mutant, tests, 4 * options.budget + 60))
        rows = []
        for trial in trials(copies, work):
            rows.append(trial)
            say(f"{len(rows)}/{len(work)} {trial.outcome} in {trial.seconds} s: {trial.mutant.name}")
    rows.sort(key=lambda trial: trial.mutant.name)
    options.output.write_text(
        json.dumps({**about, "trials": [as_row(row) for row in rows]}, indent=1), encoding="utf-8"
    )
    print(report({**about, "trials": rows}))


def sample(project: Path, n: int, seed: int) -> list[Mutant]:
    """Return ``n`` mutants: each room's share of places drawn from all of its own, and one change of each place."""
    drawn, generator = [], random.Random(seed)
    for share, patterns in ROOMS.values():
        files = sorted(path for pattern in patterns for path in (project / "focused").glob(pattern))
        places = defaultdict(list)
        for mutant in (mutant for path in files for mutant in mutants(project, path)):
            places[mutant.path, mutant.start, mutant.kind].append(mutant)
        chosen = generator.sample(list(places.values()), min(len(places), round(share * n)))
        drawn += [generator.choice(changes) for changes in chosen]
    return drawn


def report(*runs: dict[str, Any]) -> str:
    """Return the table of one run or more on the same mutants, and the survivors of the last."""
    names = ["killed"] if len(runs) == 1 else ["killed before", "killed after"]
    rows = [[room, *(_share(run["trials"], room) for run in runs)] for room in [*ROOMS, "all"]]
    survivors = [trial for trial in runs[-1]["trials"] if trial.outcome not in CAUGHT]
    return "\n".join([
        table(["room", *names], rows),
        "",
        f"Tests of {' and of '.join(run['tests'] for run in runs)}. Survivors{' of the latter' if len(runs) > 1 else ''}:",
        "",
        *(f"- `{trial.mutant.name}`{'' if trial.outcome == SURVIVED else f' ({trial.outcome})'}" for trial in survivors),
    ])  # fmt: skip


def _share(trials: Sequence[Trial], room: str) -> str:
    own = [trial for trial in trials if room in ("all", _room(trial.mutant.path))]
    n = sum(trial.outcome in CAUGHT for trial in own)
    return f"{n} of {len(own)} ({n / len(own):.2f})" if own else "-"


def _room(path: str) -> str:
    inside = Path(path).relative_to("focused")
    return str(inside) if str(inside) in ROOMS else str(inside.parent)


def _read(path: Path) -> dict[str, Any]:
    run = json.loads(path.read_text(encoding="utf-8"))
    return {**run, "trials": [from_row(row) for row in run["trials"]]}


def _git(*argv: str, folder: Path) -> str:
    return subprocess.run(["git", *argv], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--tests", type=Path, default=ROOT / "tests", help="folder of the tests (default: this project's)"
    )
    parser.add_argument("--mutants", type=int, default=200, help="how many (default: 200)")
    parser.add_argument("--seed", type=int, default=14, help="of the sample (default: 14)")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds of tests a mutant (default: 20)")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time (default: 2)")
    parser.add_argument(
        "--only", nargs="*", default=[], help="files of tests, such as tests/test_topic.py (default: all)"
    )
    parser.add_argument("--reach", type=Path, help="folder that keeps which test reaches what; read if it is there")
    parser.add_argument("--first", type=Path, help="results of another run: what killed a mutant there is tried first")
    parser.add_argument("--output", type=Path, default=Path("mutants.json"), help="results (default: mutants.json)")
    parser.add_argument(
        "--write", type=Path, nargs="+", metavar="FILE", help="write the table of results, and run nothing"
    )
    return parser


if __name__ == "__main__":
    main()
