"""Topics from examples, crawled for by one process and by many workers: what they find, and what their model calls relevant.

Such a topic's crawl trains again against the pages that it meets (docs/method/, D74). Here one worker of several does so for
all. Each topic has 30 examples of its web, and starts from five pages of the topic (``scrapy evaluate --start examples``).
Hosts rest between two requests, in real seconds, and no crawl waits for a training, as on the live web. Relevant is what the
labels say. *Background*: two workers whose model stays as it was trained, as all were before they learnt from the pages met.

Examples
--------
  python benchmarks/shared_met.py --only forum,wiki --topics 2
  python benchmarks/shared_met.py --only docs --topics 3 --delay 1 --workers 1 2 4 8
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from common import ROOT, SCRAPY, chosen_names, machine, say, table
from evaluations.running import adaptive_crawls, evaluate
from known_webs import KNOWN, folder_of, labels_of, web_parser
from provenance import CRAWL_ROOMS, now, write_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

CHOSEN_ON = ("hyperphysics", "foldoc", "forum", "wire", "wiki", "sites")
"""Webs that constants of the training against the pages met were chosen on; their sums stand apart."""
PORTAL = "docs"
"""A portal of seventeen manuals, beside the other webs only if it is named."""
WAYS = {
    "SQLite, 1 process": [],
    **{f"PostgreSQL, {n} workers": ["-a", f"workers={n}"] for n in (1, 2, 4, 8)},
    "2 workers, background": ["-a", "workers=2", "-s", "FOCUSED_UNLABELED=topic"],
}
_SETTINGS = {
    "FOCUSED_RETRAINING_WAIT": "never",
    "FOCUSED_METRICS_INTERVAL_SECS": 0,
    "RANDOMIZE_DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": 0,
    "LOG_LEVEL": "ERROR",
}


class Found(NamedTuple):
    """What a crawl has fetched."""

    n_pages: int
    n_relevant: int
    #: Called relevant as pages came, by the labels and by the model; and what is delivered in the end.
    n_called: int
    n_delivered: int
    n_delivered_relevant: int


def topics_of(models: Path, runs: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the topics that an evaluation has trained, and the seeds that it began with."""
    for folder in sorted(models.iterdir()):
        run = json.loads((runs / folder.name / "adaptive" / "run.json").read_text(encoding="utf-8"))
        yield folder.name, run["seeds"]


def crawl(folder: Path, models: Path, topic: str, arguments: list[str]) -> None:
    """Crawl by the real command."""
    options = [part for name, value in _SETTINGS.items() for part in ("-s", f"{name}={value}")]
    command = [*SCRAPY, "crawl", "focused", "-a", f"topic={topic}", "-a", f"run_dir={folder}", *options, *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "FOCUSED_MODELS_DIR": str(models)}
    done = subprocess.run([*command, "-s", f"FOCUSED_MODELS_DIR={models}"], cwd=ROOT, env=environment, check=False)
    if done.returncode:
        sys.exit(f"The crawl in {folder} has failed.")


def found(folder: Path, relevant: set[str]) -> Found:
    """Read what a crawl has fetched and delivers."""
    with (folder / "fetched.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with (folder / "pages.jsonl").open(encoding="utf-8") as file:
        delivered = [json.loads(line)["url"] for line in file]
    called = sum(row["relevant"] == "1" for row in rows)
    right = sum(row["url"] in relevant for row in rows)
    return Found(len(rows), right, called, len(delivered), sum(url in relevant for url in delivered))


def main() -> None:
    """Crawl, print and write the table."""
    parser = web_parser(__doc__, "shared-met", KNOWN, jobs=1)
    parser.add_argument("--topics", type=int, default=2, help="topics of each web (default: 2)")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--delay", type=float, default=0.2, help="seconds between two requests to a host")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4], help="1, 2, 4 or 8 (default: 1 2 4)")
    given = parser.parse_args()
    rows: list[list[str]] = []
    ways = [way for way in WAYS if not way.startswith("PostgreSQL") or int(way.split()[1]) in given.workers]
    all_found: dict[tuple[str, str], list[Found]] = {}
    for name in chosen_names(given.only, (*KNOWN, PORTAL)):
        data = folder_of(name, given.data, given.webs)
        output = given.output / name
        web, labels = data / f"{name}.warc.gz", data / f"{name}.labels.tsv"
        of = labels_of(labels)
        counted = Counter(label for names in of.values() for label in names if label != "other")
        chosen = ",".join(f'"{label}"' for label, _ in counted.most_common(given.topics))
        about = ["--web", str(web), "--labels", str(labels), "--topics", chosen]
        evaluate([*about, *adaptive_crawls(given.pages, "examples")], output, given.jobs)
        for topic, seeds in topics_of(output / "models", output / "runs"):
            manifest = json.loads((output / "groups" / f"{topic}.json").read_text(encoding="utf-8"))
            label = manifest["topic"]
            relevant = {url for url, names in of.items() if label in names}
            for way in ways:
                with tempfile.TemporaryDirectory() as made:
                    folder = Path(made) / "run"
                    start = ["-a", f"web={web}", "-a", f"seeds={','.join(seeds)}", "-a", f"max_pages={given.pages}"]
                    start += ["-s", f"DOWNLOAD_DELAY={given.delay}"]
                    crawl(folder, output / "models", topic, [*start, *WAYS[way]])
                    result = found(folder, relevant)
                kind = "chosen on" if name in CHOSEN_ON else "others"
                all_found.setdefault((kind, way), []).append(result)
                say(f"{topic}: {way}: {result}")
                rows.append(_row(f"{name} *" if name in CHOSEN_ON else name, label, way, [result]))
    rows += [_row(f"**{kind}**", "", way, results) for (kind, way), results in sorted(all_found.items())]
    columns = ["web", "topic", "crawl", "relevant", "called relevant / relevant", "delivered", "of these relevant"]
    text = f"{table(columns, rows)}\n\n\\* constants of the training were chosen on this web. {machine()}."
    print(text)
    if not given.no_write:
        settings = {"pages": given.pages, "topics": given.topics, "delay": given.delay}
        write_blocks({"workers against the pages met": text}, now(__file__, CRAWL_ROOMS, settings))


def _row(web: str, topic: str, way: str, results: list[Found]) -> list[str]:
    n_pages, right, called, delivered, delivered_right = np.sum(results, axis=0)
    share = f"{delivered_right / delivered:.2f}" if delivered else ""
    return [web, topic, way, f"{right} of {n_pages}", f"{called / max(right, 1):.2f}", str(delivered), share]


if __name__ == "__main__":
    main()
