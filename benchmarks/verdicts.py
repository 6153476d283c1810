"""What verdicts give: a simulated person judges pages of a crawl, and the topic is trained with what was said.

For each web, `adaptive` crawls 300 pages for the first topics of the plan, once each, from 30 examples: against the pages met
(start ``met``), and against 1,500 unlabelled pages of the web (``web``). Then the crawl is replayed: labels, of which a share
is turned round, are given as verdicts in the order of the judging queue, at random, or from the top; after 10, 20, 50 and 100
the topic is trained as `scrapy train --from-run` does it, all pages are judged by it, and the queue goes on with these
relevances. F1 of the collection: what is delivered (verdicts stand above the model) against the labels. All labels: five
models, each trained with the labels of four fifths of the pages, judge the rest. On their side: judged pages, by the new one.

Examples
--------
  python benchmarks/verdicts.py --webs ../webs
  python benchmarks/verdicts.py --only webkb --topics 1 --no-write
  python benchmarks/verdicts.py --webs ../webs --only wiki,shop,sites,languages --orders mixed,random --wrong 0
"""

from __future__ import annotations

import csv
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from common import chosen_names, say
from evaluations.plan import first_topics, web_arguments
from evaluations.running import adaptive_crawls, evaluate
from known_webs import DEMO, KNOWN, folder_of, web_parser
from provenance import CRAWL_ROOMS, now, write_blocks
from verdicts_tables import ORDERS, STARTS, STEPS, of_orders, of_webs, of_wrong

from focused.collection.page_table import QueuedPage
from focused.collection.queue import Queue
from focused.method.topic import Topic, load_topic
from focused.method.topic.counted import relevance_of_counts
from focused.retraining.acceptance import mostly_verdicts
from focused.retraining.against_met import train_against_met
from focused.retraining.augmentation import AugmentedExamples
from focused.retraining.judged_pages import read_record, record_path
from focused.retraining.training import Retraining
from focused.webs.demo.export import write_labels
from focused.webs.demo.web import DemoWeb

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

PAGES = 300
WEBS = ("hyperphysics", "webkb", DEMO, "foldoc", "grass")
OTHERS = tuple(name for name in KNOWN if name not in WEBS)
"""Webs that are judged only if they are named, and whose tables are printed only."""
GRASS = "data exchange,imagery"
CRAWLED = 2
"""Topics of each web that crawls are made for; `--topics` chooses among them."""


def main() -> None:
    parser = web_parser(__doc__, "verdicts", WEBS)
    parser.add_argument("--topics", type=int, default=2, help="topics of each web, at most 2 (default: 2)")
    parser.add_argument("--orders", default=",".join(ORDERS), help=f"some of {', '.join(ORDERS)} (default: all)")
    parser.add_argument(
        "--wrong", default="0,0.1,0.3", help="shares of wrong verdicts, 0 the first (default: 0,0.1,0.3)"
    )
    options = parser.parse_args()
    names = chosen_names(options.only, (*WEBS, *OTHERS))
    runs = [run for name in names for start in STARTS for run in recorded(name, start, options)]
    orders, shares = options.orders.split(","), [float(share) for share in options.wrong.split(",")]
    # Where a topic has no background in the web's language, a crawl from examples writes no words down.
    runs = [run for run in runs if Recorded.read(Path(run[2]), Path(run[3]), run[1]).pages]
    tasks = [
        (*run, order, share) for run in runs for order in orders for share in shares if order == "mixed" or not share
    ]
    with ProcessPoolExecutor(options.jobs) as pool:
        found = []
        for number, each in enumerate(pool.map(replayed, tasks), start=1):
            say(f"{number} of {len(tasks)}: {each['name']}, {each['order']}, {each['share']:.0%} wrong")
            found.append(each)
    blocks = {"verdicts: F1": of_orders(found), "verdicts: webs": of_webs(found)}
    if len(shares) > 1:
        blocks["verdicts: wrong"] = of_wrong(found, shares)
    if options.no_write or options.only != ",".join(WEBS):
        print("\n\n".join(blocks.values()))
        return
    settings = {"pages": PAGES, "topics": options.topics, "repeats": 1, "positives": 30}
    rooms = [*CRAWL_ROOMS, "focused/retraining", "focused/collection"]
    command = f"python benchmarks/verdicts.py --webs ../webs --topics {options.topics} --orders {options.orders}"
    command += f" --wrong {options.wrong}"
    write_blocks(blocks, now(command, rooms, settings))


def recorded(name: str, start: str, options: argparse.Namespace) -> Iterator[tuple[str, str, str, str]]:
    """Crawl for the topics of a web, or find what was crawled; yield web, start, the topic's name, and the folder."""
    output = options.output.resolve() / f"{name}-{start}"
    folder = folder_of(name, options.data, options.webs)
    if name == "grass":
        arguments = ["--web", str(folder / "grass.warc.gz"), "--labels", str(folder / "grass.labels.tsv")]
        arguments += ["--topics", ",".join(GRASS.split(",")[:CRAWLED]), "--seeds", "5"]
    else:
        arguments = web_arguments(name, folder)
        if name == DEMO:
            arguments[arguments.index("--largest") + 1] = str(CRAWLED)
        else:
            arguments[arguments.index("--topics") + 1] = first_topics(name, CRAWLED)
    # With retraining that nobody feeds the words of all pages are written down.
    (options.output.resolve()).mkdir(parents=True, exist_ok=True)
    kept = [] if start == "met" else ["-s", "FOCUSED_RETRAINING=interactive"]
    chosen_run = adaptive_crawls(PAGES, STARTS[start])
    if not (output / "results.csv").is_file():
        evaluate([*arguments, *chosen_run, *kept], output, options.jobs)
    labels = folder / f"{name}.labels.tsv"
    if name == DEMO:
        labels = output / "labels.tsv"
        write_labels(DemoWeb(), labels)
    for path in sorted((output / "groups").glob("*.json"))[: options.topics]:
        yield name, start, str(path), str(labels)


