"""Harvest of every strategy on a recorded web, by labels that the crawler never sees.

For each topic 30 positive and 1,500 unlabelled pages are drawn with a seed, a model is trained with ``scrapy train``,
5 seeds are drawn from the positives, and each strategy crawls the recorded web with concurrency 1. Harvest is the
number of pages fetched that carry the topic's label, divided by the page budget. What was done stands in the output
folder: an interrupted run goes on where it stopped.

Examples
--------
  python benchmarks/strategies.py --data ../shared/data --output runs/strategies
  python benchmarks/strategies.py --data ../shared/data --web webkb --pages 1000 --output runs/strategies
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections import deque
from pathlib import Path

from joblib import Parallel, delayed
from tqdm import tqdm

ROOT = Path(__file__).resolve().parent.parent
STRATEGIES = ["breadth_first", "best_first", "anchor_text", "link_context", "slc", "cbp", "cbp_slc", "lpe"]
# Findings section 1 and 2: the topics, and what throwaway prototypes found.
WEBS = {
    "hyperphysics": (
        "Geophysics,Astrophysics,Electricity and Magnetism,Sound,Quantum Physics,Mechanics,Light and Vision,Nuclear,"
        "Thermodynamics,Biology",
        {"breadth_first": 0.261, "best_first": 0.485, "anchor_text": 0.315, "link_context": 0.377, "cbp_slc": 0.429,
         "lpe": 0.406},
    ),
    "webkb": (
        "student,faculty,course,project,department,staff",
        {"breadth_first": 0.095, "best_first": 0.098, "anchor_text": 0.113, "link_context": 0.091, "cbp_slc": 0.119,
         "lpe": 0.024},
    ),
}  # fmt: skip


def read_labels(path: Path) -> dict[str, set[str]]:
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return {url: set(labels.split("|")) for url, labels in (line.split("\t") for line in lines if line)}


def slug(topic: str) -> str:
    return topic.lower().replace(" ", "-")


def prepare(topic: str, options: argparse.Namespace, labels: dict[str, set[str]]) -> None:
    """Draw the examples of a topic and train it, unless that is done."""
    folder = options.output / options.web
    if (folder / "models" / slug(topic) / "manifest.json").is_file():
        return
    draw = random.Random(f"{options.random_state} {topic}")
    urls = sorted(labels)
    positive = draw.sample([url for url in urls if topic in labels[url]], options.positives)
    unlabeled = draw.sample([url for url in urls if url not in set(positive)], options.unlabeled)
    seeds = draw.sample(positive, options.seeds)
    if options.web == "webkb":
        seeds = (options.data / "webkb.seeds.txt").read_text().split()
    lists = folder / "lists"
    lists.mkdir(parents=True, exist_ok=True)
    for name, chosen in (("positive", positive), ("unlabeled", unlabeled), ("seeds", seeds)):
        (lists / f"{slug(topic)}.{name}.txt").write_text("\n".join(chosen) + "\n")
    web = str(options.data / f"{options.web}.warc.gz")
    # fmt: off
    subprocess.run(
        [sys.executable, "-m", "scrapy", "train", slug(topic), "--positive", web,
         "--positive-urls", str(lists / f"{slug(topic)}.positive.txt"), "--unlabeled", web,
         "--unlabeled-urls", str(lists / f"{slug(topic)}.unlabeled.txt"),
         "--seeds", str(lists / f"{slug(topic)}.seeds.txt"), "--title", topic, "--quiet", "--force",
         "--random-state", str(options.random_state), "--learner", options.learner],
        check=True, cwd=ROOT, stdout=subprocess.DEVNULL,
        env={**os.environ, "FOCUSED_MODELS_DIR": str(folder / "models")},
    )
    # fmt: on


def crawl(topic: str, strategy: str, options: argparse.Namespace) -> dict[str, object]:
    """Crawl in a process of its own, unless that is done, and return what was fetched."""
    folder = options.output / options.web
    done = folder / "crawls" / f"{slug(topic)}.{strategy}.json"
    if not done.is_file():
        done.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [
                sys.executable,
                __file__,
                "--data",
                str(options.data),
                "--web",
                options.web,
                "--pages",
                str(options.pages),
                "--output",
                str(options.output),
                "--one",
                slug(topic),
                strategy,
                str(done),
            ],
            check=True,
            cwd=ROOT,
            env={**os.environ, "FOCUSED_MODELS_DIR": str(folder / "models")},
        )
    return {"topic": topic, "strategy": strategy, **json.loads(done.read_text())}


def crawl_here(topic: str, strategy: str, done: Path, options: argparse.Namespace) -> None:
    """Crawl in this process and write which recorded pages were fetched, in order."""
    from scrapy import signals
    from scrapy.crawler import CrawlerProcess
    from scrapy.utils.project import get_project_settings

    from focused.spiders.focused import FocusedSpider

    fetched: list[str] = []

    def note(item: object, response: object, **_: object) -> None:
        place = response.headers.get("Content-Location")
        fetched.append(response.urljoin(place.decode("latin-1")) if place else response.url)

    settings = get_project_settings()
    settings.setdict({"CONCURRENT_REQUESTS": 1, "LOG_LEVEL": "WARNING"}, priority="cmdline")
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(FocusedSpider)
    for signal in (signals.item_scraped, signals.item_dropped):
        crawler.signals.connect(note, signal=signal)
    web = options.data / f"{options.web}.warc.gz"
    run_dir = options.output / options.web / "runs" / f"{topic}.{strategy}"
    arguments = {"topic": topic, "strategy": strategy, "web": str(web), "max_pages": str(options.pages)}
    process.crawl(crawler, **arguments, run_dir=str(run_dir))
    process.start()
    stats = crawler.stats.get_stats()
    part = done.with_suffix(".part")
    part.write_text(
        json.dumps({"fetched": fetched, "finish_reason": stats.get("finish_reason"), "pages": len(fetched)})
    )
    part.replace(done)


def reachable(seeds: list[str], options: argparse.Namespace) -> set[str]:
    """Return the recorded pages that links lead to from the seeds."""
    from focused.page.reader import PageReader
    from focused.text.analyzer import Analyzer
    from focused.webs import open_web

    web, reader = open_web(str(options.data / f"{options.web}.warc.gz"), {}), PageReader(Analyzer())
    found: set[str] = set()
    seen, waiting = set(seeds), deque(seeds)
    while waiting:
        url = waiting.popleft()
        answer = web.answer(url)
        headers = {name.lower(): value for name, value in answer.headers}
        links: list[str] = []
        if 300 <= answer.status < 400 and "location" in headers:
            from urllib.parse import urljoin

            links = [urljoin(url, headers["location"])]
        elif answer.status == 200:
            from urllib.parse import urljoin

            place = urljoin(url, headers.get("content-location", url))
            if place not in found:
                found.add(place)
                links = [link.url for link in reader.read(answer.body, url, headers.get("content-type")).links]
        for link in links:
            if link not in seen:
                seen.add(link)
                waiting.append(link)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the webs")
    parser.add_argument("--web", choices=sorted(WEBS), default="hyperphysics")
    parser.add_argument("--topics", help="labels separated by commas (default: those of the prototypes)")
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--positives", type=int, default=30)
    parser.add_argument("--unlabeled", type=int, default=1500)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--random-state", type=int, default=0)
    parser.add_argument("--learner", default="screened_svm", help="of scrapy train; use another --output for each")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--output", type=Path, default=ROOT / "runs" / "strategies")
    parser.add_argument("--one", nargs=3, metavar=("TOPIC", "STRATEGY", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.data, options.output = options.data.resolve(), options.output.resolve()
    sys.path.insert(0, str(ROOT))
    if options.one:
        topic, strategy, done = options.one
        crawl_here(topic, strategy, Path(done), options)
        return
    labels = read_labels(options.data / f"{options.web}.labels.tsv")
    default_topics, prototypes = WEBS[options.web]
    topics = (options.topics or default_topics).split(",")
    strategies = options.strategies.split(",")
    for topic in tqdm(topics, desc="training", unit="topic"):
        prepare(topic, options, labels)
    jobs = [(topic, strategy) for topic in topics for strategy in strategies]
    results = Parallel(n_jobs=options.jobs, return_as="generator", backend="threading")(
        delayed(crawl)(topic, strategy, options) for topic, strategy in jobs
    )
    found: dict[tuple[str, str], int] = {}
    for result in tqdm(results, total=len(jobs), desc="crawling", unit="crawl"):
        topic = str(result["topic"])
        hits = sum(topic in labels.get(url, ()) for url in set(result["fetched"]))  # type: ignore[call-overload]
        found[topic, str(result["strategy"])] = hits
    lists = options.output / options.web / "lists"
    bounds = {}
    for topic in tqdm(topics, desc="bounds", unit="topic"):
        seeds = (lists / f"{slug(topic)}.seeds.txt").read_text().split()
        pages = reachable(seeds, options)
        bounds[topic] = min(sum(topic in labels.get(url, ()) for url in pages), options.pages)
    print(f"\n{options.web}: {options.pages} pages, random state {options.random_state}\n")
    print("| topic | bound | " + " | ".join(strategies) + " |")
    print("|---" * (len(strategies) + 2) + "|")
    for topic in topics:
        row = [f"{found[topic, strategy] / options.pages:.3f}" for strategy in strategies]
        print(f"| {topic} | {bounds[topic] / options.pages:.3f} | " + " | ".join(row) + " |")

    def mean(values: list[float]) -> str:
        return f"{sum(values) / len(values):.3f}"

    means = [mean([found[topic, strategy] / options.pages for topic in topics]) for strategy in strategies]
    shares = [mean([found[topic, strategy] / bounds[topic] for topic in topics]) for strategy in strategies]
    print(f"| **mean** | {mean([bound / options.pages for bound in bounds.values()])} | " + " | ".join(means) + " |")
    print("| share of the bound | 1 | " + " | ".join(shares) + " |")
    print(
        "| prototypes | | "
        + " | ".join(f"{prototypes.get(strategy, float('nan')):.3f}" for strategy in strategies)
        + " |"
    )


if __name__ == "__main__":
    main()
