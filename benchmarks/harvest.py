"""Whether the harvest that a crawl shows is true: the estimate with its interval, and the verdicts that are counted.

For each web, `adaptive` crawls 300 pages for the first topics of the plan, once each, as a user starts: 30 example pages and
the general background. Written are, as means over the topics: pages judged relevant, and pages estimated to be relevant, for
each that is; on how many topics the 90 % interval holds the truth, and how wide it is, at the end and after 100 pages. The
labels that say the truth are never seen by the crawl. docs/method/evaluation.md is the protocol.

Examples
--------
  python benchmarks/harvest.py --webs ../webs
  python benchmarks/harvest.py --only foldoc,hyperphysics --topics 1 --no-write
  python benchmarks/harvest.py --only quotes --topics 5 --no-write
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from common import chosen_names, machine, table
from evaluations.plan import first_topics, web_arguments
from evaluations.running import adaptive_crawls, evaluate
from known_webs import ANY, folder_of, labels_of, web_parser
from provenance import CRAWL_ROOMS, now, write_blocks
from unlabeled_met import CHOSEN_ON

from focused.method.topic import Topic, load_topic
from focused.method.topic.harvest_estimate import HarvestEstimate, with_pages_since
from focused.retraining.judged_pages import read_record, record_path
from focused.retraining.pages_met import train_on_pages_met
from focused.retraining.versions import read_attempts

if TYPE_CHECKING:
    from pathlib import Path

PAGES = 300
EARLY = 100
CHOSEN_TOPICS = 3
"""Topics of each web of `CHOSEN_ON` that the constants of the estimate were chosen on: the first."""


@dataclass(frozen=True)
class Shown:
    """What a crawl says of its harvest at some page, and the truth."""

    n_true: int
    n_judged: int
    n_pages: int
    share: float
    low: float
    high: float

    @property
    def holds(self) -> bool:
        """Whether the interval holds the truth."""
        return self.low <= self.n_true / self.n_pages <= self.high


def main() -> None:
    parser = web_parser(__doc__, "harvest")
    parser.add_argument("--topics", type=int, default=3, help="topics of each web (default: 3)")
    options = parser.parse_args()
    found: dict[str, list[list[Shown]]] = {}
    for name in chosen_names(options.only, ANY):
        folder = folder_of(name, options.data, options.webs)
        output = options.output.resolve() / name
        found[name] = crawled(name, first_topics(name, options.topics), folder, output, options.jobs)
    text = f"{summary(found)}\n\n\\* constants were chosen on the first {CHOSEN_TOPICS} topics. {machine()}."
    if options.no_write:
        print(text)
        return
    settings = {"pages": PAGES, "topics": options.topics, "repeats": 1}
    source = now(
        f"python benchmarks/harvest.py --topics {options.topics}", [*CRAWL_ROOMS, "focused/retraining"], settings
    )
    write_blocks({"harvest": text}, source)


def crawled(name: str, topics: str, folder: Path, output: Path, jobs: int) -> list[list[Shown]]:
    """Crawl, or read what was crawled; return of each topic what was shown after `EARLY` pages and at the end."""
    arguments = web_arguments(name, folder)
    arguments[arguments.index("--topics") + 1] = topics
    chosen = adaptive_crawls(PAGES, "examples")
    evaluate([*arguments, *chosen], output, jobs)
    of_url = labels_of(folder / f"{name}.labels.tsv")
    runs = sorted((output / "runs").glob("*/adaptive/fetched.csv"))
    return [
        shown(path.parent, topic, of_url, load_topic(path.parents[1].name, output / "models"))
        for topic in next(csv.reader([topics]))
        for path in runs
        if f"-{re.sub('[^a-z0-9]+', '-', topic.lower())}-r" in path.parents[1].name
    ]


def shown(run_dir: Path, topic: str, of_url: dict[str, set[str]], model: Topic) -> list[Shown]:
    """Return what one crawl shows, early and at the end; found again from its files, so that constants can be tried.

    As in the crawl: early by the last training and the relevances since, at the end by one more training.
    """
    with (run_dir / "fetched.csv").open(newline="", encoding="utf-8") as file:
        fetched = list(csv.DictReader(file))
    true = list(accumulate(topic in of_url.get(row["url"], ()) for row in fetched))
    judged = list(accumulate(row["relevant"] == "1" for row in fetched))
    relevances = [float(row["relevance"] or 0) for row in fetched]
    pages, _ = read_record(record_path(run_dir))
    trained = max(each.n_pages for each in read_attempts(run_dir) if each.accepted and each.n_pages <= EARLY)
    found = []
    for n_pages, n_trained in ((EARLY, trained), (len(fetched), len(fetched))):
        made = train_on_pages_met(model, pages[:n_trained], {}, random_state=model.manifest.get("random_state") or 0)
        met = HarvestEstimate(**made.manifest["retraining"]["harvest"])
        harvest = with_pages_since(met, n_trained, relevances[n_trained:n_pages], n_pages)
        found.append(Shown(true[n_pages - 1], judged[n_pages - 1], n_pages, *harvest))
    return found


def summary(found: dict[str, list[list[Shown]]]) -> str:
    """Return the table: a row for each web, and means over topics that constants were chosen on and over others."""
    rows = [row(f"{name}{' *' if name in CHOSEN_ON else ''}", topics) for name, topics in found.items()]
    of_chosen = [each for name in found if name in CHOSEN_ON for each in found[name][:CHOSEN_TOPICS]]
    further = [each for name in found if name in CHOSEN_ON for each in found[name][CHOSEN_TOPICS:]]
    unseen = [each for name in found if name not in CHOSEN_ON for each in found[name]]
    for title, topics in (
        ("topics that constants were chosen on", of_chosen),
        ("further topics of these webs", further),
        ("webs that only the series of trainings was chosen on", unseen),
        ("all", of_chosen + further + unseen),
    ):
        if topics:
            rows.append(row(f"**{title}**", topics))
    heads = ["web", "topics", "truly relevant", "judged / true", "estimated / true", "width", "held"]
    return table([*heads, f"width at {EARLY}", f"held at {EARLY}"], rows)


def row(title: str, topics: list[list[Shown]]) -> list[str]:
    """Return the row of some topics: means, and on how many of them the interval holds the truth."""
    early, last = ([each[place] for each in topics] for place in (0, 1))
    means = [
        np.mean([each.n_true / each.n_pages for each in last]),
        np.mean([each.n_judged / max(each.n_true, 1) for each in last]),
        np.mean([each.share * each.n_pages / max(each.n_true, 1) for each in last]),
        np.mean([each.high - each.low for each in last]),
        np.mean([each.high - each.low for each in early]),
    ]
    share, judged, estimated, width, early_width = (f"{mean:.2f}" for mean in means)
    held, early_held = (f"{sum(each.holds for each in at)} of {len(at)}" for at in (last, early))
    return [title, str(len(topics)), share, judged, estimated, width, held, early_width, early_held]


if __name__ == "__main__":
    main()
