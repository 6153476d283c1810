"""The webs of documentation, and the results of their crawls, as Markdown tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from common import table
from evaluations.tables import over_topics, rows_of

from manuals.plan import STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluations.tables import Row

    from manuals.plan import Evaluation

OWN, REFERENCE = "adaptive", "oracle"
"""The strategy that the others are compared with, and the one that is a mark and no competitor."""


def what_was_made(webs: Path, names: Sequence[str]) -> str:
    """Return the table of webs: their sizes, packages and versions."""
    lines = []
    for name in names:
        about: dict[str, Any] = json.loads((webs / f"{name}.about.json").read_text(encoding="utf-8"))
        packages = ", ".join(f"{package} {version}" for package, version in about["packages"].items())
        lines.append((name, f"{about['n_pages']:,}", f"{about['n_redirects']:,}", about["n_hosts"], packages))
    return table(("web", "pages", "redirects", "hosts", "packages"), lines)


def of_webs(folders: Mapping[str, Path], evaluations: Sequence[Evaluation]) -> str:
    """Return share of the bound and area of each strategy on each web, means over topics, the best ones in bold.

    A draw is one repeat of a topic. The last column counts the topics by the area of `OWN` against the best other strategy of
    the same topic.
    """
    lines = []
    for evaluation in evaluations:
        rows = rows_of(folders[evaluation.name])
        found = {
            strategy: [
                over_topics([row for row in rows if row["strategy"] == strategy], column)[0]
                for column in ("share_of_bound", "area")
            ]
            for strategy in STRATEGIES
        }
        best = [max(found[strategy][n] for strategy in STRATEGIES if strategy != REFERENCE) for n in (0, 1)]
        cells = [
            " / ".join(
                f"**{value:.3f}**" if value == best[n] and strategy != REFERENCE else f"{value:.3f}"
                for n, value in enumerate(found[strategy])
            )
            for strategy in STRATEGIES
        ]
        gains = [gain for *_, gain in _compared(rows)]
        counts = f"{sum(gain > 0 for gain in gains)} ahead, {sum(gain < 0 for gain in gains)} behind"
        n_draws = len({(row["topic"], row["repeat"]) for row in rows})
        lines.append((evaluation.title, len(gains), n_draws, *cells, counts))
    header = (
        "web",
        "topics",
        "draws",
        *(f"`{strategy}`" for strategy in STRATEGIES),
        f"`{OWN}` against the best other",
    )
    return table(header, lines)


def of_topics(folders: Mapping[str, Path], evaluations: Sequence[Evaluation]) -> str:
    """Return for each topic the area of `OWN`, of the best other strategy of that topic, and of the reference."""
    lines = []
    for evaluation in evaluations:
        rows = rows_of(folders[evaluation.name])
        for topic, areas, best, gain in _compared(rows):
            share = over_topics([r for r in rows if r["topic"] == topic and r["strategy"] == OWN], "share_of_bound")[0]
            bound = next(row["bound"] for row in rows if row["topic"] == topic)
            lines.append(
                (
                    *(evaluation.title, topic, bound, f"{share:.3f}", f"{areas[OWN]:.3f}", f"`{best}`"),
                    *(f"{areas[best]:.3f}", f"{gain:+.0%}", f"{areas[REFERENCE]:.3f}"),
                )
            )
    header = (
        *("web", "topic", "bound", f"share, `{OWN}`", f"area, `{OWN}`", "best other", "its area", "difference"),
        f"area, `{REFERENCE}`",
    )
    return table(header, lines)


def _compared(rows: Sequence[Row]) -> list[tuple[str, dict[str, float], str, float]]:
    """Return (topic, area by strategy, best other strategy, gain of `OWN` over it as a share) of each topic.

    A topic is the mean of its repeats. A topic without a result of every strategy is left out.
    """
    found = []
    for topic in dict.fromkeys(row["topic"] for row in rows):
        areas = {
            strategy: over_topics([r for r in rows if (r["topic"], r["strategy"]) == (topic, strategy)], "area")[0]
            for strategy in STRATEGIES
        }
        if np.isnan(list(areas.values())).any():
            continue
        best = max((strategy for strategy in areas if strategy not in (OWN, REFERENCE)), key=areas.__getitem__)
        found.append((topic, areas, best, areas[OWN] / areas[best] - 1 if areas[best] else np.inf))
    return found
