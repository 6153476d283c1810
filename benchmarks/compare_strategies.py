"""Compare all strategies on three webs, and measure how sensitive the best are to their parameters.

Runs ``scrapy evaluate`` many times. The output folder keeps finished evaluations, so an interrupted run is resumed. At the
end the tables are written into docs/results, between the marks with their names, and the plots into docs/figures.
Seven more webs are compared if they are named, and their tables printed: foldoc, which lies in the folder of the recorded
webs, and those that benchmarks/webs.py makes.

Examples
--------
  python benchmarks/compare_strategies.py --data ../shared/data --output runs/evaluations
  python benchmarks/compare_strategies.py --only hyperphysics,alpha --no-write
  python benchmarks/compare_strategies.py --only foldoc,wiki --webs ../webs --repeats 1 --start words,examples,web
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from common import ROOT, chosen_names, machine, say
from evaluations.plan import MORE_TOPICS, PAGES, SWEEP_PAGES, SWEEPS
from evaluations.result_figures import draw_curves, draw_sweeps
from evaluations.running import run_sweep, run_web
from evaluations.tables import of_strategies, of_sweep
from known_webs import add_folders, folder_of
from provenance import CRAWL_ROOMS, RESULTS, now, write_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

KNOWN = [*PAGES, *MORE_TOPICS, *(sweep.name for sweep in SWEEPS)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_folders(parser)
    parser.add_argument("--output", type=Path, default=ROOT / "runs" / "evaluations")
    parser.add_argument("--repeats", type=int, default=3, help="of the webs; sweeps have one (default: 3)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--only", metavar="NAMES", help=f"some of {', '.join(KNOWN)}")
    parser.add_argument("--start", default="web", metavar="A,B", help="of scrapy evaluate; others are printed only")
    parser.add_argument("--no-write", action="store_true", help="print the tables only")
    options = parser.parse_args()
    data, output = options.data.resolve(), options.output.resolve()
    wanted = (
        [name for name in KNOWN if name not in MORE_TOPICS]
        if options.only is None
        else chosen_names(options.only, KNOWN)
    )

    figures = output / "figures" if options.no_write else ROOT / "docs" / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    blocks: dict[str, str] = {}
    starts = options.start.split(",")
    for name in [name for name in PAGES if name in wanted]:
        folder = run_web(name, data, output, options.jobs, options.repeats, options.start)
        _print(name, folder, [start for start in starts if start != "web"])
        if "web" not in starts:
            continue
        image = draw_curves(folder, figures, f"strategies-{name}")
        blocks[f"strategies: {name}"] = f"{of_strategies(folder)}\n\n{image}\n\n{machine()}."
    for name in [name for name in MORE_TOPICS if name in wanted]:
        folder = folder_of(name, options.data, options.webs)
        _print(name, run_web(name, folder, output, options.jobs, options.repeats, options.start), starts)
    swept = {}
    for sweep in [sweep for sweep in SWEEPS if sweep.name in wanted]:
        swept[sweep.name] = folders = run_sweep(sweep, data, output, options.jobs)
        source = f" ({sweep.source})" if sweep.source else ""
        caption = f"Share of the bound, {sweep.title}{source}, HyperPhysics, {SWEEP_PAGES} pages"
        blocks[f"sweep: {sweep.name}"] = f"{caption}:\n\n{of_sweep(folders, sweep.strategies)}"
    if len(swept) == len(SWEEPS):
        blocks["sweeps: figure"] = draw_sweeps(swept, figures)
    if not blocks:
        return
    if options.no_write:
        print("\n\n".join(f"## {name}\n\n{block}" for name, block in blocks.items()))
    else:
        command = "python benchmarks/compare_strategies.py --data ../shared/data"
        settings = {"pages": PAGES | {"sweeps": SWEEP_PAGES}, "repeats": {"webs": options.repeats, "sweeps": 1}}
        write_blocks(blocks, now(command, CRAWL_ROOMS, settings))
        say(f"Tables written into {RESULTS}, plots into {figures}")


def _print(name: str, folder: Path, starts: Sequence[str]) -> None:
    for start in starts:
        print(f"## {name}, start {start}\n\n{of_strategies(folder, start)}\n")


if __name__ == "__main__":
    main()
