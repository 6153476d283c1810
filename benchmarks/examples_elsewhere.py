"""Training against the pages met where the examples came from elsewhere: with words of the web's furniture, and without.

The examples of other benchmarks are pages of the web that is crawled. Here they have lost each word that most pages met have,
as if they came from other sites. The crawls are those that ``benchmarks/forecast.py`` has recorded; as in
``benchmarks/prior_of_met.py`` the topic is trained after 20, 40, 80 and 160 pages and judges as many pages as came next. Means
over trainings are written, for examples as they are and from elsewhere: with such words among those that are learnt from, and
without them (the default).

Examples
--------
  python benchmarks/examples_elsewhere.py --webs ../webs
  python benchmarks/examples_elsewhere.py --only foldoc --no-write
"""

from __future__ import annotations

import copy
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
from common import ROOT, chosen_names, machine, table
from known_webs import KNOWN, folder_of, labels_of, web_parser
from prior_of_met import PRIORS, Judged, judged
from provenance import now, write_blocks

from focused.retraining.pages_met import train_on_pages_met
from focused.retraining.web_furniture import FURNITURE_SHARE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.method.topic import Topic
    from focused.retraining.judged_pages import JudgedPage

WAYS = {
    "of the web, learnt": (False, False),
    "of the web, left out": (False, True),
    "from elsewhere, learnt": (True, False),
    "from elsewhere, left out": (True, True),
}
"""Whether examples come from elsewhere, and whether words of furniture are left out."""
_PRIOR = "halfway: **the default**"


def main() -> None:
    parser = web_parser(__doc__, None, jobs=None)
    parser.add_argument("--crawls", type=Path, default=ROOT / "runs" / "forecast", help="default: runs/forecast")
    options = parser.parse_args()
    rows = []
    every: dict[str, list[Judged]] = {way: [] for way in WAYS}
    for name in chosen_names(options.only, KNOWN):
        labels = labels_of(folder_of(name, options.data, options.webs) / f"{name}.labels.tsv")
        runs = [run for run in sorted(options.crawls.resolve().glob(f"{name}/runs/*")) if "-r1-" in run.name]
        row = [name]
        for way, (is_elsewhere, is_left_out) in WAYS.items():
            found = [each for run in runs for each in of_run(name, run, labels, is_elsewhere, is_left_out)]
            every[way] += found
            row += cells(found)
        rows.append(row)
        print(" | ".join(row), flush=True)
    rows.append(["**all**", *(cell for found in every.values() for cell in cells(found))])
    header = ["web", *(f"{way}: {what}" for way in WAYS for what in ("F1", "bias"))]
    text = f"{table(header, rows)}\n\n{len(next(iter(every.values())))} trainings. {machine()}."
    if options.no_write:
        print(text)
        return
    source = now("python benchmarks/examples_elsewhere.py", ["focused/method", "focused/retraining"])
    write_blocks({"examples from elsewhere": text}, source)


def of_run(web: str, run: Path, labels: dict[str, set[str]], is_elsewhere: bool, is_left_out: bool) -> list[Judged]:
    """Train after each number of pages of a crawl, and judge the pages after these."""

    def train(topic: Topic, pages: Sequence[JudgedPage], verdicts: dict[int, bool]) -> Topic:
        return train_on_pages_met(from_elsewhere(topic, pages) if is_elsewhere else topic, pages, verdicts)

    with ExitStack() as stack:
        stack.enter_context(patch("prior_of_met.train_on_pages_met", train))
        stack.enter_context(patch("prior_of_met.PRIORS", {_PRIOR: PRIORS[_PRIOR]}))
        if not is_left_out:
            unchanged = patch("focused.retraining.met_examples.without_furniture", lambda examples, *_: examples)
            stack.enter_context(unchanged)
        return judged(web, run, labels)


def from_elsewhere(topic: Topic, pages: Sequence[JudgedPage]) -> Topic:
    """Return a topic whose examples have no word that most pages met have."""
    with_words = [page for page in pages if page.terms]
    counts = Counter(term for page in with_words for term in page.terms)
    examples = topic.examples
    assert examples is not None
    gone = np.array([counts[term] >= FURNITURE_SHARE * len(with_words) for term in examples.terms])
    rows = examples.pages.copy()
    rows.data[gone[rows.indices]] = 0
    rows.eliminate_zeros()
    found = copy.copy(topic)
    found.__dict__["examples"] = replace(examples, pages=rows)
    return found


def cells(found: list[Judged]) -> list[str]:
    """Return mean F1 and bias."""
    f1 = np.mean([each.f1 for each in found if each.true.any()] or [np.nan])
    return [f"{f1:.3f}", f"{np.mean([each.bias for each in found]):+.3f}"]


if __name__ == "__main__":
    main()
