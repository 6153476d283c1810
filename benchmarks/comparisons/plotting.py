"""Draw the figures of the comparisons. The same numbers give the same SVG, byte for byte, with one version of matplotlib.

A method or corpus keeps its colour in all figures (Okabe and Ito's palette for colour-blind people), and curves are labelled
at their ends.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from sklearn.isotonic import isotonic_regression

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from comparisons.base import Found

NAMES = {
    "20newsgroups": "20 Newsgroups",
    "reuters": "Reuters",
    "hyperphysics": "HyperPhysics",
    "webkb": "WebKB",
}
BLUE, ORANGE, GREEN, PINK, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#666666"
COLOURS = dict(zip(NAMES, (BLUE, ORANGE, GREEN, PINK), strict=True))
MARKERS = dict(zip(NAMES, "osD^", strict=True))
STYLE = {
    "svg.hashsalt": "focused",
    "svg.fonttype": "none",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "lines.linewidth": 1.6,
    "lines.markersize": 4,
    "figure.constrained_layout.use": True,
}


def over_topics(results: Iterable[Found], value: Callable[[Found], Any]) -> tuple[NDArray[np.float64], Any]:
    """Return mean and standard error over topics; a topic is the mean of its seeds."""
    by_topic = defaultdict(list)
    for result in results:
        by_topic[result["topic"]].append(np.asarray(value(result), dtype=np.float64))
    means = np.array([np.mean(values, axis=0) for values in by_topic.values()])
    return means.mean(axis=0), means.std(axis=0, ddof=1) / np.sqrt(len(means))


def of_corpus(results: Iterable[Found], name: str) -> list[Found]:
    return [result for result in results if result["corpus"] == name]


def corpora_of(results: Iterable[Found]) -> list[str]:
    present = {result["corpus"] for result in results}
    return [name for name in NAMES if name in present]


def padded(values: Sequence[float], length: int) -> list[float]:
    """Return values with the last one repeated up to a length."""
    return [*values, *[values[-1]] * (length - len(values))]


def with_error(mean: float, error: float, digits: int = 3) -> str:
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def difference(values: Any, baseline: Any) -> str:
    """Return the mean difference over topics, its standard error, and the number of topics that are better."""
    gains = np.asarray(values) - np.asarray(baseline)
    error = gains.std(ddof=1) / np.sqrt(len(gains))
    return f"{gains.mean():+.3f} ± {error:.3f} ({(gains > 0).sum()} of {len(gains)})"


def figure(rows: int, columns: int, height: float, **options: Any) -> tuple[Figure, Any]:
    """Return a figure for a width of 700 pixels."""
    drawing = Figure(figsize=(8, height))
    return drawing, drawing.subplots(rows, columns, **options)


def save(drawing: Figure, folder: Path, name: str, alt: str) -> str:
    """Write an SVG; return the Markdown that shows it."""
    folder.mkdir(parents=True, exist_ok=True)
    drawing.savefig(folder / f"{name}.svg", metadata={"Date": None})
    return f"![{alt}](../figures/{name}.svg)"


def label_ends(axes: Axes, labels: Sequence[tuple[float, str, str]], *, gap: float = 0.07) -> None:
    """Write names right of the axes, at heights in axes coordinates, moved apart until they are legible."""
    ordered = sorted(labels)
    steps = gap * np.arange(len(ordered))
    heights = isotonic_regression([height for height, _, _ in ordered] - steps) + steps
    heights -= max(0.0, heights[-1] - 1.0)
    for height, (_, name, colour) in zip(heights, ordered, strict=True):
        axes.text(1.02, height, name, color=colour, transform=axes.transAxes, va="center", fontsize=9)


def height_of(axes: Axes, value: float) -> float:
    """Return the height of a value of the y axis, from 0 (bottom) to 1 (top)."""
    return float(axes.transAxes.inverted().transform(axes.transData.transform((0, value)))[1])


def curves(axes: Axes, x: Sequence[float], lines: Iterable[tuple[str, str, str, Any, Any]]) -> None:
    """Draw curves (name, colour, marker, means, standard errors or None) and name them at their ends."""
    drawn = list(lines)
    for _, colour, marker, mean, error in drawn:
        axes.errorbar(x, mean, yerr=error, color=colour, marker=marker, elinewidth=0.8)
    label_ends(axes, [(height_of(axes, mean[-1]), name, colour) for name, colour, _, mean, _ in drawn])
