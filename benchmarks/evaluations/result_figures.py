"""The figures of docs/results, in the colours of the reports."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from comparisons.plotting import STYLE, figure, height_of, label_ends, save
from matplotlib import rc_context

from evaluations.plan import SWEEPS
from evaluations.tables import over_topics, rows_of
from focused.evaluation.report.colours import style_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes


def draw_curves(folder: Path, figures: Path, name: str) -> str:
    """Draw harvest rate and target recall against pages crawled, mean over topics; return the Markdown that shows it."""
    columns = {"harvest_rate": "harvest rate", "target_recall": "target recall"}
    curves = _curves(folder, tuple(columns))
    with rc_context(STYLE):
        drawing, axes = figure(1, 2, 5.6)
        for panel, (column, title) in zip(axes, columns.items(), strict=True):
            ends = []
            for strategy, (pages, values) in curves.items():
                look, mean = style_of(strategy), values[column].mean(axis=0)
                style = (0, look.dash) if look.dash else "-"
                panel.plot(pages, mean, color=look.light, linestyle=style, linewidth=1.3)
                ends.append((mean[-1], strategy, look.light))
            panel.set(xlabel="pages crawled", title=title, ylim=(0, None), xlim=(0, None))
            label_ends(panel, [(height_of(panel, end), label, colour) for end, label, colour in ends], gap=0.045)
        return save(drawing, figures, name, f"Harvest rate and target recall against pages crawled: {folder.name}")


def _curves(folder: Path, columns: Sequence[str]) -> dict[str, tuple[np.ndarray, dict[str, np.ndarray]]]:
    """Return for each strategy the pages, and of each column the values of all topics, shape (n_topics, n_points).

    A crawl that ended early keeps its last value; a topic is the mean of its repeats.
    """
    import csv

    with (folder / "curves.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row.get("start", "web") == "web"]
    pages = np.array(sorted({int(row["pages"]) for row in rows if int(row["pages"]) % 10 == 0}))
    by_crawl = defaultdict(list)
    for row in rows:
        by_crawl[row["strategy"], row["topic"], row["repeat"]].append(row)
    found: dict[str, dict[str, dict[str, list[np.ndarray]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for (strategy, topic, _), points in by_crawl.items():
        at = np.array([int(point["pages"]) for point in points])
        last = np.clip(np.searchsorted(at, pages, side="right") - 1, 0, None)
        for column in columns:
            values = np.array([float(point[column]) for point in points])
            found[strategy][column][topic].append(values[last])
    return {
        strategy: (
            pages,
            {name: np.array([np.mean(v, axis=0) for v in topics.values()]) for name, topics in by_column.items()},
        )
        for strategy, by_column in found.items()
    }


def draw_sweeps(swept: Mapping[str, Mapping[object, Path]], figures: Path) -> str:
    """Draw the share of the bound against each parameter, one panel each; return the Markdown that shows it."""
    with rc_context({**STYLE, "font.size": 8, "axes.titlesize": 9}):
        drawing, axes = figure(4, 3, 9.0, sharey=True)
        for panel in axes.flat[len(SWEEPS) :]:
            panel.set_visible(False)
        for panel, sweep in zip(axes.flat, SWEEPS, strict=False):
            folders = swept[sweep.name]
            for strategy in sweep.strategies:
                points = [
                    over_topics([row for row in rows_of(folder) if row["strategy"] == strategy], "share_of_bound")
                    for folder in folders.values()
                ]
                _line(
                    panel, list(folders), points, strategy, sweep.is_numeric and not isinstance(sweep.values[0], bool)
                )
            if sweep.is_logarithmic:
                panel.set_xscale("log", base=2)
                panel.set_xticks([float(str(value)) for value in folders], map(str, folders))
            panel.set_title(sweep.title + (f" ({sweep.source})" if sweep.source else ""))
            panel.legend(fontsize=7, frameon=False)
        for panel in axes[:, 0]:
            panel.set_ylabel("share of the bound")
        return save(drawing, figures, "sweeps", "Share of the bound against each parameter of the strategies")


def _line(
    panel: Axes, values: Sequence[object], points: Sequence[tuple[float, float]], strategy: str, is_numeric: bool
) -> None:
    look = style_of(strategy)
    means, errors = zip(*points, strict=True)
    x = [float(str(value)) for value in values] if is_numeric else list(range(len(values)))
    panel.errorbar(
        x, means, yerr=errors, label=strategy, color=look.light, marker=look.marker, markersize=4, elinewidth=0.8
    )
    if not is_numeric:
        panel.set_xticks(x, map(str, values))
        panel.set_xlim(-0.5, len(x) - 0.5)
