"""Crawls with topics that were learnt with word vectors and without (`FOCUSED_WORD_VECTORS`).

For each web, `adaptive` crawls 300 pages for the first topics of the plan, once each, from example pages or six words and the
general background. Written are the shares of the bound. docs/method/evaluation.md is the protocol.

Examples
--------
  python benchmarks/word_vectors.py --webs ../webs
  python benchmarks/word_vectors.py --only wiki,sites --topics 1 --no-write
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from common import chosen_names, machine, table
from evaluations.plan import first_topics, web_arguments
from evaluations.running import adaptive_crawls, evaluate
from evaluations.tables import rows_of
from known_webs import KNOWN, folder_of, web_parser
from provenance import CRAWL_ROOMS, now, write_blocks
from unlabeled_met import CHOSEN_ON, PAGES

if TYPE_CHECKING:
    from pathlib import Path


def main() -> None:
    parser = web_parser(__doc__, "word-vectors")
    parser.add_argument("--topics", type=int, default=2, help="topics of each web (default: 2)")
    parser.add_argument("--start", choices=("examples", "words"), default="examples", help="start of the topics")
    options = parser.parse_args()
    rows, shares = [], []
    for name in chosen_names(options.only, KNOWN):
        folder = folder_of(name, options.data, options.webs)
        topics = first_topics(name, options.topics)
        found = [
            shares_of(name, topics, options.start, has_vectors, folder, options.output.resolve(), options.jobs)
            for has_vectors in (False, True)
        ]
        shares.append([float(np.mean(each)) for each in found])
        mark = " *" if name in CHOSEN_ON else ""
        each = [", ".join(f"{share:.3f}" for share in kind) for kind in found]
        rows.append([f"{name}{mark}", topics.replace('"', ""), *each])
    rows.append(["**mean**", "", *(f"{mean:.3f}" for mean in np.mean(shares, axis=0))])
    text = f"{table(['web', 'topics', 'words', 'words and vectors'], rows)}\n\n\\* chosen on this web. {machine()}."
    if options.no_write:
        print(text)
        return
    command = f"python benchmarks/word_vectors.py --topics {options.topics} --start {options.start}"
    settings = {"pages": PAGES, "topics": options.topics, "repeats": 1}
    write_blocks(
        {f"word vectors, start by {options.start}": text}, now(command, [*CRAWL_ROOMS, "focused/retraining"], settings)
    )


def shares_of(
    name: str, topics: str, start: str, has_vectors: bool, folder: Path, output: Path, jobs: int
) -> list[float]:
    """Crawl, or read what was crawled; return the share of the bound of each topic."""
    arguments = web_arguments(name, folder)
    arguments[arguments.index("--topics") + 1] = topics
    chosen = adaptive_crawls(PAGES, start)
    runs = output / f"{name}-{start}-{'vectors' if has_vectors else 'words'}"
    evaluate([*arguments, *chosen, "-s", f"FOCUSED_WORD_VECTORS={'all' if has_vectors else 'off'}"], runs, jobs)
    return [float(row["share_of_bound"]) for row in rows_of(runs, start)]


if __name__ == "__main__":
    main()
