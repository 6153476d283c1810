"""The page of P15."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from common import table

from paper_claims.drawing import NO_NUMBERS, harvest_curves, sweep_curves
from paper_claims.kernel_jobs import read_kernels
from paper_claims.kernel_tables import of_p15
from paper_claims.link_texts import read_link_texts
from paper_claims.pages import crawlers, number, orders, ran_dry
from paper_claims.plan import LAMBDAS
from paper_claims.plan import STRATEGIES as OF_PAPERS
from paper_claims.verdicts import order, signed

if TYPE_CHECKING:
    from pathlib import Path

    from paper_claims.crawls import Crawls

TITLE = "P15: clustering-based crawling guided by an incremental classifier"
INTRODUCTION = (
    "Peng and Liu 2015. As printed ([preset `p15`](../method/presets.md)): links are relevant where the incremental "
    "SVM says so, "
    "those below are dropped, a link keeps what its first page says; contexts keep the texts of other anchors and are "
    "inserted "
    "into CFu-trees while the crawl goes on; after every 14 fetched links the SVM goes on with alg. 1 on what they led "
    "to (the "
    "paper names no number). Not as printed: linear SVMs whose classes weigh the same (D18), a sigmoid from decisions "
    "to scores "
    "(D53)."
)
STRATEGIES = OF_PAPERS["P15"]
_PREFIXES = {"p15": "as printed", "modern": "today's parts"}
_CLAIMS = [
    *((f"`incremental` over `{other}`", "incremental", other, "fig. 8, 9: better") for other in STRATEGIES[:-1]),
    ("`clustering` over `link_context`", "clustering", "link_context", "fig. 8, 9"),
    ("`link_context` over `anchor_text`", "link_context", "anchor_text", "fig. 8, 9: better"),
    ("`anchor_text` over `best_first`", "anchor_text", "best_first", "fig. 8, 9: better"),
]
_KINDS = {
    "alone": "no clusters, no learning",
    "afresh": "clusters of each page (default)",
    "learning-alone": "no clusters, learning",
    "learning": "clusters of all pages, learning (P15)",
}
_NOTHING = 0.002
_WEBS = ("hyperphysics", "sites", "wiki")


def sections(crawls: Crawls, output: Path, figures: Path) -> list[str]:
    """Return the sections of the page."""
    return [
        "## Crawlers (fig. 8 and 9)",
        orders(crawls, _CLAIMS, "p15"),
        ran_dry(crawls, "P15"),
        harvest_curves(crawls, "p15-harvest", _PREFIXES, STRATEGIES, figures),
        NO_NUMBERS,
        crawlers(crawls, _PREFIXES, STRATEGIES),
        _incremental(crawls),
        _lambdas(crawls, figures),
        _why(read_link_texts(output)),
        of_p15(read_kernels("P15", output), figures),
        "## Clusters by themselves (fig. 6)\n\n"
        "See [papers: incremental SVM and clusters](../results/papers-incremental-svm-and-clusters.md). The paper's "
        "cluster "
        "F-measure is given for one cluster (eq. 7 to 10); ours is its mean over clusters, weighted by size (D84).",
    ]


def _incremental(crawls: Crawls) -> str:
    webs = [web for web in _WEBS if crawls.of(f"incremental-learning-{web}").crawls]
    if not webs:
        return ""
    base = {web: crawls.values(f"incremental-alone-{web}", "incremental") for web in webs}
    rows = []
    for kind, title in _KINDS.items():
        of = {web: crawls.values(f"incremental-{kind}-{web}", "incremental") for web in webs}
        means = [number(crawls.mean(f"incremental-{kind}-{web}", "incremental")) for web in webs]
        rows.append([title, *means, "-" if kind == "alone" else signed(order(of, base).on_all)])
    return "\n\n".join([
        "## What being incremental is worth (sect. 6.2, alg. 1)",
        "Share of the bound of `incremental`, links below the threshold deferred, evidence merged:",
        table(["", *webs, "against no clusters, no learning"], rows),
    ])  # fmt: skip


def _lambdas(crawls: Crawls, figures: Path) -> str:
    parts = []
    for web in ("hyperphysics", "sites"):
        names = [f"lambda-{value}-{web}" for value in LAMBDAS]
        if not all(crawls.of(name).crawls for name in names):
            continue
        columns = {"harvest rate": "harvest_rate", "target recall": "target_recall", "F": "f_measure"}
        found = {
            title: [crawls.mean(name, "clustering", column) for name in names] for title, column in columns.items()
        }
        best = LAMBDAS[max(range(len(LAMBDAS)), key=lambda n: found["F"][n])]
        spread = max(found["F"]) - min(found["F"])
        rows = [[title, *(number(value) for value in values)] for title, values in found.items()]
        drawn = sweep_curves(
            f"p15-lambda-{web}",
            [float(value) for value in LAMBDAS],
            found,
            figures,
            x_label="lambda",
            y_label=f"clustering on {web}",
        )
        verdict = "repeats" if best == "3" and spread > 0.01 else "does not repeat"
        parts += [
            f"{web}:", table(["", *(f"lambda = {value}" for value in LAMBDAS)], rows), drawn,
            f"F is highest at {best}, and differs by {spread:.3f} between the best and the worst. Verdict: {verdict}."
            if spread > _NOTHING
            else "Lambda changes nothing here. Verdict: does not repeat.",
        ]  # fmt: skip
    if not parts:
        return ""
    told = (
        "P15: with lambda from 0.2 to 6, harvest falls, recall rises slowly, and F is highest at about 3. At one "
        "budget of pages "
        "harvest and recall rise and fall together, so only F can tell. `clustering`, links deferred:"
    )
    return "\n\n".join(["## Lambda (fig. 5)", told, *parts])


def _why(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return ""
    kinds = dict.fromkeys(("page", "context", "cosine", "clusters"), ".3f") | {"alone": ".2f", "wordless": ".2f"}
    lines = [
        [row["topic"], row["web"], f"{row['links']:,}", *(f"{row[kind]:{form}}" for kind, form in kinds.items())]
        for row in rows
    ]
    loss = [fmean(row[name] for row in rows) for name in ("context", "cosine", "clusters")]
    return "\n\n".join([
        "## Why `clustering` finds little",
        "Links of 400 pages drawn from each web, and how well they are ranked by what they lead to (average precision, "
        "human "
        "labels): by the relevance of their page, the calibrated relevance of their context, the cosine of their "
        "context with the "
        "mean of the positives, and that of the cluster they fall into (lambda = 3). *Alone*: share of links whose "
        "context is in no "
        "cluster of several contexts. *Without words*: share whose context holds no term of the topic's vocabulary.",
        table(["topic", "web", "links", "page", "context", "cosine", "cluster's cosine", "alone", "without words"], lines),
        "Three things come together. But for the wiki, contexts say less of a link than its page does. The cosine with "
        "the "
        f"mean page says less than the classifier ({loss[0]:.3f} and {loss[1]:.3f} in the mean): this is what "
        f"`clustering` "
        f"loses. And clusters change little ({loss[1]:.3f} and {loss[2]:.3f}): most contexts of a page share too few "
        f"words to "
        "be merged (a cosine of 0.53 is needed), so they are judged alone. Where contexts have few words, on the web "
        "of many "
        "small sites, clusters help.",
    ])  # fmt: skip
