"""The page of L14."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common import table

from paper_claims.drawing import NO_NUMBERS, bar_chart, harvest_curves
from paper_claims.pages import crawlers, number, orders, ran_dry
from paper_claims.plan import STRATEGIES as OF_PAPERS
from paper_claims.plan import WEBS
from paper_claims.readings import context_rule
from paper_claims.verdicts import joined

if TYPE_CHECKING:
    from pathlib import Path

    from paper_claims.crawls import Crawls

TITLE = "L14: selectively using link-context"
INTRODUCTION = (
    "Liu, Peng and Zuo 2014. As printed ([preset `l14`](../method/presets.md)): anchor texts and contexts are relevant "
    "where the "
    "classifier of the paper's reference 19 says so (1-DNFII, iterated SVMs, votes by a particle swarm, TFIPNDF); "
    "links below are "
    "dropped; a link keeps what its first page says; contexts leave out the texts of other anchors. Not as printed: as "
    "for "
    "[P13](P13.md)."
)
STRATEGIES = OF_PAPERS["L14"]
_PREFIXES = {"l14": "as printed", "modern": "today's parts"}
_CLAIMS = [(f"`slc` over `{other}`", "slc", other, "fig. 7, 8: better") for other in STRATEGIES[:-1]]


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
    shares: dict[str, float] = {}
    bars: dict[str, dict[str, float]] = {}
    for prefix, title in _PREFIXES.items():
        for web in WEBS:
            name = f"{prefix}-{web}"
            if not crawls.of(name).crawls:
                continue
            anchor, context = (crawls.mean(name, "slc", f"by_{kind}") for kind in ("anchor", "context"))
            found = [crawls.mean(name, "slc", f"relevant_by_{kind}") for kind in ("anchor", "context")]
            rows.append([web, title, *(number(value, ".0f") for value in (anchor, context, *found))])
            bars[f"{web}, {title}"] = {"anchor text": found[0], "link context": found[1]}
            if prefix == "l14" and anchor + context > 0:
                shares[web] = anchor / (anchor + context)
    verdict = ""
    if shares:
        without = [web for web, share in shares.items() if not share]
        word = (
            "repeats"
            if not without
            else "repeats in part: not on " + joined(without)
            if len(without) < len(shares)
            else ("does not repeat")
        )
        told = ", ".join(f"{web} {share:.2f}" for web, share in shares.items())
        verdict = f"Share admitted by anchor text alone, as printed: {told}. Verdict: {word}."
    return "\n\n".join([
        "## Anchor text or link context (fig. 9)",
        "L14 counts the links judged by anchor text alone and those that need the context, and says that there are "
        "some of the "
        "first. Ours, `slc`, means over topics:",
        table(["web", "", "links by anchor text", "by context", "relevant pages by anchor text", "by context"], rows),
        bar_chart(
            "l14-counts", bars, figures, x_label="relevant pages of slc",
            alt="Relevant pages of slc by what admitted their links",
        ),
        verdict,
    ])  # fmt: skip
