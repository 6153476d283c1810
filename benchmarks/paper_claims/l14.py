"""The page of L14."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common import table

from paper_claims.drawing import NO_NUMBERS, bar_chart, harvest_curves
from paper_claims.pages import crawlers, number, orders, ran_dry
from paper_claims.plan import STRATEGIES as OF_PAPERS
from paper_claims.plan import WEBS
from paper_claims.readings import context_rule
from paper_claims.verdicts import verdict_of_counts

if TYPE_CHECKING:
    from pathlib import Path

    from paper_claims.crawls import Crawls

TITLE = "L14: selectively using link-context"
INTRODUCTION = (
    "Liu, Peng and Zuo 2014. As printed ([preset `l14`](../method/presets.md)): anchor texts and contexts are relevant "
    "where the classifier of the paper's reference 19 says so (1-DNFII, iterated SVMs, votes by a particle swarm, "
    "TFIPNDF); links below are dropped; a link keeps what its first page says; contexts leave out the texts of other "
    "anchors. Not as printed: as for [P13](P13.md)."
)
STRATEGIES = OF_PAPERS["L14"]
_PREFIXES = {"l14": "as printed", "modern": "today's parts"}
_CLAIMS = [
    *((f"`slc` over `{other}`", "slc", other, "fig. 7, 8: better") for other in STRATEGIES[:-1]),
    ("`link_context` over `anchor_text`", "link_context", "anchor_text", "sect. 5.3: improves a lot"),
]
_COUNTS = {"by_anchor": "anchor text", "by_context": "link context"}
_FOUND = {"relevant_by_anchor": "anchor text", "relevant_by_context": "link context"}
"""Columns of the results: links that were admitted, and relevant pages behind them."""
_SELECTS_NOTHING = 0.95
"""From this share of the links on that its anchor text admits, `slc` hardly ever asks a context."""


def sections(crawls: Crawls, output: Path, figures: Path) -> list[str]:
    """Return the sections of the page."""
    return [
        "## Crawlers (fig. 7 and 8)",
        orders(crawls, _CLAIMS, "l14"),
        ran_dry(crawls, "L14"),
        harvest_curves(crawls, "l14-harvest", _PREFIXES, STRATEGIES, figures),
        harvest_curves(crawls, "l14-recall", _PREFIXES, STRATEGIES, figures, "target_recall"),
        NO_NUMBERS,
        crawlers(crawls, _PREFIXES, STRATEGIES),
        _counters(crawls, figures),
        context_rule(crawls),
    ]


def _counters(crawls: Crawls, figures: Path) -> str:
    rows: list[list[str]] = []
    bars: dict[str, dict[str, float]] = {}
    shares: dict[str, float] = {}
    for prefix, title in _PREFIXES.items():
        for web in WEBS:
            name = f"{prefix}-{web}"
            if not crawls.of(name).crawls:
                continue
            counts = [crawls.mean(name, "slc", column) for column in (*_COUNTS, *_FOUND)]
            rows.append([web, title, *(number(value, ".0f") for value in counts)])
            if prefix == "l14":
                bars |= {f"{web}, {topic}": of for topic, of in crawls.by_topic(name, "slc", _FOUND).items()}
                for topic, of in crawls.by_topic(name, "slc", _COUNTS).items():
                    if sum(of.values()):
                        shares[f"{web}, {topic}"] = of["anchor text"] / sum(of.values())
    return "\n\n".join([
        "## Anchor text or link context (fig. 9)",
        "L14 counts the links judged by anchor text alone and those that need the context, for each topic, and says that "
        "there are some of the first. Ours, `slc`, means over topics; the figure has each topic, as printed:",
        table(["web", "", "links by anchor text", "by context", "relevant pages by anchor text", "by context"], rows),
        bar_chart(
            "l14-counts", bars, figures, x_label="relevant pages of slc",
            alt="Relevant pages of slc by what admitted their links",
        ),
        _some_by_anchor_text(shares),
    ])  # fmt: skip


def _some_by_anchor_text(shares: dict[str, float]) -> str:
    """Return on how many topics anchor text alone admits some links, and on how many nearly all."""
    if not shares:
        return ""
    some, nearly_all = (
        [topic for topic, share in shares.items() if share > least] for least in (0.0, _SELECTS_NOTHING)
    )
    n = len(shares)
    verdict = verdict_of_counts(len(some), n)
    told = f"Anchor text alone admits some links on {len(some)} of {n} topics, as printed. Verdict: {verdict}."
    if nearly_all:
        told += (
            f" On {len(nearly_all)} it admits more than {_SELECTS_NOTHING:.0%} of them, so that `slc` selects nothing there: "
            f"{'; '.join(nearly_all)}."
        )
    return told
