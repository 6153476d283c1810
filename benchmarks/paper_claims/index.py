"""The table of all systems of the papers: the preset, the figure, what was found, and the verdict of each."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from common import table

from focused.utils.words import quantity
from paper_claims.classifier_rows import classifier_rows
from paper_claims.crawls import Crawls
from paper_claims.pages import measured_at, number
from paper_claims.plan import PAPERS, PLAN, STRATEGIES, WEBS
from paper_claims.verdicts import joined

if TYPE_CHECKING:
    from pathlib import Path

_FIGURES = {"P13": "fig. 11, 12", "L14": "fig. 7, 8", "L16": "fig. 3, 4", "P15": "fig. 8, 9", "I18": "no crawls"}
_KINDS_OF_VERDICT = ("repeats in part", "repeats", "not decided", "does not repeat", "not measured")
"""How verdicts begin; the longer of two that begin alike stands first."""


def write_index(output: Path, docs: Path, about: str) -> Path:
    """Write the table of all systems; return its path."""
    crawls = Crawls(output)
    rows = [_crawler(crawls, paper, strategy) for paper in PAPERS for strategy in reversed(STRATEGIES[paper])]
    plan = {one.name: one for paper in PAPERS for one in PLAN[paper]}
    text = "\n\n".join([
        "# The papers, as printed",
        "One page for each paper: each claim, what it says, what came out, and a verdict. Written by `python "
        f"benchmarks/papers.py`. {measured_at(plan.values(), output)}{about}.",
        "*As printed* is the paper's [preset](../method/presets.md) in training and in crawls, since November 2026. "
        "Before, these pages had settings of their own, which judged links by calibrated relevances and fitted "
        "thresholds, as today's parts do.",
        "## Crawlers",
        "Share of the bound, as printed / with today's parts, means over topics; the pages say what was run. The paper's own "
        "crawler is in bold type. Verdict: whether the paper's crawler is above this one, as printed, by paired intervals "
        "over topics. `l16` has the threshold 0.1; with the printed 0.5 it finds next to nothing. I18 has no crawls, so "
        "there \"holds\" stands for \"repeats\". A commit with + had changes in benchmarks, not in the package.",
        table(["crawler", "paper", "preset", "figure", *(f"{web} ({kind})" for web, kind in WEBS.items()), "verdict"], rows),
        "## Classifiers and clusters",
        table(["claim", "figure", "preset", "compared in", "difference", "verdict"], classifier_rows(output)),
    ])  # fmt: skip
    path = docs / "README.md"
    path.write_text(text + "\n", encoding="utf-8")
    return path


def _crawler(crawls: Crawls, paper: str, strategy: str) -> list[str]:
    preset, own = paper.lower(), STRATEGIES[paper][-1]
    found = [_shares(crawls, f"{preset}-{web}", f"modern-{web}", strategy) for web in WEBS]
    verdict = _own_verdict(crawls, paper) if strategy == own else crawls.order(preset, own, strategy).verdict
    name = f"**`{strategy}`**" if strategy == own else f"`{strategy}`"
    return [name, f"[{paper}]({paper}.md)", f"`{preset}`", _FIGURES[paper], *found, verdict]


def _shares(crawls: Crawls, printed: str, modern: str, strategy: str) -> str:
    """Return the share as printed and with today's parts; where that has fewer topics, both on these in brackets."""
    of = {name: crawls.values(name, strategy) for name in (printed, modern)}
    topics = {name: {topic for topic, _ in found} for name, found in of.items()}
    if not topics[modern] or topics[printed] <= topics[modern]:
        return " / ".join(number(crawls.mean(name, strategy)) for name in of)
    both = topics[printed] & topics[modern]
    on_both = [fmean([value for (topic, _), value in found.items() if topic in both]) for found in of.values()]
    return f"{number(crawls.mean(printed, strategy))} ({quantity(len(both), 'topics')}: {on_both[0]:.3f} / {on_both[1]:.3f})"


def _own_verdict(crawls: Crawls, paper: str) -> str:
    """Return over which baselines a paper's own crawler is, and over which not; I18 has none, so they are of `modern`."""
    own, baselines = STRATEGIES[paper][-1], STRATEGIES[paper][:-1] or ("best_first", "breadth_first")
    others = "" if STRATEGIES[paper][:-1] else "modern"
    found = [crawls.order(paper.lower(), own, other, others) for other in baselines]
    if not any(one.on_web for one in found):
        return "not measured"
    told: dict[str, list[str]] = {}
    for other, one in zip(baselines, found, strict=True):
        kind = next(kind for kind in _KINDS_OF_VERDICT if one.verdict.startswith(kind))
        told.setdefault(kind, []).append(f"`{other}`")
    of = " (of `modern`)" if others else ""
    verdict = "; ".join(f"{kind} over {joined(told[kind])}{of}" for kind in _KINDS_OF_VERDICT if kind in told)
    return verdict.replace("repeats", "holds").replace("not repeat", "not hold") if others else verdict
