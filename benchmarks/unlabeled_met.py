"""Crawls whose topic was trained against the general background: judged by that model, or trained against the pages met.

For each web, `adaptive` crawls 300 pages for the first topics of the plan, once each: with the topic's own model all the way
(`FOCUSED_UNLABELED=topic`), with training against the pages met (`met`), and, for comparison, with a topic that has 1,500
unlabelled pages of the web, which no user has (`web`). The links among these tell `adaptive` before the crawl what links of
this web lead to; `web, pages alone` learns nothing of them (`FOCUSED_ADAPTIVE_EXAMPLES=0`).

Written are the share of the bound, and how many pages were called relevant for each that is (1: the crawl's own harvest is
true). docs/method/evaluation.md is the protocol.

Examples
--------
  python benchmarks/unlabeled_met.py --webs ../webs
  python benchmarks/unlabeled_met.py --only foldoc,hyperphysics --topics 1 --no-write
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import numpy as np
from common import chosen_names, machine, table
from evaluations.plan import first_topics, web_arguments
from evaluations.running import adaptive_crawls, evaluate
from evaluations.tables import rows_of
from known_webs import ANY, folder_of, labels_of, web_parser
from provenance import CRAWL_ROOMS, now, write_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PAGES = 300
CHOSEN_ON = ("foldoc", "sites", "wiki", "forum", "wire", "hyperphysics")
"""Webs that the numbers of pages drawn and left aside were chosen on."""
KINDS = {
    "topic": ("examples", {"FOCUSED_UNLABELED": "topic"}),
    "met": ("examples", {"FOCUSED_UNLABELED": "met"}),
    "web": ("web", {"FOCUSED_UNLABELED": "auto"}),
    "web, pages alone": ("web", {"FOCUSED_UNLABELED": "auto", "FOCUSED_ADAPTIVE_EXAMPLES": "0"}),
}
"""Start of the topic, and settings."""


def main() -> None:
    parser = web_parser(__doc__, "unlabeled-met")
    parser.add_argument("--topics", type=int, default=2, help="topics of each web (default: 2)")
    options = parser.parse_args()
    rows = []
    for name in chosen_names(options.only, ANY):
        folder = folder_of(name, options.data, options.webs)
        topics = first_topics(name, options.topics)
        rows.append([f"{name}{' *' if name in CHOSEN_ON else ''}", topics.replace('"', "")])
        for kind in KINDS:
            output = options.output.resolve() / f"{name}-{kind.replace(', ', '-').replace(' ', '-')}"
            rows[-1] += measured(name, topics, kind, folder, output, options.jobs)
    means = [np.mean([float(row[place]) for row in rows]) for place in range(2, 2 + 2 * len(KINDS))]
    rows.append(
        ["**mean**", "", *(f"{mean:.3f}" if place % 2 == 0 else f"{mean:.2f}" for place, mean in enumerate(means))]
    )
    header = ["web", "topics", *(f"{kind}: {what}" for kind in KINDS for what in ("share", "judged / true"))]
    chosen = "\\* the numbers of pages were chosen on this web; the series of trainings on all."
    text = f"{table(header, rows)}\n\n{chosen} {machine()}."
    if options.no_write:
        print(text)
        return
    command = f"python benchmarks/unlabeled_met.py --topics {options.topics}"
    settings = {"pages": PAGES, "topics": options.topics, "repeats": 1}
    source = now(command, [*CRAWL_ROOMS, "focused/retraining"], settings)
    write_blocks({"pages met as unlabelled pages": text}, source)


def measured(name: str, topics: str, kind: str, folder: Path, output: Path, jobs: int) -> tuple[str, str]:
    """Crawl, or read what was crawled; return the mean share of the bound, and of pages judged relevant to relevant ones."""
    start, settings = KINDS[kind]
    sets = [word for setting, value in settings.items() for word in ("-s", f"{setting}={value}")]
    arguments = web_arguments(name, folder)
    arguments[arguments.index("--topics") + 1] = topics
    chosen = adaptive_crawls(PAGES, start)
    evaluate([*arguments, *chosen, *sets], output, jobs)
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


def judged_for_each(path: Path, topic: str, of_url: dict[str, set[str]]) -> float:
    """Return how many pages of a crawl were judged relevant for each that is."""
    with path.open(newline="", encoding="utf-8") as file:
        rows: Sequence[dict[str, str]] = list(csv.DictReader(file))
    n_true = sum(topic in of_url.get(row["url"], ()) for row in rows)
    return sum(row["relevant"] == "1" for row in rows) / max(n_true, 1)


if __name__ == "__main__":
    main()
