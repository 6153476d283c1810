"""What it gives to judge all pages of a crawl again by its last model, as the end of a crawl does it.

For each web, `adaptive` crawls 300 pages for the first topics of the plan, once each, from 30 example pages and the general
background: against the pages met. Written is F1 of the pages called relevant, by labels that the crawl never sees: as they
were judged when they came (*then*); by the last version's relevances and threshold (*threshold*); in the last version's order,
as many as `focused.retraining.judged_again` takes (*again*); and as many as are relevant (*best*), which nobody knows. And how
many are called relevant for each that is (1: what is delivered is as much as there is). With ``--start words`` topics are made
from six words each.

Examples
--------
  python benchmarks/judged_again.py --webs ../webs
  python benchmarks/judged_again.py --webs ../webs --start words
  python benchmarks/judged_again.py --only foldoc,hyperphysics --topics 1 --no-write
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import numpy as np
from common import chosen_names, machine, table
from evaluations.plan import first_topics, web_arguments
from evaluations.running import adaptive_crawls, evaluate
from known_webs import ANY, folder_of, labels_of, web_parser
from provenance import CRAWL_ROOMS, now, write_blocks

from focused.collection.judged_rows import FirstJudged
from focused.method.learning.relevant_for_words import n_relevant_for_words
from focused.method.learning.word_classes import held
from focused.method.topic import load_topic
from focused.method.topic.counted import relevance_of_texts
from focused.retraining.judged_again import share_of_relevant, shift_to_count
from focused.retraining.judged_pages import read_record, record_path
from focused.retraining.versions import last_version, load_version

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

PAGES = 300
WAYS = ("then", "threshold", "again", "best")
COUNTS = ("then / true", "again / true")
"""Pages called relevant for each that is."""


def main() -> None:
    parser = web_parser(__doc__, "judged-again")
    parser.add_argument("--topics", type=int, default=3, help="topics of each web (default: 3)")
    parser.add_argument("--start", choices=("examples", "words"), default="examples", help="what topics are made from")
    options = parser.parse_args()
    found: dict[str, list[dict[str, float]]] = {}
    for name in chosen_names(options.only, ANY):
        folder = folder_of(name, options.data, options.webs)
        topics = first_topics(name, options.topics)
        output = options.output.resolve() / f"{name}-{options.start}"
        found[name] = crawled(name, topics, folder, output, options.jobs, options.start)
    text = f"{summary(found)}\n\n{machine()}."
    if options.no_write:
        print(text)
        return
    settings = {"pages": PAGES, "topics": options.topics, "repeats": 1}
    rooms = [*CRAWL_ROOMS, "focused/retraining"]
    of_words = options.start == "words"
    command = f"python benchmarks/judged_again.py --topics {options.topics}{' --start words' if of_words else ''}"
    write_blocks({"judged again, words" if of_words else "judged again": text}, now(command, rooms, settings))


def crawled(name: str, topics: str, folder: Path, output: Path, jobs: int, start: str) -> list[dict[str, float]]:
    """Crawl, or read what was crawled; return the figures of each topic."""
    arguments = web_arguments(name, folder)
    arguments[arguments.index("--topics") + 1] = topics
    chosen = adaptive_crawls(PAGES, start)
    evaluate([*arguments, *chosen], output, jobs)
    of_url = labels_of(folder / f"{name}.labels.tsv")
    return [
        figures(path.parent, topic, of_url)
        for topic in next(csv.reader([topics]))
        for path in sorted((output / "runs").glob("*/adaptive/fetched.csv"))
        if f"-{re.sub('[^a-z0-9]+', '-', topic.lower())}-r" in path.parents[1].name
    ]


def figures(run_dir: Path, topic: str, of_url: dict[str, set[str]]) -> dict[str, float]:
    """Return F1 of each way of judging the pages of a crawl, and which share of them is relevant."""
    with (run_dir / "fetched.csv").open(newline="", encoding="utf-8") as file:
        fetched = {int(row["number"]): row for row in csv.DictReader(file)}
    pages = [page for page in read_record(record_path(run_dir))[0] if page.terms]
    rows = [fetched[page.number] for page in pages]
    truth = np.array([topic in of_url.get(row["url"], ()) for row in rows])
    then = np.array([row["relevant"] == "1" for row in rows])
    is_later = np.array([page.version > 1 for page in pages])
    own = load_topic(run_dir.parent.name, run_dir.parents[2] / "models")
    last = load_version(run_dir, own, last_version(run_dir))
    relevances = relevance_of_texts(last, [page.terms for page in pages], "page")
    threshold = last.threshold("page")
    known = FirstJudged(len(pages), int(is_later.sum()), int(then.sum()), int((then & is_later).sum()))
    if own.keyword_terms:
        holds = held([page.terms for page in pages], own.keyword_terms)
        n_relevant = n_relevant_for_words(relevances, threshold, holds)
    else:
        share = share_of_relevant(last.manifest.get("retraining", {}), known)
        n_relevant = None if share is None else round(share * len(pages))
    again = relevances if n_relevant is None else shift_to_count(relevances, n_relevant, threshold)
    best = shift_to_count(relevances, int(truth.sum()), threshold)
    ways = then, *(each >= threshold for each in (relevances, again, best))
    counts = {f"{name} / true": float(way.sum() / max(truth.sum(), 1)) for name, way in zip(WAYS, ways, strict=True)}
    return {"relevant": float(truth.mean())} | dict(zip(WAYS, (f1(truth, way) for way in ways), strict=True)) | counts


def f1(truth: npt.NDArray[np.bool_], accepted: npt.NDArray[np.bool_]) -> float:
    return float(2 * (truth & accepted).sum() / max(truth.sum() + accepted.sum(), 1))


def summary(found: dict[str, list[dict[str, float]]]) -> str:
    """Return the table: a row for each web, and one for all topics."""
    rows = [row(name, topics) for name, topics in found.items()]
    every = [each for topics in found.values() for each in topics]
    rows.append(row("**all**", every))
    heads = ["web", "topics", "truly relevant", *WAYS, "again - then: least", "most", "topics that gain", "that lose"]
    return table([*heads, *COUNTS], rows)


def row(title: str, topics: list[dict[str, float]]) -> list[str]:
    means = [f"{np.mean([each[name] for each in topics]):.3f}" for name in ("relevant", *WAYS)]
    gains = [each["again"] - each["then"] for each in topics]
    ends = [f"{end(gains):+.3f}" for end in (min, max)]
    counts = [str(sum(sign * gain > 0.02 for gain in gains)) for sign in (1, -1)]
    numbers = [f"{np.mean([each[name] for each in topics]):.2f}" for name in COUNTS]
    return [title, str(len(topics)), *means, *ends, *counts, *numbers]


if __name__ == "__main__":
    main()
