"""Crawls whose topic was trained against the general background: judged by that model, or trained against the pages met.

For each web, `adaptive` crawls 300 pages for the first topics of the plan, once each: with the topic's own model all the way
(`FOCUSED_UNLABELED=topic`), with training against the pages met (`met`), and, for comparison, with a topic that has 1,500
unlabelled pages of the web, which no user has. Written are the share of the bound, and how many pages were called relevant
for each that is (1: the crawl's own harvest is true). docs/method/evaluation.md is the protocol.

Examples
--------
  python benchmarks/unlabeled_met.py --webs ../webs
  python benchmarks/unlabeled_met.py --only foldoc,hyperphysics --topics 1 --no-write
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from common import DATA_DIR, ROOT, machine, table
from evaluations.plan import MORE_TOPICS, TOPICS, web_arguments
from evaluations.running import evaluate
from evaluations.tables import rows_of
from provenance import CRAWL_ROOMS, now, write_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGES = 300
RECORDED = ("hyperphysics", "webkb", "foldoc")
KNOWN = [*RECORDED, *(name for name in MORE_TOPICS if name not in RECORDED)]
CHOSEN_ON = ("foldoc", "sites", "wiki", "forum", "wire", "hyperphysics")
"""Webs that the numbers of pages drawn and left aside were chosen on."""
KINDS = {"topic": ("examples", "topic"), "met": ("examples", "met"), "web": ("web", "auto")}
"""Start of the topic, and FOCUSED_UNLABELED."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA_DIR, help="folder of the recorded webs")
    parser.add_argument("--webs", type=Path, default=ROOT / "runs" / "webs", help="folder of the made webs")
    parser.add_argument("--output", type=Path, default=ROOT / "runs" / "unlabeled-met")
    parser.add_argument("--only", metavar="NAMES", default=",".join(KNOWN), help=f"some of {', '.join(KNOWN)}")
    parser.add_argument("--topics", type=int, default=2, help="topics of each web (default: 2)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--no-write", action="store_true", help="print the table only")
    options = parser.parse_args()
    names = options.only.split(",")
    if unknown := [name for name in names if name not in KNOWN]:
        sys.exit(f"--only must name some of {', '.join(KNOWN)}. Got {', '.join(unknown)}.")
    rows = []
    for name in names:
        folder = (options.data if name in RECORDED else options.webs).resolve()
        if not (folder / f"{name}.warc.gz").is_file():
            sys.exit(
                f"{folder} has no {name}.warc.gz. benchmarks/webs.py makes all of these webs but {', '.join(RECORDED)}."
            )
        topics = first_topics(name, options.topics)
        rows.append([f"{name}{' *' if name in CHOSEN_ON else ''}", topics.replace('"', "")])
        for kind in KINDS:
            output = options.output.resolve() / f"{name}-{kind}"
            rows[-1] += measured(name, topics, kind, folder, output, options.jobs)
    means = [np.mean([float(row[place]) for row in rows]) for place in range(2, 8)]
    rows.append(
        ["**mean**", "", *(f"{mean:.3f}" if place % 2 == 0 else f"{mean:.2f}" for place, mean in enumerate(means))]
    )
    header = ["web", "topics", *(f"{kind}: {what}" for kind in KINDS for what in ("share", "judged / true"))]
    text = f"{table(header, rows)}\n\n\\* the numbers of pages were chosen on this web. {machine()}."
    if options.no_write:
        print(text)
        return
    command = f"python benchmarks/unlabeled_met.py --topics {options.topics}"
    settings = {"pages": PAGES, "topics": options.topics, "repeats": 1}
    source = now(command, [*CRAWL_ROOMS, "focused/retraining"], settings)
    write_blocks({"pages met as unlabelled pages": text}, source)


def first_topics(name: str, n: int) -> str:
    """Return the first topics of a web in the plan, as the option of ``scrapy evaluate`` names them."""
    [topics] = csv.reader([TOPICS.get(name) or MORE_TOPICS[name]])
    return ",".join(f'"{topic}"' for topic in topics[:n])


def measured(name: str, topics: str, kind: str, folder: Path, output: Path, jobs: int) -> tuple[str, str]:
    """Crawl, or read what was crawled; return the mean share of the bound, and of pages judged relevant to relevant ones."""
    start, unlabeled = KINDS[kind]
    arguments = web_arguments(name, folder)
    arguments[arguments.index("--topics") + 1] = topics
    chosen = ["--strategies", "adaptive", "--pages", str(PAGES), "--repeats", "1", "--start", start, "--quiet"]
    evaluate([*arguments, *chosen, "-s", f"FOCUSED_UNLABELED={unlabeled}"], output, jobs)
    shares = [float(row["share_of_bound"]) for row in rows_of(output, start)]
    of_url = labels_of(folder / f"{name}.labels.tsv")
    runs = sorted((output / "runs").glob("*/adaptive/fetched.csv"))
    ratios = [
        judged_for_each(path, topic, of_url)
        for topic in next(csv.reader([topics]))
        for path in runs
        if f"-{re.sub('[^a-z0-9]+', '-', topic.lower())}-r" in path.parents[1].name
    ]
    return f"{np.mean(shares):.3f}", f"{np.mean(ratios):.2f}"


def labels_of(path: Path) -> dict[str, set[str]]:
    """Return the labels of each URL."""
    with path.open(encoding="utf-8") as file:
        return {url: set(labels.rstrip("\n").split("|")) for url, _, labels in (line.partition("\t") for line in file)}


def judged_for_each(path: Path, topic: str, of_url: dict[str, set[str]]) -> float:
    """Return how many pages of a crawl were judged relevant for each that is."""
    with path.open(newline="", encoding="utf-8") as file:
        rows: Sequence[dict[str, str]] = list(csv.DictReader(file))
    n_true = sum(topic in of_url.get(row["url"], ()) for row in rows)
    return sum(row["relevant"] == "1" for row in rows) / max(n_true, 1)


if __name__ == "__main__":
    main()
