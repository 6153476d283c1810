"""The results of evaluations as Markdown tables: one for the strategies on a web, one for a sweep."""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from common import table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Row = dict[str, str]


def rows_of(folder: Path, start: str = "web") -> list[Row]:
    """Return the rows of results.csv whose crawls have a result, of the topics that began in one way."""
    with (folder / "results.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row.get("start", "web") == start]
    return [row for row in rows if not row["finish_reason"].startswith("failed")]


def over_topics(rows: Iterable[Row], column: str) -> tuple[float, float]:
    """Return mean and standard error over topics of a column; a topic is the mean of its repeats."""
    by_topic = defaultdict(list)
    for row in rows:
        if row[column] != "":
            by_topic[row["web"], row["topic"]].append(float(row[column]))
    means = np.array([np.mean(values) for values in by_topic.values()])
    if not len(means):
        return math.nan, math.nan
    error = float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else math.nan
    return float(means.mean()), error


def of_strategies(folder: Path, start: str = "web") -> str:
    """Return the table of all strategies on one web, best share of the bound first."""
    rows = rows_of(folder, start)
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    about = "share_of_bound", start
    entries = [entry for entry in run["significance"] if (entry["measure"], entry.get("start", "web")) == about]
    compared = {entry["strategy"]: entry for entry in entries}
    found = []
    for strategy in dict.fromkeys(row["strategy"] for row in rows):
        own = [row for row in rows if row["strategy"] == strategy]
        share, error = over_topics(own, "share_of_bound")
        other = compared.get(strategy)
        against = f"{other['difference']:+.3f} [{other['low']:+.3f}, {other['high']:+.3f}]" if other else "(default)"
        means = [over_topics(own, name)[0] for name in ("harvest_rate", "target_recall", "area", "f_measure")]
        lengths = [over_topics(own, name)[0] for name in ("target_length", "irrelevant_on_path", "cpu_seconds")]
        found.append(
            (
                share,
                [
                    f"`{strategy}`",
                    f"{share:.3f} ± {error:.3f}",
                    *[f"{mean:.3f}" for mean in means],
                    *[f"{mean:.0f}" for mean in lengths[:2]],
                    f"{lengths[2]:.1f}",
                    against,
                    other["verdict"] if other else "",
                ],
            )
        )
    header = (
        "strategy", "share of bound", "harvest", "recall", "area", "F", "target length", "irrelevant on path", "CPU s",
        "difference to the default", "",
    )  # fmt: skip
    return table(header, [row for _, row in sorted(found, key=lambda entry: -entry[0])])


def of_sweep(folders: dict[object, Path], strategies: Iterable[str]) -> str:
    """Return the share of the bound for each value (columns) and strategy (rows), with standard errors over topics."""
    rows = {value: rows_of(folder) for value, folder in folders.items()}
    lines = []
    for strategy in strategies:
        cells = []
        for value in folders:
            mean, error = over_topics([row for row in rows[value] if row["strategy"] == strategy], "share_of_bound")
            cells.append("failed" if math.isnan(mean) else f"{mean:.3f} ± {error:.3f}")
        lines.append([f"`{strategy}`", *cells])
    return table(["", *map(str, folders)], lines)
