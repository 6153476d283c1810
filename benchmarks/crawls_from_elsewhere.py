"""Whole crawls whose examples are pages of another recorded web that has the same topic, as a user's mostly are.

Each pair is a topic of the web that is crawled and the label of another web that means the same, as nearly as there is one.
`adaptive` crawls 300 pages from five pages of the topic: with 30 examples of the other web (``--start elsewhere``), and, for
comparison, with 30 of the web itself (``examples``) and with six words that are chosen from these (``words``). Written are the
share of the bound, and for examples from elsewhere the pages judged relevant for each that is.

Examples
--------
  python benchmarks/crawls_from_elsewhere.py --webs ../webs
  python benchmarks/crawls_from_elsewhere.py --only foldoc --starts elsewhere --no-write
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from common import chosen_names, machine, table
from evaluations.running import adaptive_crawls, evaluate
from evaluations.tables import rows_of
from known_webs import KNOWN, folder_of, labels_of, web_parser
from provenance import CRAWL_ROOMS, now, write_blocks
from unlabeled_met import judged_for_each

if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path

PAGES = 300
STARTS = ("elsewhere", "examples", "words")
CHOSEN_ON = ("sites", "forum", "foldoc")
"""Webs that the way of training, and its constants, were chosen on."""


class Pair(NamedTuple):
    """A topic of a web, and the web and its label that examples come from."""

    web: str
    topic: str
    other: str
    label: str


PAIRS = (
    Pair("sites", "topic electronics", "forum", "sci.electronics"),
    Pair("sites", "topic chemistry", "hyperphysics", "Chemistry"),
    Pair("forum", "sci.med", "wiki", "field medicine"),
    Pair("forum", "comp.graphics", "foldoc", "graphics"),
    Pair("foldoc", "hardware", "forum", "comp.sys.ibm.pc.hardware"),
    Pair("foldoc", "mathematics", "hyperphysics", "HyperMath"),
    Pair("wiki", "field chemistry", "hyperphysics", "Chemistry"),
    Pair("wiki", "field medicine", "forum", "sci.med"),
    Pair("hyperphysics", "Astrophysics", "forum", "sci.space"),
    Pair("hyperphysics", "Electricity and Magnetism", "forum", "sci.electronics"),
    Pair("shop", "category Graphics", "foldoc", "graphics"),
    Pair("shop", "category Network", "foldoc", "networking"),
    Pair("languages", "topic databases", "foldoc", "database"),
    Pair("languages", "topic mail", "foldoc", "messaging"),
)
"""webkb (a web of genres) and wire share no topic with another web."""


def main() -> None:
    parser = web_parser(__doc__, "crawls-from-elsewhere", tuple(dict.fromkeys(pair.web for pair in PAIRS)))
    parser.add_argument("--starts", default=",".join(STARTS), help=f"some of {', '.join(STARTS)} (default: all)")
    options = parser.parse_args()
    names = chosen_names(options.only, KNOWN)
    starts = chosen_names(options.starts, STARTS)
    pairs = [pair for pair in PAIRS if pair.web in names]
    found = [crawled(pair, starts, options) for pair in pairs]
    rows = [
        [
            f"{pair.web}{' *' if pair.web in CHOSEN_ON else ''}",
            pair.topic,
            f"{pair.other}: {pair.label}",
            *cells(values),
        ]
        for pair, values in zip(pairs, found, strict=True)
    ]
    for title, is_chosen in (("**chosen on**", True), ("**others**", False)):
        some = [values for pair, values in zip(pairs, found, strict=True) if (pair.web in CHOSEN_ON) is is_chosen]
        if some:
            rows.append([title, "", "", *cells(np.mean(some, axis=0).tolist())])
    header = ["web", "topic", "examples from", *(f"{start}: share" for start in starts), "judged / true"]
    text = f"{table(header, rows)}\n\n\\* chosen on this web. {machine()}."
    if options.no_write:
        print(text)
        return
    settings = {"pages": PAGES, "repeats": 1}
    source = now("python benchmarks/crawls_from_elsewhere.py", [*CRAWL_ROOMS, "focused/retraining"], settings)
    write_blocks({"crawls with examples from elsewhere": text}, source)


def crawled(pair: Pair, starts: list[str], options: Namespace) -> list[float]:
    """Crawl, or read what was crawled; return the share of the bound by start, and pages judged relevant for each that is."""
    folder, other = (folder_of(name, options.data, options.webs) for name in (pair.web, pair.other))
    slug = re.sub("[^a-z0-9]+", "-", pair.topic.lower())
    output: Path = options.output.resolve() / f"{pair.web}-{slug}"
    arguments = [*files("web", folder, pair.web), "--topics", f'"{pair.topic}"', "--seeds", "5"]
    if "elsewhere" in starts:
        arguments += [*files("elsewhere", other, pair.other), "--elsewhere-topics", f'"{pair.label}"']
    chosen = adaptive_crawls(PAGES, ",".join(starts))
    evaluate([*arguments, *chosen], output, options.jobs)
    shares = [float(rows_of(output, start)[0]["share_of_bound"]) for start in starts]
    if "elsewhere" not in starts:
        return [*shares, float("nan")]
    path = output / "runs" / f"{pair.web}-{slug}-r1-elsewhere" / "adaptive" / "fetched.csv"
    return [*shares, judged_for_each(path, pair.topic, labels_of(folder / f"{pair.web}.labels.tsv"))]


def files(option: str, folder: Path, name: str) -> list[str]:
    """Return the options that name a web and its labels."""
    web, labels = ("--web", "--labels") if option == "web" else ("--elsewhere-web", "--elsewhere-labels")
    return [web, str(folder / f"{name}.warc.gz"), labels, str(folder / f"{name}.labels.tsv")]


def cells(values: list[float]) -> list[str]:
    """Return shares, and the last value with two digits."""
    return [*(f"{value:.3f}" for value in values[:-1]), f"{values[-1]:.2f}"]


if __name__ == "__main__":
    main()
