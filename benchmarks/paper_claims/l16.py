"""The page of L16."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from common import table

from paper_claims.classifier_tables import about_itfidf
from paper_claims.drawing import OF_PAPER, TODAY, beside_paper, harvest_curves, sweep_curves
from paper_claims.pages import crawlers, number, orders, ran_dry
from paper_claims.plan import STRATEGIES as OF_PAPERS
from paper_claims.plan import THRESHOLDS, WEBS
from paper_claims.verdicts import order, signed

if TYPE_CHECKING:
    from pathlib import Path

    from paper_claims.crawls import Crawls

TITLE = "L16: web page classification and link priority evaluation"
INTRODUCTION = (
    "Lu et al. 2016. As printed ([preset `l16`](../method/presets.md)): cosine similarity with the mean of the positives, "
    "links below the threshold are dropped; pages are judged by naive Bayes with ITFIDF, words of headlines, keywords and "
    "links counting more. The paper gives neither the weights of the sections (ours: 4, 3, 2, 1) nor the share of terms "
    "that is kept (ours: half). With the printed threshold of 0.5 almost nothing is crawled, so the preset has 0.1 (D81); "
    "both are shown."
)
STRATEGIES = OF_PAPERS["L16"]
_PREFIXES = {"l16-0.5": "threshold 0.5", "l16": "threshold 0.1", "modern": "today's parts"}
_DRAWN = {prefix: title for prefix, title in _PREFIXES.items() if prefix != "l16-0.5"}
_IN_PAPER = {
    "breadth_first": (0.16, 0.10), "best_first": (0.28, 0.15), "anchor_text": (0.39, 0.19), "link_context": (0.48, 0.21),
    "cbp": (0.61, 0.27), "lpe": (0.80, 0.33),
}  # fmt: skip
_CLAIMS = [
    (f"`{better}` over `{worse}`", better, worse, f"{_IN_PAPER[better][0]:.2f} / {_IN_PAPER[worse][0]:.2f}")
    for better, worse in [("lpe", "cbp"), ("cbp", "link_context"), ("link_context", "anchor_text"),
                          ("anchor_text", "best_first"), ("best_first", "breadth_first"), ("lpe", "link_context"),
                          ("lpe", "anchor_text"), ("lpe", "best_first"), ("lpe", "breadth_first")]
]  # fmt: skip


def sections(crawls: Crawls, output: Path, figures: Path) -> list[str]:
    """Return the sections of the page."""
    return [
        "## Crawlers (fig. 3 and 4)",
        _printed(crawls),
        "With the threshold 0.1:",
        orders(crawls, _CLAIMS, "l16", share="share, threshold 0.1"),
        ran_dry(crawls, "L16"),
        harvest_curves(crawls, "l16-harvest", _DRAWN, STRATEGIES, figures),
        harvest_curves(crawls, "l16-recall", _DRAWN, STRATEGIES, figures, "target_recall"),
        crawlers(crawls, _PREFIXES, STRATEGIES),
        _recalls(crawls),
        _beside(crawls, figures),
        _thresholds(crawls, figures),
        about_itfidf(output, figures),
    ]


def _printed(crawls: Crawls) -> str:
    """Return what the printed threshold leaves of the orders."""
    verdicts = []
    for baseline in STRATEGIES[:-1]:
        webs = {web: crawls.values(f"l16-0.5-{web}", "lpe") for web in WEBS}
        prefix = "l16" if baseline in ("best_first", "breadth_first") else "l16-0.5"
        others = {web: crawls.values(f"{prefix}-{web}", baseline) for web in WEBS}
        found = order(webs, others)
        if found.on_web:
            verdicts.append(f"`lpe` over `{baseline}` {signed(found.on_all)}, {found.verdict}")
    if not verdicts:
        return ""
    return f"With the printed threshold 0.5, share: {'; '.join(verdicts)}. `best_first` and `breadth_first` use no threshold."


def _recalls(crawls: Crawls) -> str:
    rows = []
    for strategy, (harvest, recall) in _IN_PAPER.items():
        ours = [
            f"{number(crawls.mean(f'l16-{web}', strategy, 'harvest_rate'))} / "
            f"{number(crawls.mean(f'l16-{web}', strategy, 'target_recall'))}"
            for web in WEBS
        ]
        rows.append([f"`{strategy}`", f"{harvest:.2f} / {recall:.2f}", *ours])
    return "\n\n".join([
        "Harvest rate and target recall at the end: the paper after 10,000 pages, ours with the threshold 0.1:",
        table(["crawler", "L16", *WEBS], rows),
        "Recalls depend on how many pages there are to be found and on the budget; only their order can be compared.",
    ])  # fmt: skip


def _beside(crawls: Crawls, figures: Path) -> str:
    """Draw the paper's harvest rates and recalls and ours, crawler by crawler, in the paper's order."""
    panels = {}
    for at, (title, column) in enumerate({"harvest rate": "harvest_rate", "target recall": "target_recall"}.items()):
        lines = {f"{OF_PAPER}L16, 10,000 pages": [of[at] for of in _IN_PAPER.values()]}
        for prefix, ending in {"l16": "", "modern": TODAY}.items():
            for web in WEBS:
                values = [crawls.mean(f"{prefix}-{web}", strategy, column) for strategy in _IN_PAPER]
                lines |= {f"{web}{ending}": values} if any(value == value for value in values) else {}
        panels[title] = tuple(_IN_PAPER), lines
    return beside_paper(
        "l16-paper", panels, figures, y_label="at the end of the crawl",
        alt="harvest rate and target recall of each crawler: the paper's, ours with the threshold 0.1, and today's parts",
    )  # fmt: skip


def _thresholds(crawls: Crawls, figures: Path) -> str:
    """Return `lpe` by threshold: as printed on the kinds of webs, and with today's judge of pages, dropping or deferring."""
    evaluations = {
        (web, "as printed", "drop"): {
            value: f"l16-{web}" if value == "0.1" else f"l16-{value}-{web}" for value in THRESHOLDS
        }
        for web in WEBS
    } | {
        (web, "today's judge", below): {value: f"lpe-{below}-{value}-{web}" for value in THRESHOLDS}
        for web in ("hyperphysics", "sites")
        for below in ("drop", "defer")
    }
    rows, lines = [], {}
    for (web, how, below), names in evaluations.items():
        shares = [crawls.mean(name, "lpe") for name in names.values()]
        pages = [crawls.mean(name, "lpe", "pages") for name in names.values()]
        if all(map(math.isnan, shares)):
            continue
        cells = ("-" if math.isnan(share) else f"{share:.3f} ({n:.0f})" for share, n in zip(shares, pages, strict=True))
        rows.append([web, how, below, *cells])
        if below == "drop":
            lines[f"{web}, {how}"] = shares
    if not rows:
        return ""
    return "\n\n".join([
        "## The threshold of LPE",
        "Share of the bound (pages fetched) of `lpe` by cosine threshold. *As printed*: the preset with other thresholds, "
        "all topics. *Today's judge*: pages are judged by today's classifier, two topics, one repeat.",
        table(["web", "", "links below", *THRESHOLDS], rows),
        sweep_curves(
            "l16-threshold", [float(value) for value in THRESHOLDS], lines, figures, x_label="cosine threshold",
            y_label="share of the bound",
        ),
        "With the printed threshold 0.5 and dropping, LPE finds next to nothing: a text of a few words never comes that "
        "near to the mean of whole pages. It works at 0.05 to 0.1, on the demo web up to 0.3. On a web of many small "
        "sites it ends within a few pages at any threshold: dropping is what ends it. The paper's 0.5 may belong to "
        "another similarity than its eq. 13, or to other vectors.",
        _threshold_verdict(crawls),
    ])  # fmt: skip


def _threshold_verdict(crawls: Crawls) -> str:
    """Return whether the printed threshold does as well as that of the preset."""
    printed, ours = ({web: crawls.values(f"{name}-{web}", "lpe") for web in WEBS} for name in ("l16-0.5", "l16"))
    found = order(ours, printed)
    if not found.on_web:
        return ""
    verdict = "does not repeat as printed" if found.on_all.verdict == "better" else "repeats as printed"
    return f"At 0.1 the share is higher than at 0.5 by {signed(found.on_all)}. Verdict: {verdict}."
