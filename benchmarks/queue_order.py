"""Which order teaches most? Simulated people judge the pages of finished crawls, in several orders; labels answer for them.

For each web `adaptive` crawls 300 pages (or `--pages`) for two topics (from 30 examples), and keeps its collection. Then,
without any further crawl, pages are judged in each order. After 20, 50 and 100 verdicts two figures of the collection's pages
are taken, means over topics: F1 of what is delivered then, which is the model's word corrected by the verdicts; and F1 where,
besides, a logistic regression decides about the others, which learns from the verdicts (weight 3) and the model's beliefs
(weight 0.3). It stands for any training: what the project's own training makes of verdicts is another table.

Examples
--------
  python benchmarks/queue_order.py --webs ../webs
  python benchmarks/queue_order.py --webs ../webs --pages 1000 --only hyperphysics,webkb,foldoc,docs
  python benchmarks/queue_order.py --only hyperphysics --no-write
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from common import ROOT, chosen_names, machine, scrapy, table
from evaluations.plan import web_arguments
from evaluations.running import adaptive_crawls, evaluate
from known_webs import DEMO, RECORDED, folder_of, web_parser
from provenance import now, write_blocks
from retraining_pages import labels_of
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from focused.collection.belief import decision, weighted
from focused.collection.page import unpack_terms
from focused.collection.page_table import QueuedPage
from focused.collection.queue import ORDERS, Queue
from focused.collection.queue_kinds import NEW_SIDE, RANDOM, UNCERTAIN
from focused.collection.view import CollectionView

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    Flags = npt.NDArray[np.bool_]

PAGES = 300
TOPICS = {
    "hyperphysics": "Geophysics,Astrophysics",
    "webkb": "student,course",
    "foldoc": "language,networking",
    DEMO: "",
    "sites": "topic biology,topic electronics",
    "docs": "sql,plotting",
}
COUNTS = (20, 50, 100)
SEEDS = 3
EVEN = "every page alike"
MIXES = {
    "uncertain, random": {UNCERTAIN: 0.7, RANDOM: 0.3},
    "new side, random": {NEW_SIDE: 0.7, RANDOM: 0.3},
}
"""Orders that are no options of the command."""


@dataclass
class Crawled:
    """The pages of one crawl that may be judged; arrays of shape (n_pages,)."""

    name: str
    pages: list[QueuedPage]
    terms: dict[str, dict[str, int]]
    truth: Flags

    @property
    def decisions(self) -> npt.NDArray[np.float64]:
        """In log odds above the threshold."""
        relevance = np.array([page.relevance for page in self.pages])
        return decision(relevance, np.array([page.threshold for page in self.pages]))


def main() -> None:
    webs = tuple(TOPICS)
    parser = web_parser(__doc__, "queue-order", webs, jobs=None)
    parser.add_argument("--pages", type=int, default=PAGES, help=f"pages of each crawl (default: {PAGES})")
    options = parser.parse_args()
    crawls = [each for name in chosen_names(options.only, webs) for each in crawled(name, options)]
    ORDERS.update(MIXES)
    found = {order: np.mean([figures(each, order) for each in crawls], axis=0) for order in (EVEN, *ORDERS)}
    first = np.mean([f1(each.truth, each.decisions >= 0) for each in crawls])
    heads = ["order", *(f"{n}: delivered" for n in COUNTS), *(f"{n}: learnt" for n in COUNTS)]
    rows = [[order, *(f"{value:.3f}" for value in values)] for order, values in found.items()]
    text = (
        f"{table(heads, rows)}\n\nWithout verdicts {first:.3f}. {len(crawls)} crawls: "
        f"{', '.join(each.name for each in crawls)}; {SEEDS} draws of orders with random pages. {machine()}."
    )
    if options.no_write:
        print(text)
        return
    rooms = [f"focused/collection/{name}.py" for name in ("belief", "queue", "random_order")]
    is_usual = options.pages == PAGES
    command = "python benchmarks/queue_order.py" + (
        "" if is_usual else f" --pages {options.pages} --only {options.only}"
    )
    name = "order of verdicts" if is_usual else "order of verdicts, larger crawls"
    write_blocks({name: text}, now(command, rooms, {"pages": options.pages}))


def crawled(name: str, options: argparse.Namespace) -> Iterator[Crawled]:
    """Crawl a web, or take what was crawled, and yield the collection of each topic."""
    output = options.output.resolve() / (name if options.pages == PAGES else f"{name}-{options.pages}")
    if name == DEMO:
        labels = output.parent / "demo.labels.tsv"
        if not labels.is_file():
            output.parent.mkdir(parents=True, exist_ok=True)
            warc = str(output.parent / "demo.warc.gz")
            scrapy("demo", "--warc", warc, "--labels", str(labels), models_dir=ROOT / "models")
        arguments = ["--web", "demo", "--largest", "2"]
    else:
        folder = folder_of(name, options.data, options.webs)
        labels = folder / f"{name}.labels.tsv"
        known = web_arguments(name if name in RECORDED else "foldoc", folder)
        arguments = [each.replace("foldoc", name) if "/" in each else each for each in known]
        arguments[arguments.index("--topics") + 1] = TOPICS[name]
    chosen = adaptive_crawls(options.pages, "examples")
    evaluate([*arguments, *chosen, "-s", "FOCUSED_COLLECTION=on"], output, 1)
    of_url = labels_of(labels)
    with (output / "results.csv").open(newline="", encoding="utf-8") as file:
        topics = sorted({row["topic"] for row in csv.DictReader(file)})
    for topic in topics:
        key = re.sub("[^a-z0-9]+", "-", topic.lower())
        [run_dir] = [path.parent for path in (output / "runs").glob(f"*-{key}-r1*/adaptive/collection.sqlite")]
        yield collection(f"{name} {topic}", run_dir, {url for url, labels in of_url.items() if topic in labels})


def collection(name: str, run_dir: Path, relevant: set[str]) -> Crawled:
    """Read a collection."""
    found = Crawled(name, [], {}, np.zeros(0, dtype=np.bool_))
    truth = []
    with CollectionView(run_dir) as view:
        for row in view.pages():
            if row["duplicate_of"] or row["noindex"] or row["relevance"] is None:
                continue
            page = QueuedPage(row["number"], row["url"], row["relevance"], row["threshold"], bool(row["relevant"]))
            found.pages.append(page)
            found.terms[page.url] = unpack_terms(row["terms"])
            truth.append(row["url"] in relevant or row["location"] in relevant)
    found.truth = np.array(truth)
    return found


def figures(crawl: Crawled, order: str) -> list[float]:
    """Return F1 of what is delivered after each number of verdicts, then F1 of what was learnt."""
    draws = range(1 if order in ("uncertain", "top") else SEEDS)
    rows = []
    words = weighted([crawl.terms[page.url] for page in crawl.pages])
    for seed in draws:
        verdicts: dict[int, bool] = {}
        picks = judged(crawl, order, str(seed))
        delivered, learnt = [], []
        for n in COUNTS:
            verdicts |= dict(islice(picks, n - len(verdicts)))
            delivered.append(f1(crawl.truth, corrected(crawl.decisions >= 0, verdicts)))
            learnt.append(f1(crawl.truth, corrected(trained(words, crawl.decisions, verdicts), verdicts)))
        rows.append([*delivered, *learnt])
    return np.mean(rows, axis=0).tolist()


def judged(crawl: Crawled, order: str, seed: str) -> Iterator[tuple[int, bool]]:
    """Yield the row of each page that is judged, and the verdict."""
    if order == EVEN:
        for row in np.random.default_rng(int(seed)).permutation(len(crawl.pages)).tolist():
            yield row, bool(crawl.truth[row])
        return
    queue = Queue(order, seed, lambda url: crawl.terms[url])
    row_of = {page.url: row for row, page in enumerate(crawl.pages)}
    verdicts: dict[str, bool] = {}
    for page in crawl.pages:
        queue.add(page)
    while (pick := queue.next()) is not None:
        row = row_of[pick.page.url]
        verdicts[pick.page.url] = bool(crawl.truth[row])
        queue.count(pick.page.url, pick.kind)
        queue.learn(verdicts)
        yield row, bool(crawl.truth[row])


def trained(words: sparse.csr_matrix, decisions: npt.NDArray[np.float64], verdicts: dict[int, bool]) -> Flags:
    """Return what a logistic regression says of all pages that learnt from verdicts and beliefs."""
    rows, said = np.array(list(verdicts)), np.array(list(verdicts.values()))
    others = np.setdiff1d(np.arange(len(decisions)), rows)
    belief = expit(decisions[others])
    n = len(others)
    targets = np.concatenate([np.ones(n), np.zeros(n), said])
    weights = np.concatenate([0.3 * belief, 0.3 * (1 - belief), np.full(len(rows), 3.0)])
    model = LogisticRegression(C=10, max_iter=300)
    model.fit(sparse.vstack([words[others], words[others], words[rows]]), targets, sample_weight=weights)
    return np.asarray(model.decision_function(words) >= 0)


def corrected(delivered: Flags, verdicts: dict[int, bool]) -> Flags:
    found = delivered.copy()
    found[list(verdicts)] = list(verdicts.values())
    return found


def f1(truth: Flags, delivered: Flags) -> float:
    return float(2 * (truth & delivered).sum() / max(truth.sum() + delivered.sum(), 1))


if __name__ == "__main__":
    main()
