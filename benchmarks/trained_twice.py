"""What verdicts give a topic that is trained for good from one crawl and then from the next.

A topic from 30 examples and the general background crawls, 40 of its pages are judged in the order of the queue (honestly,
by the labels), and `scrapy train --from-run` trains it against the pages met. It crawls again, 40 pages are judged, and it is
trained from that crawl, too. F1 of what is delivered of the second crawl, by the labels, among its pages that nobody has
judged: before the second training and after it. One draw of examples and seeds each. To compare, run it in another checkout.

Examples
--------
  python benchmarks/trained_twice.py --webs ../webs
  python benchmarks/trained_twice.py --webs ../webs --only webkb,shop,languages --topics 4
"""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
from common import chosen_names, machine, say, scrapy, table
from known_webs import web_parser
from provenance import CRAWL_ROOMS, now, write_blocks
from verdicts_crawls import judged, labelled, starts

from focused.collection.schema import open_collection

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection
    from pathlib import Path

WEBS = ("webkb", "wiki", "sites", "forum", "shop", "languages")
N_VERDICTS = 40
PAGES = (150, 300)
"""Pages of the first crawl, and of the second."""


def main() -> None:
    parser = web_parser(__doc__, "trained-twice", WEBS, jobs=None)
    parser.set_defaults(draws=1)
    parser.add_argument("--topics", type=int, default=1, metavar="N", help="topics of each web (default 1)")
    options = parser.parse_args()
    names = chosen_names(options.only, WEBS)
    rows = [measured(*start, options) for name in names for start in starts(name, options.topics, options)]
    text = f"{as_table(rows)}\n\n{machine()}."
    if options.no_write or options.topics > 1 or options.only != ",".join(WEBS):
        print(text)
        return
    source = now(
        "python benchmarks/trained_twice.py --webs ../webs",
        [*CRAWL_ROOMS, "focused/retraining", "focused/collection"],
        {"pages": list(PAGES), "verdicts": N_VERDICTS, "positives": 30},
    )
    write_blocks({"verdicts: trained twice": text}, source)


def as_table(rows: list[dict[str, Any]]) -> str:
    """Return a row for each topic, and the means."""
    header = [
        "web",
        "topic",
        "relevant of the second crawl",
        "F1 before",
        "precision, recall",
        "F1 after",
        "precision, recall",
    ]
    cells = [
        [
            *(each["web"], each["topic"], str(each["relevant"])),
            *(text for p, r in each["figures"] for text in (f"{f1_of(p, r):.3f}", f"{p:.2f}, {r:.2f}")),
        ]
        for each in rows
    ]
    before, after = np.mean([[f1_of(*figures) for figures in each["figures"]] for each in rows], axis=0).tolist()
    return table(header, [*cells, ["**mean**", "", "", f"**{before:.3f}**", "", f"**{after:.3f}**", ""]])


def measured(name: str, labels: Path, group: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Crawl and train twice for a topic; return its figures. What is finished is kept."""
    about = json.loads(group.read_text(encoding="utf-8"))
    folder = options.output.resolve() / "crawls" / about["name"]
    done = folder / "done.json"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        models = folder / "models"
        shutil.copytree(group.parent.parent / "models" / about["name"], models / about["name"])
        relevant = labelled(labels, about["topic"])
        figures = []
        for number, n_pages in enumerate(PAGES, start=1):
            run_dir = folder / f"run{number}"
            web = ["-a", f"web={about['warc']}", "-a", f"seeds={','.join(about['seeds'])}", "-s", "LOG_LEVEL=ERROR"]
            crawl = ["crawl", "focused", "-a", f"topic={about['name']}", "-a", f"run_dir={run_dir}"]
            scrapy(*crawl, *web, "-a", f"max_pages={n_pages}", models_dir=models)
            said = judged(run_dir, "mixed", N_VERDICTS, relevant)
            figures.append(unjudged(run_dir, said, relevant))
            scrapy("train", about["name"], "--from-run", str(run_dir), "--force", models_dir=models)
        figures[0] = figures[1]
        figures[1] = unjudged(run_dir, said, relevant)
        n_relevant = sum(is_relevant for _, is_relevant in pages_of(run_dir, {}, relevant))
        done.write_text(json.dumps({"figures": figures, "relevant": n_relevant}), encoding="utf-8")
    found = {"web": name, "topic": about["topic"], **json.loads(done.read_text(encoding="utf-8"))}
    say(str(found))
    return found


def pages_of(run_dir: Path, said: Collection[str], relevant: set[str]) -> list[tuple[bool, bool]]:
    """Return of each page that is no copy and that nobody has judged whether it is delivered, and whether it is relevant."""
    with closing(open_collection(run_dir / "collection.sqlite", read_only=True)) as sql:
        rows = sql.execute("SELECT url, location, delivered FROM pages WHERE duplicate_of IS NULL OR duplicate_of = ''")
        return [(bool(is_in), bool({url, place} & relevant)) for url, place, is_in in rows if url not in said]


def unjudged(run_dir: Path, said: Collection[str], relevant: set[str]) -> tuple[float, float]:
    """Return precision and recall of what is delivered, of pages that nobody has judged."""
    pages = pages_of(run_dir, said, relevant)
    n_right = sum(is_in and wanted for is_in, wanted in pages)
    return n_right / max(1, sum(is_in for is_in, _ in pages)), n_right / max(1, sum(wanted for _, wanted in pages))


def f1_of(precision: float, recall: float) -> float:
    """Return the harmonic mean."""
    return 2 * precision * recall / max(precision + recall, 1e-9)


if __name__ == "__main__":
    main()
