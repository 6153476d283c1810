"""The verdicts on all that papers compare without a crawl, a row for each claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common import table

from paper_claims.classifier_tables import claims_about_itfidf, claims_about_negatives
from paper_claims.cluster_tables import NOT_COMPARED, claims_about_classifiers, claims_about_clusters
from paper_claims.i18 import MODES, verdict_of_stages
from paper_claims.kernel_jobs import read_kernels
from paper_claims.kernel_tables import orders_of_p13, orders_of_p15
from paper_claims.stages_file import read_stages

if TYPE_CHECKING:
    from pathlib import Path

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
    """Return a row for each claim: what is compared, the figure, the preset, the page, and the verdict."""
    rows = [
        [claim, figure, f"`{paper.lower()}`", f"[{paper}]({PAGE_OF_CLASSIFIERS.get(paper, paper)}.md)", found.verdict]
        for figure, paper, claims_of in _CLASSIFIERS
        for claim, (told, found) in claims_of(output).items()
        if told != NOT_COMPARED
    ]
    for claim, by_kernel in orders_of_p13(read_kernels("P13", output)).items():
        told = "; ".join(f"{kernel}: {found.verdict}" for kernel, found in by_kernel.items())
        rows.append([claim, "P13, fig. 8, 9, table 1", "`p13`", "[P13](P13-classifiers.md)", told])
    for claim, by_kernel in orders_of_p15(read_kernels("P15", output)).items():
        told = "; ".join(f"{kernel}: {found.verdict}" for kernel, found in by_kernel.items())
        rows.append([claim, "P15, tables 1 to 4", "`p15`", "[P15](P15-classifiers.md)", told])
    stages = read_stages(output)
    for mode in MODES:
        system = f"page and link C-SVC, trained again: {mode}"
        verdict = verdict_of_stages(stages, mode) if stages else "of an earlier run, which its page keeps"
        rows.append([system, "I18, tables 3, 4", "`i18`", "[I18](I18.md)", verdict])
    return rows


def classifiers_of(paper: str, figures: str, output: Path) -> str:
    """Return the section of a paper's page that has the verdicts on its classifiers, and says where the numbers are."""
    own = [row for row in classifier_rows(output) if row[2] == f"`{paper.lower()}`"]
    if not own:
        return ""
    where = f"Numbers, figures and intervals: [{paper}, classifiers]({PAGE_OF_CLASSIFIERS[paper]}.md)."
    verdicts = table(["claim", "figure", "verdict"], [[row[0], row[1], row[-1]] for row in own])
    return "\n\n".join([f"## Classifiers ({figures})", where, verdicts])