@dataclass(frozen=True)
class Recorded:
    """The pages of a crawl, by number, with words and labels; no copies."""

    topic: Topic
    run_dir: Path
    truth: dict[int, bool]
    is_against_met: bool

    @classmethod
    def read(cls, group: Path, labels: Path, start: str) -> Recorded:
        """Read a crawl of an evaluation."""
        about = json.loads(group.read_text(encoding="utf-8"))
        output = group.parent.parent
        run_dir = output / "runs" / about["name"] / "adaptive"
        relevant = set()
        for line in labels.read_text(encoding="utf-8").split("\n"):
            url, _, names = line.partition("\t")
            if about["topic"] in names.split("|"):
                relevant.add(url)
        with (run_dir / "fetched.csv").open(newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if not row["duplicate_of"]]
        truth = {int(row["number"]): bool({row["url"], row["location"]} & relevant) for row in rows}
        return cls(load_topic(about["name"], output / "models"), run_dir, truth, start == "met")

    @cached_property
    def pages(self) -> list[Any]:
        """The pages that have words."""
        found, _ = read_record(record_path(self.run_dir))
        return [page for page in found if page.terms and page.number in self.truth]

    @cached_property
    def labels(self) -> np.ndarray[Any, Any]:
        """What the labels say of them."""
        return np.array([self.truth[page.number] for page in self.pages])

    @cached_property
    def _counts(self) -> Any:
        assert self.topic.examples is not None
        return AugmentedExamples(self.topic.examples, self.pages).counts()

    def trained(self, verdicts: Mapping[int, bool]) -> tuple[Topic, np.ndarray[Any, Any]]:
        """Train as `scrapy train --from-run` does; return the model, and the relevance of each page."""
        if self.is_against_met:
            made = train_against_met(self.topic, self.pages, verdicts)
        elif not verdicts:
            made = self.topic
        else:
            retraining = Retraining(self.topic, [page for page in self.pages if page.number in verdicts])
            believed = retraining.without_label_noise(verdicts, set(verdicts))
            slips = {number: label for number, label in verdicts.items() if number not in believed}
            widens = mostly_verdicts(believed, set(believed))
            made = retraining.train(believed, set(believed), widens=widens, slips=slips)
        return made, relevance_of_counts(made, *self._counts, "page")


def replayed(task: tuple[str, str, str, str, str, float]) -> dict[str, Any]:
    """Give verdicts in an order, a share of them wrong; return the figures after each step."""
    web, start, group, labels, order, share = task
    run = Recorded.read(Path(group), Path(labels), start)
    truth, numbers = run.labels, [page.number for page in run.pages]
    row_of = {page.url: row for row, page in enumerate(run.pages)}
    rng = np.random.default_rng(0)
    wrong = rng.random(len(numbers)) < share
    model, relevance = run.trained({})
    queue = Queue(order, "a seed", lambda url: run.pages[row_of[url]].terms)
    accepted = update(queue, run.pages, model, relevance)
    found: dict[str, Any] = {"web": web, "start": start, "name": run.topic.name, "order": order, "share": share}
    found |= {"n": len(numbers), "true": float(truth.mean()), "before": f1(truth, accepted), "f1": [], "rest": []}
    found["side"] = []
    said: dict[int, bool] = {}
    for step in STEPS:
        while len(said) < step and (pick := queue.next()) is not None:
            row = row_of[pick.page.url]
            said[numbers[row]] = bool(truth[row] != wrong[row])
            queue.count(pick.page.url, pick.kind)
            queue.learn({run.pages[at].url: said[number] for at, number in enumerate(numbers) if number in said})
        model, relevance = run.trained(said)
        accepted = update(queue, run.pages, model, relevance)
        judged = np.array([number in said for number in numbers])
        verdicts = np.array([said.get(number, False) for number in numbers])
        delivered = np.where(judged, verdicts, accepted)
        found["f1"].append(f1(truth, delivered))
        found["rest"].append(f1(truth[~judged], accepted[~judged]))
        found["side"].append(float((accepted == verdicts)[judged].mean()))
    if order == "random" and not share:
        found["all"] = with_all_labels(run)
    return found


def update(queue: Queue, pages: list[Any], model: Topic, relevance: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Let the queue know what the model says now; return which pages it accepts."""
    threshold = model.threshold("page")
    accepted = relevance >= threshold
    for page, value, is_relevant in zip(pages, relevance.tolist(), accepted.tolist(), strict=True):
        queue.add(QueuedPage(page.number, page.url, value, threshold, is_relevant))
    return accepted


def with_all_labels(run: Recorded) -> float:
    """Return F1 of models that know the labels of four fifths of the pages, on the rest."""
    part = np.random.default_rng(1).permutation(len(run.pages)) % 5
    accepted = np.zeros(len(run.pages), dtype=bool)
    for number in range(5):
        known = {page.number: run.truth[page.number] for page, at in zip(run.pages, part, strict=True) if at != number}
        model, relevance = run.trained(known)
        accepted[part == number] = (relevance >= model.threshold("page"))[part == number]
    return f1(run.labels, accepted)


def f1(truth: np.ndarray[Any, Any], accepted: np.ndarray[Any, Any]) -> float:
    return float(2 * (truth & accepted).sum() / max(truth.sum() + accepted.sum(), 1))


if __name__ == "__main__":
    main()
