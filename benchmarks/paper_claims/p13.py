"""The page of P13."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common import table

from paper_claims.drawing import NO_NUMBERS, harvest_curves, length_curves
from paper_claims.kernel_jobs import read_kernels
from paper_claims.kernel_tables import of_p13
from paper_claims.pages import crawlers, number, orders, ran_dry
from paper_claims.plan import STRATEGIES as OF_PAPERS
from paper_claims.plan import WEBS
from paper_claims.readings import context_rule

if TYPE_CHECKING:
    from pathlib import Path

    from paper_claims.crawls import Crawls

TITLE = "P13: focused crawling enhanced by CBP-SLC"
INTRODUCTION = (
    "Peng and Liu 2013. As printed ([preset `p13`](../method/presets.md)): pages, blocks, anchor texts and contexts "
    "are relevant "
    "where the weighted voting classifier on 1-DNFC's reliable negatives says so; links below are dropped; a link "
    "keeps what its "
    "first page says; contexts keep the texts of other anchors; blocks by the paper's tags. Not as printed: linear "
    "SVMs with "
    "balanced classes (D18; by LIBSVM's defaults every page is irrelevant, see below), features of most pages left out "
    "(D80), "
    "five seeds instead of 100, and human labels where the paper judges by its own classifier."
)
STRATEGIES = OF_PAPERS["P13"]
_PREFIXES = {"p13": "as printed", "modern": "today's parts"}
_CLAIMS = [
    ("`cbp_slc` over `cbp`", "cbp_slc", "cbp", "fig. 11, 12: better"),
    ("`cbp_slc` over `slc`", "cbp_slc", "slc", "fig. 11, 12: better"),
    ("`cbp_slc` over `link_context`", "cbp_slc", "link_context", "fig. 11, 12: better"),
    ("`cbp_slc` over `anchor_text`", "cbp_slc", "anchor_text", "fig. 11, 12: better"),
    ("`cbp_slc` over `best_first`", "cbp_slc", "best_first", "fig. 11, 12: better"),
    ("`cbp_slc` over `breadth_first`", "cbp_slc", "breadth_first", "fig. 11, 12: better"),
    ("`breadth_first` is the worst: under `best_first`", "best_first", "breadth_first", "fig. 11, 12: worst"),
]


def sections(crawls: Crawls, output: Path, figures: Path) -> list[str]:
    """Return the sections of the page."""
    return [
        "## Crawlers (fig. 11 and 12)",
        orders(crawls, _CLAIMS, "p13"),
        ran_dry(crawls, "P13"),
        harvest_curves(crawls, "p13-harvest", _PREFIXES, STRATEGIES, figures),
        harvest_curves(crawls, "p13-recall", _PREFIXES, STRATEGIES, figures, "target_recall"),
        NO_NUMBERS,
        crawlers(crawls, _PREFIXES, STRATEGIES),
        _target_length(crawls, figures),
        _evidence(crawls),
        context_rule(crawls),
        of_p13(read_kernels("P13", output)),
    ]


def _target_length(crawls: Crawls, figures: Path) -> str:
    rows, ranked = [], []
    for prefix, title in _PREFIXES.items():
        for web in WEBS:
            if not crawls.of(f"{prefix}-{web}").crawls:
                continue
            n_topics, found = crawls.lengths(f"{prefix}-{web}", list(STRATEGIES))
            rows.append([web, title, n_topics, *(number(found[strategy], ".2f") for strategy in STRATEGIES)])
            if n_topics:
                ranked.append(sorted(found, key=lambda strategy: found[strategy]))
    return "\n\n".join([
        "## Target length (eq. 10, fig. 13)",
        "P13: `breadth_first` is the least, `cbp_slc` the second, `best_first` the longest. Ours: links a relevant "
        "page, along the "
        "path by which each page was found first, after the same number of relevant pages (for each topic the greatest "
        "that all "
        "crawlers reached, at least five).",
        table(["web", "", "topics", *(f"`{strategy}`" for strategy in STRATEGIES)], rows),
        _length_verdict(ranked),
        length_curves(crawls, "p13-length", _PREFIXES, STRATEGIES, figures),
    ])  # fmt: skip


def _length_verdict(ranked: list[list[str]]) -> str:
    """Return how often the three crawlers that P13 names have the place that it says."""
    if not ranked:
        return ""
    places = {"breadth_first": (0, "the least"), "cbp_slc": (1, "the second"), "best_first": (-1, "the longest")}
    told = []
    for strategy, (place, words) in places.items():
        n = sum(order[place] == strategy for order in ranked)
        verdict = "repeats" if n == len(ranked) else "repeats in part" if 2 * n > len(ranked) else "does not repeat"
        told.append(f"`{strategy}` is {words} in {n} of {len(ranked)}: {verdict}")
    return f"{'; '.join(told)}."


def _evidence(crawls: Crawls) -> str:
    rows = []
    for prefix, title in _PREFIXES.items():
        for web in WEBS:
            name = f"{prefix}-{web}"
            if not crawls.of(name).crawls:
                continue
            row = [
                number(crawls.mean(name, "cbp_slc", f"relevant_by_{kind}"), ".0f")
                for kind in ("anchor", "context", "block")
            ]
            rows.append([web, title, *row, number(crawls.mean(name, "cbp_slc", "relevant_deferred"), ".0f")])
    return "\n\n".join([
        "## What found the relevant pages (fig. 14)",
        "P13: some relevant pages are found by their anchor text alone, most through blocks and contexts. Ours, "
        "relevant pages of "
        "`cbp_slc` by what admitted their links, means over topics:",
        table(["web", "", "anchor text", "link context", "block", "deferred links"], rows),
        _evidence_verdict(crawls),
    ])  # fmt: skip


def _evidence_verdict(crawls: Crawls) -> str:
    names = [f"p13-{web}" for web in WEBS if crawls.of(f"p13-{web}").crawls]
    shares = []
    for name in names:
        parts = [crawls.mean(name, "cbp_slc", f"relevant_by_{kind}") for kind in ("anchor", "context", "block")]
        shares.append(parts[2] / sum(parts) if sum(parts) > 0 else 0.0)
    if not shares:
        return ""
    most = "repeats" if min(shares) > 0.5 else "repeats in part" if max(shares) > 0.5 else "does not repeat"
    told = ", ".join(f"{name.removeprefix('p13-')} {share:.2f}" for name, share in zip(names, shares, strict=True))
    return f"Share through blocks, as printed: {told}. Verdict: {most}."
