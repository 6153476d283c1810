"""The figures of the pages: curves of crawls, as printed and with today's parts, in the axes of the papers."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from comparisons.plotting import STYLE, figure, save

from paper_claims.plan import WEBS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from paper_claims.crawls import Crawls

_LOOKS = (
    ("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "D"), ("#CC79A7", "^"), ("#666666", "v"), ("#E69F00", "P"),
    ("#56B4E9", "X"),
)  # fmt: skip
NO_NUMBERS = (
    "The paper draws these curves and prints no number of them, so what its text says of their order is compared above."
)
OF_PAPER = "paper: "
"""How the name of a line of a paper's own figures begins."""
TODAY = ", today's parts"
"""How the name of a line of today's parts ends; it is drawn with dashes."""
_LONG = 8
"""Words of at least so many letters under an axis are slanted."""


@mpl.rc_context(STYLE)
def harvest_curves(
    crawls: Crawls, name: str, prefixes: Mapping[str, str], strategies: Sequence[str], folder: Path,
    column: str = "harvest_rate",
) -> str:  # fmt: skip
    """Draw a quantity against the pages fetched, for each kind of web and each way of crawling; return its Markdown.

    A curve ends with a dot where the mean crawl ends. Bars are standard errors over topics, as in the papers' figures.
    """
    webs = [web for web in WEBS if any(crawls.of(f"{prefix}-{web}").crawls for prefix in prefixes)]
    if not webs:
        return ""
    drawing, panels = figure(len(webs), len(prefixes), 2.9 * len(webs) + 0.4, squeeze=False, sharey="row", sharex=True)
    for row, web in zip(panels, webs, strict=True):
        for axes, (prefix, title) in zip(row, prefixes.items(), strict=True):
            results = crawls.of(f"{prefix}-{web}")
            for strategy, (colour, _) in zip(strategies, _LOOKS, strict=False):
                grid, mean, error = results.curve(strategy, lambda crawl: crawl.curve[column])
                if not len(grid):
                    continue
                n = max(int((grid <= fmean(crawl.value("pages") for crawl in results.of(strategy))).sum()), 1)
                every = max(len(grid) // 4, 1)
                axes.errorbar(
                    grid[:n], mean[:n], yerr=None if error is None else error[:n], errorevery=(every - 1, every),
                    color=colour, elinewidth=0.8, capsize=2, label=strategy,
                )  # fmt: skip
                axes.plot(grid[n - 1], mean[n - 1], "o", color=colour, markersize=4)
            axes.set(title=f"{web}, {title}", ylim=(0, 1))
        row[0].set_ylabel(column.replace("_", " "))
    for axes in panels[-1]:
        axes.set_xlabel("pages fetched")
    _legend_below(drawing, panels)
    return save(drawing, folder, name, f"{column.replace('_', ' ')} against pages fetched, one curve a crawler")


def _legend_below(drawing: Figure, panels: Any) -> None:
    """Name each line once, under all panels: a crawler may be missing from some of them."""
    named: dict[str, Any] = {}
    for axes in panels.flat:
        handles, names = axes.get_legend_handles_labels()
        named |= dict(zip(names, handles, strict=True))
    drawing.legend(named.values(), named, loc="outside lower center", ncols=4, fontsize=8, frameon=False)


@mpl.rc_context(STYLE)
def bar_chart(
    name: str, bars: Mapping[str, Mapping[str, float]], folder: Path, *, x_label: str, alt: str, stacked: bool = True
) -> str:
    """Draw a bar for each name, of parts one behind the other or one under the other; return its Markdown."""
    if not bars:
        return ""
    parts = list(dict.fromkeys(part for of in bars.values() for part in of))
    height = 0.8 if stacked else 0.8 / len(parts)
    drawing, axes = figure(1, 1, 0.8 + (0.32 if stacked else 0.14 * len(parts) + 0.1) * len(bars))
    begun = np.zeros(len(bars))
    for number, (part, (colour, _)) in enumerate(zip(parts, _LOOKS, strict=False)):
        values = np.nan_to_num([of.get(part, 0.0) for of in bars.values()])
        offset = 0.0 if stacked else (number - (len(parts) - 1) / 2) * height
        axes.barh(np.arange(len(bars)) + offset, values, height, left=begun, color=colour, label=part)
        begun = begun + values if stacked else begun
    axes.set_yticks(range(len(bars)), list(bars))
    axes.invert_yaxis()
    axes.set(xlabel=x_label)
    drawing.legend(loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return save(drawing, folder, name, alt)


@mpl.rc_context(STYLE)
def length_curves(
    crawls: Crawls, name: str, prefixes: Mapping[str, str], strategies: Sequence[str], folder: Path
) -> str:
    """Draw target length against relevant pages found [P13, fig. 13]; return its Markdown.

    A curve ends with a dot where half of the crawls have found no more.
    """
    webs = [web for web in WEBS if any(crawls.of(f"{prefix}-{web}").crawls for prefix in prefixes)]
    if not webs:
        return ""
    drawing, panels = figure(len(webs), len(prefixes), 2.9 * len(webs), squeeze=False)
    for row, web in zip(panels, webs, strict=True):
        for axes, (prefix, title) in zip(row, prefixes.items(), strict=True):
            for strategy, (colour, _) in zip(strategies, _LOOKS, strict=False):
                relevant, length = crawls.length_curve(f"{prefix}-{web}", strategy)
                if relevant:
                    axes.plot(relevant, length, color=colour, label=strategy)
                    axes.plot(relevant[-1], length[-1], "o", color=colour, markersize=4)
            axes.set(title=f"{web}, {title}", xlabel="relevant pages found")
        row[0].set_ylabel("target length, links")
    _legend_below(drawing, panels)
    return save(drawing, folder, name, "Target length against relevant pages found, one curve a crawler")


@mpl.rc_context(STYLE)
def sweep_curves(
    name: str, x: Sequence[float], lines: Mapping[str, Sequence[float]], folder: Path, *, x_label: str, y_label: str,
    title: str = "",
) -> str:  # fmt: skip
    """Draw figures against a parameter; return its Markdown."""
    drawing, axes = figure(1, 1, 3.2)
    for (label, values), (colour, marker) in zip(lines.items(), _LOOKS, strict=False):
        axes.plot(x, values, color=colour, marker=marker, label=label)
    axes.set(title=title, xlabel=x_label, ylabel=y_label, ylim=(0, None))
    drawing.legend(loc="outside right upper", fontsize=8, frameon=False)
    return save(drawing, folder, name, f"{y_label} against {x_label}")


@mpl.rc_context(STYLE)
def beside_paper(
    name: str, panels: Mapping[str, tuple[Sequence[str], Mapping[str, Sequence[float]]]], folder: Path, *, y_label: str,
    alt: str,
) -> str:  # fmt: skip
    """Draw a paper's own figures and ours in the same axes; return the Markdown.

    ``panels``: for each title, the words under the axis, and the values of each line. Lines of a paper, whose names begin
    with `OF_PAPER`, are black; a line of today's parts is drawn with dashes, in the colour of the same name without `TODAY`.
    """
    drawing, row = figure(1, len(panels), 3.6, squeeze=False, sharey=True)
    for axes, (title, (words, lines)) in zip(row[0], panels.items(), strict=True):
        looks, of_paper = iter(_LOOKS), iter([("black", marker) for marker in "*sD"])
        known: dict[str, tuple[str, str]] = {}
        for label, values in lines.items():
            what = label.removesuffix(TODAY)
            if what not in known:
                known[what] = next(of_paper) if label.startswith(OF_PAPER) else next(looks)
            colour, marker = known[what]
            style = "--" if label.endswith(TODAY) else "-"
            axes.plot(range(len(words)), values, style, color=colour, marker=marker, label=label)
        axes.set(title=title, ylim=(0, 1.02))
        axes.set_xticks(range(len(words)), words, rotation=0 if max(map(len, words)) < _LONG else 35)
    row[0][0].set_ylabel(y_label)
    drawing.legend(
        *row[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8, frameon=False
    )
    return save(drawing, folder, name, alt)
