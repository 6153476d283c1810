"""The page of I18."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from common import table

from focused.utils.estimates import compare
from paper_claims.drawing import OF_PAPER, beside_paper, harvest_curves
from paper_claims.pages import crawlers, orders
from paper_claims.plan import STRATEGIES as OF_PAPERS
from paper_claims.stages_file import read_stages
from paper_claims.verdicts import signed

if TYPE_CHECKING:
    from pathlib import Path

    from focused.utils.estimates import Estimate
    from paper_claims.crawls import Crawls

TITLE = "I18: adaptive focused crawling using online learning"
INTRODUCTION = (
    "Iliou et al. 2018. As printed ([preset `i18`](../method/presets.md)): 0.1 times the page's score and 0.9 times "
    "the link's, "
    "both of C-SVCs with a radial kernel, C = 1, gamma one over the number of terms, tf-idf; a link is followed above "
    "0.5; in "
    "crawls alg. 2 retrains without a veto. Not as printed: both classes weigh the same (D54)."
)
STRATEGIES = ("breadth_first", "best_first", *OF_PAPERS["I18"])
MODES = ("interactive", "automatic")
_PREFIXES = {"i18": "as printed", "modern": "today's parts"}
_IN_PAPER = {
    ("interactive", 80): (0.61, 1.00, 0.76), ("interactive", 90): (0.70, 1.00, 0.82), ("interactive", 100): (0.91, 0.95, 0.93),
    ("automatic", 80): (0.61, 1.00, 0.76), ("automatic", 90): (0.70, 0.94, 0.80), ("automatic", 100): (0.78, 0.95, 0.86),
}  # fmt: skip


def sections(crawls: Crawls, output: Path, figures: Path) -> list[str]:
    """Return the sections of the page."""
    claims = [
        ("`hybrid` over `best_first`", "hybrid", "best_first", "not compared"),
        ("`hybrid` over `breadth_first`", "hybrid", "breadth_first", "not compared"),
    ]
    return [
        _stages(read_stages(output), figures),
        "## Crawls\n\nI18 has none. `hybrid`, its way to choose links, in crawls that retrain by alg. 2. I18 has no "
        "baseline: the other "
        "two are those of today's parts.",
        orders(crawls, claims, "i18", word="hold", baselines="modern"),
        harvest_curves(crawls, "i18-harvest", _PREFIXES, STRATEGIES, figures),
        crawlers(crawls, _PREFIXES, STRATEGIES),
    ]


def verdict_of_stages(rows: list[dict[str, Any]], mode: str) -> str:
    """Return whether F rises from the first stage to the last, as tables 3 and 4 say."""
    if not rows:
        return "not measured"
    gain = _gain(rows, mode, "f")
    if gain.verdict == "tie" and gain.mean > 0:
        return "not decided"
    return "repeats" if gain.verdict == "better" else "does not repeat"


def _by_stage(rows: list[dict[str, Any]], mode: str) -> dict[int, dict[tuple[str, int], dict[str, Any]]]:
    return {
        stage: {(row["topic"], row["seed"]): row for row in rows if (row["mode"], row["stage"]) == (mode, stage)}
        for stage in (80, 90, 100)
    }


def _gain(rows: list[dict[str, Any]], mode: str, key: str) -> Estimate:
    of = _by_stage(rows, mode)
    return compare(*({draw: row[key] for draw, row in of[stage].items()} for stage in (100, 80)))


def _stages(rows: list[dict[str, Any]], figures: Path) -> str:
    if not rows:
        return ""
    draws = {(row["topic"], row["seed"]) for row in rows}
    lines, verdicts = [], []
    for mode in MODES:
        for stage, found in _by_stage(rows, mode).items():
            means = [fmean(row[key] for row in found.values()) for key in ("precision", "recall", "f")]
            joined = fmean(row["positives"] + row["others"] for row in found.values())
            in_paper = " / ".join(f"{value:.2f}" for value in _IN_PAPER[mode, stage])
            lines.append([mode, f"{stage} %", f"{joined:.0f}", in_paper, " / ".join(f"{value:.2f}" for value in means)])
        f, precision, recall = (_gain(rows, mode, key) for key in ("f", "precision", "recall"))
        printed = _IN_PAPER[mode, 100][2] - _IN_PAPER[mode, 80][2]
        verdicts.append(
            f"- {mode}: F changes by {signed(f)} from the first stage to the last (paper: {printed:+.2f}), precision "
            f"by "
            f"{signed(precision)}, recall by {signed(recall)}. Verdict: {verdict_of_stages(rows, mode)}."
        )
    return "\n\n".join([
        "## Tables 3 and 4",
        f"138 pages as in I18's table 1 (80 relevant, 58 others); {len(draws)} draws, one for each topic of "
        f"HyperPhysics and seed. The "
        "classifiers learn from 80, 90 and 100 % of them: interactive, all new pages join with their labels; "
        "automatic, those whose "
        "page score is at least 0.8 or at most 0.2. Judged are held-out pages, each by the best of its links. "
        "Precision / recall / F:",
        table(["mode", "stage", "pages learnt from", "I18", "ours"], lines),
        "\n".join(verdicts),
        _beside(rows, figures),
    ])  # fmt: skip


def _beside(rows: list[dict[str, Any]], figures: Path) -> str:
    """Draw precision, recall and F after each stage, the paper's and ours."""
    panels = {}
    for mode in MODES:
        lines, of = {}, _by_stage(rows, mode)
        for at, key in enumerate(("precision", "recall", "f")):
            lines[f"{OF_PAPER}I18, {key}"] = [_IN_PAPER[mode, stage][at] for stage in of]
            lines[f"ours, {key}"] = [fmean(row[key] for row in found.values()) for found in of.values()]
        panels[mode] = [f"{stage} %" for stage in of], lines
    return beside_paper(
        "i18-stages", panels, figures, y_label="held-out pages",
        alt="precision, recall and F by the share of the pages that was learnt from, the paper's and ours",
    )  # fmt: skip
