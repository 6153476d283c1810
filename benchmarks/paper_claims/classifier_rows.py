"""The verdicts on all that papers compare without a crawl, a row for each claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common import table

from paper_claims.classifier_tables import claims_about_itfidf, claims_about_negatives
from paper_claims.cluster_tables import NOT_COMPARED, claims_about_classifiers, claims_about_clusters
from paper_claims.i18 import MODES, gain_of_stages, verdict_of_stages
from paper_claims.kernel_jobs import read_kernels
from paper_claims.kernel_p13 import orders_of_p13
from paper_claims.kernel_p15 import orders_of_p15
from paper_claims.stages_file import read_stages
from paper_claims.verdicts import signed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from paper_claims.verdicts import Order

PAGE_OF_CLASSIFIERS = {"P13": "P13-classifiers", "P15": "P15-classifiers"}
"""Papers whose classifiers have a page of their own: with them the paper's page would be longer than anybody reads."""
_CLASSIFIERS = (
    ("P13, fig. 6, 7", "P13", claims_about_negatives),
    ("L16, fig. 2", "L16", claims_about_itfidf),
    ("P15, fig. 7", "P15", claims_about_classifiers),
    ("P15, fig. 6", "P15", claims_about_clusters),
)
"""Comparisons without a crawl: figure, paper, and its claims."""


def classifier_rows(output: Path) -> list[list[str]]:
    """Return a row for each claim: what is compared, figure, preset, page, the paired difference, and the verdict."""
    rows = [
        [claim, *_where(paper, figure), signed(found.on_all), found.verdict]
        for figure, paper, claims_of in _CLASSIFIERS
        for claim, (told, found) in claims_of(output).items()
        if told != NOT_COMPARED
    ]
    for claim, by_kernel in orders_of_p13(read_kernels("P13", output)).items():
        rows.append([claim, *_where("P13", "P13, fig. 8, 9, table 1"), *_by_kernel(by_kernel)])
    for claim, by_kernel in orders_of_p15(read_kernels("P15", output)).items():
        rows.append([claim, *_where("P15", "P15, tables 1 to 4"), *_by_kernel(by_kernel)])
    stages = read_stages(output)
    for mode in MODES:
        system = f"page and link C-SVC, trained again: {mode}"
        gain = signed(gain_of_stages(stages, mode)) if stages else "-"
        verdict = verdict_of_stages(stages, mode) if stages else "of an earlier run, which its page keeps"
        rows.append([system, *_where("I18", "I18, tables 3, 4"), gain, verdict])
    return rows


def _where(paper: str, figure: str) -> list[str]:
    """Return the figure, the preset and the page of a claim."""
    return [figure, f"`{paper.lower()}`", f"[{paper}]({PAGE_OF_CLASSIFIERS.get(paper, paper)}.md)"]


def _by_kernel(found: Mapping[str, Order]) -> list[str]:
    """Return the differences of a claim by kernel, and its verdicts."""
    differences = "; ".join(f"{kernel}: {signed(one.on_all)}" for kernel, one in found.items())
    return [differences, "; ".join(f"{kernel}: {one.verdict}" for kernel, one in found.items())]


def classifiers_of(paper: str, figures: str, output: Path) -> str:
    """Return the section of a paper's page that has the verdicts on its classifiers, and says where the numbers are."""
    own = [row for row in classifier_rows(output) if row[2] == f"`{paper.lower()}`"]
    if not own:
        return ""
    where = f"Numbers, figures and intervals: [{paper}, classifiers]({PAGE_OF_CLASSIFIERS[paper]}.md)."
    verdicts = table(["claim", "figure", "verdict"], [[row[0], row[1], row[-1]] for row in own])
    return "\n\n".join([f"## Classifiers ({figures})", where, verdicts])
