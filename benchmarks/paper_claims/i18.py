"""The page of I18."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from common import table

from focused.utils.estimates import compare
from paper_claims.drawing import OF_PAPER, TODAY, beside_paper, harvest_curves
from paper_claims.pages import crawlers, orders
from paper_claims.plan import STRATEGIES as OF_PAPERS
from paper_claims.stages_file import read_stages
from paper_claims.verdicts import signed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from focused.utils.estimates import Estimate
    from paper_claims.crawls import Crawls

TITLE = "I18: adaptive focused crawling using online learning"
INTRODUCTION = (
    "Iliou et al. 2018. As printed ([preset `i18`](../method/presets.md)): 0.1 times the page's score and 0.9 times the "
    "link's, both of C-SVCs with a radial kernel, C = 1, gamma one over the number of terms, tf-idf; a link is followed "
    "above 0.5; in crawls alg. 2 retrains without a veto. Not as printed: both classes weigh the same, rows are not "
    "scaled to length 1, and of several anchors the best counts (D54); in alg. 2 every judged page counts (D66), and its "
    "page score is the calibrated relevance of a linear SVM; 50 characters on each side (D91)."
)
STRATEGIES = ("breadth_first", "best_first", *OF_PAPERS["I18"])
MODES = ("interactive", "automatic")
_PREFIXES = {"i18": "as printed", "modern": "today's parts"}
_SYSTEMS = {"printed": "as printed", "today": "today's parts"}
_IN_PAPER: dict[str, dict[int, tuple[float, float, float]]] = {
    "interactive": {80: (0.61, 1.00, 0.76), 90: (0.70, 1.00, 0.82), 100: (0.91, 0.95, 0.93)},
    "automatic": {80: (0.61, 1.00, 0.76), 90: (0.70, 0.94, 0.80), 100: (0.78, 0.95, 0.86)},
}
"""Precision, recall and F of tables 3 and 4, by the share of the pages that was learnt from."""


def sections(crawls: Crawls, output: Path, figures: Path) -> list[str]:
    """Return the sections of the page."""
    claims = [
        ("`hybrid` over `best_first`", "hybrid", "best_first", "not compared"),
        ("`hybrid` over `breadth_first`", "hybrid", "breadth_first", "not compared"),
    ]
    return [
        _stages(read_stages(output), figures),
        "## Crawls\n\nI18 has none. `hybrid`, its way to choose links, in crawls that retrain by alg. 2. I18 has no "
        "baseline: the other two are those of today's parts.",
        orders(crawls, claims, "i18", word="hold", baselines="modern"),
        harvest_curves(crawls, "i18-harvest", _PREFIXES, STRATEGIES, figures),
        crawlers(crawls, _PREFIXES, STRATEGIES),
    ]


def verdict_of_stages(rows: list[dict[str, Any]], mode: str, system: str = "printed") -> str:
    """Return whether F rises from the first stage to the last, as tables 3 and 4 say."""
    if not rows:
        return "not measured"
    gain = gain_of_stages(rows, mode, system)
    if gain.verdict == "tie" and gain.mean > 0:
        return "not decided"
    return "repeats" if gain.verdict == "better" else "does not repeat"


def _by_stage(rows: list[dict[str, Any]], mode: str, system: str) -> dict[int, dict[tuple[str, int], dict[str, Any]]]:
    own = [row for row in rows if (row["mode"], row["system"]) == (mode, system)]
    return {
        stage: {(row["topic"], row["seed"]): row for row in own if row["stage"] == stage} for stage in (80, 90, 100)
    }


def gain_of_stages(rows: list[dict[str, Any]], mode: str, system: str = "printed", key: str = "f") -> Estimate:
    """Return what a figure of the held-out pages gains from the first stage to the last, over draws paired by topic."""
    of = _by_stage(rows, mode, system)
    return compare(*({draw: row[key] for draw, row in of[stage].items()} for stage in (100, 80)))


def _stages(rows: list[dict[str, Any]], figures: Path) -> str:
    if not rows:
        return ""
    topics, draws = {row["topic"] for row in rows}, {(row["topic"], row["seed"]) for row in rows}
    lines, verdicts = [], []
    for mode in MODES:
        of = {system: _by_stage(rows, mode, system) for system in _SYSTEMS}
        for stage, printed in _IN_PAPER[mode].items():
            own = [list(found[stage].values()) for found in of.values()]
            lines.append([
                mode, f"{stage} %", f"{fmean(row['positives'] + row['others'] for row in own[0]):.0f}",
                *(" / ".join(f"{value:.2f}" for value in values) for values in (printed, *map(_means, own))),
            ])  # fmt: skip
        rise = _IN_PAPER[mode][100][2] - _IN_PAPER[mode][80][2]
        for system, title in _SYSTEMS.items():
            f, precision, recall = (gain_of_stages(rows, mode, system, key) for key in ("f", "precision", "recall"))
            verdicts.append(
                f"- {mode}, {title}: F changes by {signed(f)} from the first stage to the last (paper: {rise:+.2f}), "
                f"precision by {signed(precision)}, recall by {signed(recall)}. "
                f"Verdict: {verdict_of_stages(rows, mode, system)}."
            )
    return "\n\n".join([
        "## Tables 3 and 4",
        f"138 pages as in I18's table 1 (80 relevant, 58 others); {len(draws)} draws of {len(topics)} topics of "
        "HyperPhysics. The classifiers learn from 80, 90 and 100 % of them: interactive, all new pages join with their "
        "labels; automatic, those whose page score is at least 0.8 or at most 0.2. Judged are held-out pages, each by the "
        f"best of its links ({fmean(row['judged'] for row in rows):.0f} a draw, those that are linked to). *Today's "
        "parts*: the default learner, which judges pages and windows by one classifier, with its own threshold. Precision "
        "/ recall / F:",
        table(["mode", "stage", "pages learnt from", "I18", *_SYSTEMS.values()], lines),
        "\n".join(verdicts),
        _beside(rows, figures),
    ])  # fmt: skip


def _means(rows: Iterable[dict[str, Any]]) -> list[float]:
    """Return precision, recall and F, means over draws."""
    known = list(rows)
    return [fmean(row[key] for row in known) for key in ("precision", "recall", "f")]


def _beside(rows: list[dict[str, Any]], figures: Path) -> str:
    """Draw precision, recall and F after each stage, the paper's and ours."""
    panels = {}
    for mode in MODES:
        lines: dict[str, list[float]] = {}
        for at, key in enumerate(("precision", "recall", "f")):
            lines[f"{OF_PAPER}I18, {key}"] = [printed[at] for printed in _IN_PAPER[mode].values()]
            for system, ending in (("printed", ""), ("today", TODAY)):
                found = _by_stage(rows, mode, system).values()
                lines[f"ours, {key}{ending}"] = [_means(of.values())[at] for of in found]
        panels[mode] = [f"{stage} %" for stage in _IN_PAPER[mode]], lines
    return beside_paper(
        "i18-stages", panels, figures, y_label="precision, recall, F",
        alt="precision, recall and F by the share of the pages that was learnt from, the paper's and ours",
    )  # fmt: skip
