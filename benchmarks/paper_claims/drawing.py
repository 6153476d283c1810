"""The figures of the pages: curves of crawls, as printed and with today's parts, in the axes of the papers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from comparisons.plotting import STYLE, curves, figure, save

from focused.utils.words import quantity
from paper_claims.plan import WEBS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

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
    """Draw a quantity against the pages fetched, for each kind of web and each way of crawling; return its Markdown."""
    webs = [web for web in WEBS if any(crawls.of(f"{prefix}-{web}").crawls for prefix in prefixes)]
    if not webs:
        return ""
    drawing, panels = figure(len(webs), len(prefixes), 2.9 * len(webs), squeeze=False, sharey="row")
    for row, web in zip(panels, webs, strict=True):
        for axes, (prefix, title) in zip(row, prefixes.items(), strict=True):
            results = crawls.of(f"{prefix}-{web}")
            lines: list[tuple[str, str, str, Any, Any]] = []
            x: list[float] = []
            for strategy, (colour, _) in zip(strategies, _LOOKS, strict=False):
                grid, mean, _ = results.curve(strategy, lambda crawl: crawl.curve[column])
                if len(grid):
                    x = grid.tolist()
                    lines.append((strategy, colour, "", mean, None))
            axes.set(title=_title(crawls, web, prefix, title), ylim=(0, 1), xlabel="pages fetched")
            if lines:
                curves(axes, x, lines)
        row[0].set_ylabel(column.replace("_", " "))
    return save(drawing, folder, name, f"{column.replace('_', ' ')} against pages fetched, one curve a crawler")


def _title(crawls: Crawls, web: str, prefix: str, title: str) -> str:
    """Return the title of a panel: today's parts may have been run on fewer topics than a paper's."""
    return f"{web} ({WEBS[web]}), {title}, {quantity(len(crawls.of(f'{prefix}-{web}').topics), 'topics')}"


@mpl.rc_context(STYLE)
def length_curves(
    crawls: Crawls, name: str, prefixes: Mapping[str, str], strategies: Sequence[str], folder: Path
) -> str:
    """Draw target length against relevant pages found [P13, fig. 13]; return its Markdown."""
    webs = [web for web in WEBS if any(crawls.of(f"{prefix}-{web}").crawls for prefix in prefixes)]
    if not webs:
        return ""
    drawing, panels = figure(len(webs), len(prefixes), 2.9 * len(webs), squeeze=False)
    for row, web in zip(panels, webs, strict=True):
        for axes, (prefix, title) in zip(row, prefixes.items(), strict=True):
            results = crawls.of(f"{prefix}-{web}")
            for strategy, (colour, _) in zip(strategies, _LOOKS, strict=False):
                _, relevant, _ = results.curve(strategy, lambda crawl: crawl.curve["relevant"])
                _, length, _ = results.curve(strategy, lambda crawl: crawl.curve["target_length"])
                if len(relevant):
                    axes.plot(relevant, length, color=colour, label=strategy)
            axes.set(title=_title(crawls, web, prefix, title), xlabel="relevant pages found")
        row[0].set_ylabel("target length, links")
    panels[0][0].legend(fontsize=7, frameon=False)
    return save(drawing, folder, name, "Target length against relevant pages found, one curve a crawler")


@mpl.rc_context(STYLE)
def sweep_curves(
    name: str, x: Sequence[float], lines: Mapping[str, Sequence[float]], folder: Path, *, x_label: str, y_label: str
) -> str:
    """Draw figures against a parameter; return its Markdown."""
    drawing, axes = figure(1, 1, 3.2)
    drawn = [
        (label, colour, marker, list(values), None)
        for (label, values), (colour, marker) in zip(lines.items(), _LOOKS, strict=False)
    ]
    axes.set(xlabel=x_label, ylabel=y_label)
    curves(axes, list(x), drawn)
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
