"""Compare all strategies on webs that they were not developed on: the manuals in packages of Debian 12.

``make`` records the webs as WARC files, with labels from the manuals themselves (keywords, chapters, folders), and with
the names and versions of the packages. ``evaluate`` runs ``scrapy evaluate`` on them. The output folder keeps finished
evaluations, so an interrupted run is resumed. At the end the tables are written into docs/results, between the marks
that bear their names; with ``--only`` they are printed.

Examples
--------
  python benchmarks/documentation_webs.py make --webs ../webs
  python benchmarks/documentation_webs.py make --webs ../webs --debs ../debs --only grass,linux
  python benchmarks/documentation_webs.py evaluate --webs ../webs --output runs/documentation
  python benchmarks/documentation_webs.py evaluate --webs ../webs --only grass --repeats 1
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from common import ROOT, chosen_names, machine, say
from evaluations.running import evaluate
from manuals.packages import Packages
from manuals.plan import EVALUATIONS, PAGES, STRATEGIES, WEBS
from manuals.tables import of_topics, of_webs, what_was_made
from provenance import CRAWL_ROOMS, RESULTS, now, write_blocks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "evaluate"))
    parser.add_argument("--webs", type=Path, default=ROOT / "runs" / "webs", help="folder of the webs")
    parser.add_argument("--only", metavar="NAMES", help="some of them, separated by commas (default: all)")
    made = parser.add_argument_group("make")
    made.add_argument("--debs", type=Path, help="folder of .deb files, used before what is installed")
    run = parser.add_argument_group("evaluate")
    run.add_argument("--output", type=Path, default=ROOT / "runs" / "documentation")
    run.add_argument("--repeats", type=int, default=2, help="drawings for each topic (default: 2)")
    run.add_argument("--pages", type=int, default=PAGES, help=f"of each crawl (default: {PAGES})")
    run.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    run.add_argument("--no-write", action="store_true", help="print the tables in any case")
    options = parser.parse_args()
    webs = options.webs.resolve()
    if options.what == "make":
        make(webs, options.debs and options.debs.resolve(), chosen_names(options.only, list(WEBS)))
        return
    names = chosen_names(options.only, [evaluation.name for evaluation in EVALUATIONS])
    blocks = run_all(webs, options.output.resolve(), names, options.repeats, options.pages, options.jobs)
    if options.no_write or options.only:
        print("\n\n".join(f"## {name}\n\n{block}" for name, block in blocks.items()))
    else:
        command = "python benchmarks/documentation_webs.py evaluate --webs ../webs --output runs/documentation"
        write_blocks(blocks, now(command, CRAWL_ROOMS, {"pages": PAGES, "positives": 30, "repeats": options.repeats}))
        say(f"Tables written into {RESULTS}")


def make(webs: Path, debs: Path | None, names: list[str]) -> None:
    """Record the webs; print their packages, and the number of pages with each label."""
    if debs and not debs.is_dir():
        sys.exit(f"--debs must be a folder of .deb files. {debs} is none.")
    needed = [package for name in names for package in WEBS[name].packages]
    packages = Packages(debs, webs / "unpacked")
    packages.find(needed)
    webs.mkdir(parents=True, exist_ok=True)
    for name in names:
        source = WEBS[name]
        versions = {package: packages.versions[package] for package in source.packages}
        about = source.build(packages).write(webs, versions)
        say(f"{name}: {about['n_pages']} pages, {about['n_redirects']} redirects, {about['n_hosts']} hosts")
        say(f"  made of {', '.join(f'{package} {version}' for package, version in versions.items())}")
        say(f"  labels: {', '.join(f'{label} {n}' for label, n in about['labels'].items())}")


def run_all(webs: Path, output: Path, names: list[str], repeats: int, n_pages: int, jobs: int) -> dict[str, str]:
    """Run the evaluations of these names; return the tables by the marks they stand between."""
    chosen = [evaluation for evaluation in EVALUATIONS if evaluation.name in names]
    used = list(dict.fromkeys(evaluation.web for evaluation in chosen))
    missing = [name for name in used if not (webs / f"{name}.about.json").is_file()]
    if missing:
        command = f"python benchmarks/documentation_webs.py make --webs {webs} --only {','.join(missing)}"
        sys.exit(f"The webs must be made first. {webs} lacks {', '.join(missing)}:\n  {command}")
    folders = {evaluation.name: output / evaluation.name for evaluation in chosen}
    shared = ["--strategies", ",".join(STRATEGIES), "--pages", str(n_pages), "--repeats", str(repeats)]
    for evaluation in chosen:
        evaluate([*evaluation.arguments(webs), *shared], folders[evaluation.name], jobs)
    about = f"{n_pages} pages, 30 positives. {machine()}."
    return {
        "documentation: webs": what_was_made(webs, used),
        "documentation: strategies": f"{of_webs(folders, chosen)}\n\n{about}",
        "documentation: topics": of_topics(folders, chosen),
    }


if __name__ == "__main__":
    main()
