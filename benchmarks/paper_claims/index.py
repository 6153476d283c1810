"""The table of all systems of the papers: the page of each, and what it found."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from common import table

from paper_claims.crawls import Crawls
from paper_claims.pages import number
from paper_claims.plan import PAPERS, WEBS

if TYPE_CHECKING:
    from pathlib import Path

_OWN = {"P13": "cbp_slc", "L14": "slc", "L16": "lpe", "P15": "incremental", "I18": "hybrid"}
_PREFIX = {paper: paper.lower() for paper in PAPERS} | {"L16": "l16-0.1"}
_NEGATIVES = "[papers: negatives and weights](../results/papers-negatives-and-weights.md)"
_INCREMENTAL = "[papers: incremental SVM and clusters](../results/papers-incremental-svm-and-clusters.md)"
_CLASSIFIERS = [
    ("1-DNF, 1-DNFC", "P13", "fig. 6, 7", _NEGATIVES),
    (
        "WVC, PEBL, OCS; TFIPNDF against TFIDF",
        "P13",
        "fig. 8, 9, table 1",
        f"{_NEGATIVES}, [learners](../results/learners.md)",
    ),
    ("naive Bayes with ITFIDF against TFIDF", "L16", "fig. 2", _NEGATIVES),
    (
        "incremental SVM, PSOC, SVM",
        "P15",
        "tables 1 to 4, fig. 7",
        f"{_INCREMENTAL}, [learners](../results/learners.md)",
    ),
    ("CFu-tree, HAC, K-means", "P15", "fig. 6", _INCREMENTAL),
    ("page and link C-SVC, retrained", "I18", "tables 3, 4", "[I18](I18.md)"),
]


def write_index(output: Path, docs: Path, about: str) -> Path:
    """Write the table of all systems; return its path."""
    crawls, rows = Crawls(output), []
    for paper in PAPERS:
        module = importlib.import_module(f"paper_claims.{paper.lower()}")
        for strategy in module.STRATEGIES:
            found = [
                " / ".join(number(crawls.mean(f"{prefix}-{web}", strategy)) for prefix in (_PREFIX[paper], "modern"))
                for web in WEBS
            ]
            name = f"**`{strategy}`**" if strategy == _OWN[paper] else f"`{strategy}`"
            rows.append([name, f"[{paper}]({paper}.md)", *found])
    text = "\n\n".join([
        "# The papers, as printed",
        "One page for each paper: each claim, what it says, what came out, and a verdict. Written by `python "
        "benchmarks/papers.py`. "
        f"{about}",
        "## Crawlers",
        "Share of the bound as printed / with today's parts, means over topics; a dash: not measured, its page says "
        "why where it was "
        "tried. L16 as printed is shown with the threshold 0.1, because with 0.5 it finds nothing. The paper's own "
        "crawler is in bold "
        "type.",
        table(["crawler", "paper", *(f"{web} ({kind})" for web, kind in WEBS.items())], rows),
        "## Classifiers and clusters",
        table(["system", "paper", "figures", "compared in"], _CLASSIFIERS),
    ])  # fmt: skip
    path = docs / "README.md"
    path.write_text(text + "\n", encoding="utf-8")
    return path
