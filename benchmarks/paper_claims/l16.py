"""The page of L16."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common import table

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
    "Lu et al. 2016. As printed ([preset `l16`](../method/presets.md)): cosine similarity with the mean of the "
    "positives, links "
    "below the threshold are dropped; pages are judged by naive Bayes with ITFIDF, words of headlines, keywords and "
    "links counting "
    "more. The paper gives neither the weights of the sections (ours: 4, 3, 2, 1) nor the share of terms that is kept "
    "(ours: "
    "half). With the printed threshold of 0.5 almost nothing is crawled, so the preset has 0.1 (D81); both are shown."
)
STRATEGIES = OF_PAPERS["L16"]
_PREFIXES = {"l16-0.5": "threshold 0.5", "l16": "threshold 0.1", "modern": "today's parts"}
_IN_PAPER = {
    "breadth_first": (0.16, 0.10), "best_first": (0.28, 0.15), "anchor_text": (0.39, 0.19), "link_context": (0.48, 0.21),
    "cbp": (0.61, 0.27), "lpe": (0.80, 0.33),
}  # fmt: skip
_CLAIMS = [
    (f"`{better}` over `{worse}`", better, worse, f"{_IN_PAPER[better][0]:.2f} / {_IN_PAPER[worse][0]:.2f}")
    for better, worse in [("lpe", "cbp"), ("cbp", "link_context"), ("link_context", "anchor_text"),
                          ("anchor_text", "best_first"), ("best_first", "breadth_first"), ("lpe", "best_first")]
]  # fmt: skip


def sections(crawls: Crawls, output: Path, figures: Path) -> list[str]:
    """Return the sections of the page."""
    return [
        "## Crawlers (fig. 3 and 4)",
        _printed(crawls),
        "With the threshold 0.1:",
        orders(crawls, _CLAIMS, "l16"),
        ran_dry(crawls, "L16"),
        harvest_curves(crawls, "l16-harvest", {"l16": "threshold 0.1", "modern": "today's parts"}, STRATEGIES, figures),
        crawlers(crawls, _PREFIXES, STRATEGIES),
        _recalls(crawls),
        _beside(crawls, figures),
        _thresholds(crawls, figures),
        "## Page classifier (fig. 2)\n\n"
        "ITFIDF against TFIDF on four corpora: [papers: negatives and "
        "weights](../results/papers-negatives-and-weights.md).",
    ]


def _printed(crawls: Crawls) -> str:
    """Return what the printed threshold leaves of the orders."""
    verdicts = []
    for baseline in ("best_first", "breadth_first"):
        webs = {web: crawls.values(f"l16-0.5-{web}", "lpe") for web in WEBS}
        others = {web: crawls.values(f"l16-{web}", baseline) for web in WEBS}
        found = order(webs, others)
        if found.on_web:
            verdicts.append(f"`lpe` over `{baseline}` {signed(found.on_all)}, {found.verdict}")
    if not verdicts:
        return ""
    return f"With the printed threshold 0.5, share: {'; '.join(verdicts)}. What does not ask for the threshold is as with 0.1."


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
    webs = [web for web in ("hyperphysics", "sites") if crawls.of(f"lpe-drop-0.1-{web}").crawls]
    if not webs:
        return ""
    rows, lines = [], {}
    for web in webs:
        for below in ("drop", "defer"):
            cells = []
            for threshold in THRESHOLDS:
                name = f"lpe-{below}-{threshold}-{web}"
                share, pages = crawls.mean(name, "lpe"), crawls.mean(name, "lpe", "pages")
                cells.append("-" if share != share else f"{share:.3f} ({pages:.0f})")
            rows.append([web, below, *cells])
        lines[f"{web}, dropping"] = [crawls.mean(f"lpe-drop-{threshold}-{web}", "lpe") for threshold in THRESHOLDS]
    return "\n\n".join([
        "## The threshold of LPE",
        "Share of the bound (pages fetched) of `lpe` by cosine threshold; pages are judged by today's classifier, the "
        "first page's "
        "word counts:",
        table(["web", "links below", *THRESHOLDS], rows),
        sweep_curves(
            "l16-threshold", [float(value) for value in THRESHOLDS], lines, figures, x_label="cosine threshold",
            y_label="share of the bound",
        ),
        "With the printed threshold 0.5 and dropping, LPE finds next to nothing: a text of a few words never comes "
        "that near to the "
        "mean of whole pages. It works on HyperPhysics at 0.05 to 0.1. On a web of many small sites it ends within a "
        "few pages at "
        "any threshold: dropping is what ends it. The paper's 0.5 must belong to another similarity than its eq. 13, "
        "or to other "
        "vectors. Verdict: does not repeat as printed.",
    ])  # fmt: skip
