"""Figures of a report: curves, bars, and shares that change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator
from sklearn.isotonic import isotonic_regression

from focused.evaluation.report.canvas import label_axes, new_axes, rendered, styled, tick_label
from focused.evaluation.report.colours import GRID, INK, PAPER, CurveStyle
from focused.evaluation.report.markup import shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

_LINE_PX = 11.5  # between two labels at the ends of curves
_MAX_POINTS = 80  # of a curve; no screen shows more at this size
_MAX_LABEL_CHARS = 17
_LEAST_POINTS, _FLAT = 3, 0.005  # a curve that moves by less than this share of its height is flat
_MARK_PX = 15  # between two labels of marks


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve; ``x`` and ``y`` of shape (n_points,), ``error`` the length of the bars on either side.

    ``strength``: ``strong`` curves are thick, with markers and bars; ``plain`` ones have none; ``thin`` ones are background.
    """

    label: str
    look: CurveStyle
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    error: NDArray[np.float64] | None = None
    strength: str = "strong"


@dataclass(frozen=True, slots=True)
class Mark:
    """An event at a place of the horizontal axis: a line, or a cross on the axis if the event was refused."""

    x: float
    label: str
    is_void: bool = False


def says_nothing(curves: Sequence[NDArray[np.float64]]) -> bool:
    """Tell whether all curves are flat, or too short to be curves.

    ``curves``: the heights of each, shape (n_points,).

    >>> says_nothing([np.full(50, 1.0), np.zeros(0)]), says_nothing([np.linspace(0, 1, 50)])
    (True, False)
    """
    return all(len(y) < _LEAST_POINTS or float(np.ptp(y)) <= _FLAT * float(np.abs(y).max()) for y in curves)


def draw_curves(
    key: str,
    curves: Sequence[Curve],
    *,
    title: str,
    x_label: str,
    y_label: str,
    y_limit: float | None = None,
    y_start: float = 0.0,
    labelled: bool = True,
    height: float = 290,
    marks: Sequence[Mark] = (),
) -> str:
    """Draw curves in one pair of axes, with their names at their right ends.

    ``key``: unique among the figures of a page: letters, digits, hyphens. ``title``: screen readers read it instead of the
    figure. ``y_limit``: end of the vertical axis. Default: the largest value. ``y_start``: where the vertical axis begins.
    ``labelled``: whether curves are named at their ends (thin ones among many are not); else none is. ``marks``: from left to
    right.
    """
    curves = [curve for curve in curves if len(curve.x)]
    height = max(height, len(curves) * _LINE_PX + 60) if labelled else height
    with styled():
        figure, axes = new_axes(height, left=44, right=104 if labelled else 10, bottom=36, top=_top(marks))
        for number, curve in enumerate(curves):
            _draw(axes, curve, number, len(curves))
        tops = [float(np.nanmax(curve.y + (0 if curve.error is None else curve.error))) for curve in curves]
        ends = [float(curve.x.max()) for curve in curves]
        axes.set_ylim(y_start, (y_limit or max([*tops, 0.0]) * 1.04) or 1)
        axes.set_xlim(0, max([*ends, 0.0]) or 1)
        label_axes(axes, x_label, y_label, above=_top(marks) - 15)
        _draw_marks(axes, marks)
        if labelled:
            _label_ends(axes, curves)
        return rendered(figure, key, title)


def draw_shares(
    key: str,
    x: NDArray[np.float64],
    parts: Mapping[str, NDArray[np.float64]],
    looks: Mapping[str, CurveStyle],
    *,
    title: str,
    x_label: str,
    y_label: str,
    marks: Sequence[Mark] = (),
    height: float = 250,
) -> str:
    """Draw shares that add up to 1 at each ``x``, stacked from below; each of shape (n_points,)."""
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), _MAX_POINTS)).round().astype(int))
    with styled():
        figure, axes = new_axes(height, left=44, right=12, bottom=36, top=_top(marks))
        values = [part[kept] for part in parts.values()]
        axes.stackplot(x[kept], values, colors=[looks[part].light for part in parts], edgecolor=PAPER, linewidth=0.4)
        axes.set_ylim(0, 1)
        axes.set_xlim(0, float(x[-1]))
        label_axes(axes, x_label, y_label, above=_top(marks) - 15)
        axes.grid(visible=False)
        _draw_marks(axes, marks)
        return rendered(figure, key, title)


def draw_bars(
    key: str,
    names: Sequence[str],
    parts: Mapping[str, NDArray[np.float64]],
    looks: Mapping[str, CurveStyle],
    *,
    title: str,
    x_label: str,
    label_px: float = 110,
) -> str:
    """Draw one horizontal bar for each name, the first on top; the parts (each of shape (n_names,)) are stacked."""
    n_chars = int(label_px / 5.8)
    with styled():
        figure, axes = new_axes(len(names) * 17 + 46, left=label_px, right=36, bottom=36, top=4)
        rows = np.arange(len(names))
        left = np.zeros(len(names))
        for number, (part, values) in enumerate(parts.items()):
            axes.barh(
                rows, values, 0.7, left=left, color=looks[part].light, edgecolor=PAPER, linewidth=0.6,
                hatch=("", "", "///", "", "...", "xxx")[number % 6],
            )  # fmt: skip
            left = left + values
        top = float(left.max(initial=0.0)) or 1.0
        for row, total in enumerate(left.tolist()):
            axes.text(
                total + top * 0.01, row, f"{total:,.0f}" if top >= 20 else f"{total:,.1f}", fontsize=9, va="center"
            )
        axes.set_yticks(rows, [shorten(name, n_chars) for name in names])
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_xlim(0, top)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel(x_label)
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10], integer=top >= 4))
        axes.xaxis.set_major_formatter(FuncFormatter(tick_label))
        return rendered(figure, key, title)


def spread(wanted: NDArray[np.float64], gap: float, low: float, high: float) -> NDArray[np.float64]:
    """Return places near the wanted ones, in the same order, at least ``gap`` apart, in [low, high] if they fit.

    Least squares: the places less the gaps before them must not decrease.

    >>> spread(np.array([5.0, 5.0, 0.0]), 2.0, 0.0, 10.0).tolist()
    [4.0, 6.0, 0.0]
    """
    order = np.argsort(wanted, kind="stable")
    offsets = np.arange(len(wanted)) * gap
    free = isotonic_regression(np.asarray(wanted, dtype=np.float64)[order] - offsets)
    places = np.empty(len(wanted))
    places[order] = np.clip(free, low, max(low, high - offsets[-1])) + offsets
    return places


def _top(marks: Sequence[Mark]) -> float:
    return 34.0 if marks else 22.0


def _draw_marks(axes: Axes, marks: Sequence[Mark]) -> None:
    x_per_px = axes.get_xlim()[1] / axes.bbox.width
    places = axes.get_xaxis_transform()
    free = -np.inf
    alpha = 0.45 if len(marks) <= 15 else 0.2  # many lines would hide the curves
    for mark in marks:
        if mark.is_void:
            axes.plot(
                [mark.x], [0.0], marker="x", markersize=6, markeredgewidth=1.4, color=INK, clip_on=False, zorder=4,
                transform=places,
            )  # fmt: skip
            continue
        axes.plot([mark.x, mark.x], [0, 1], color=INK, linewidth=0.6, alpha=alpha, zorder=3.5, transform=places)
        # A label needs room; the numbers of the lines between two labels are clear.
        if mark.x >= free:
            axes.text(mark.x, 1.01, mark.label, fontsize=8.5, ha="center", va="bottom", transform=places)
            free = mark.x + max(_MARK_PX, 6 * len(mark.label) + 5) * x_per_px


def _draw(axes: Axes, curve: Curve, number: int, n_curves: int) -> None:
    x, y, error = _thinned(curve)
    width, alpha = {"strong": (2.0, 1.0), "plain": (1.3, 0.9)}.get(curve.strength, (0.9, 0.55))
    dash: Any = (0, tuple(part / 1.6 for part in curve.look.dash)) if curve.look.dash else "-"
    style: dict[str, Any] = {"color": curve.look.light, "linewidth": width, "alpha": alpha, "linestyle": dash}
    level = {"strong": 3, "plain": 2.5}.get(curve.strength, 2)
    if curve.strength != "strong":
        axes.plot(x, y, zorder=level, **style)
        return
    # Markers and bars of different curves stand side by side, not on top of each other.
    places = np.unique(np.linspace(0, len(x) - 1, 7).round().astype(int)[1:])
    shift = round(len(x) / 7 * (number / max(n_curves, 1)))
    places = np.unique(np.clip(places - shift, 0, len(x) - 1))
    axes.plot(
        x, y, zorder=level, marker=curve.look.marker, markersize=4.5, markevery=places.tolist(),
        markeredgecolor=PAPER if curve.look.marker != "x" else curve.look.light, markeredgewidth=0.5, **style,
    )  # fmt: skip
    if error is not None:
        axes.errorbar(
            x[places], y[places], yerr=error[places], fmt="none", ecolor=curve.look.light, elinewidth=1.0, capsize=2,
            zorder=level - 0.2,
        )  # fmt: skip


def _thinned(curve: Curve) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
    kept = np.unique(np.linspace(0, len(curve.x) - 1, min(len(curve.x), _MAX_POINTS)).round().astype(int))
    return curve.x[kept], curve.y[kept], None if curve.error is None else curve.error[kept]


def _label_ends(axes: Axes, curves: Sequence[Curve]) -> None:
    """Name curves beside their ends; a thin line leads from the end to a moved name."""
    if not curves:
        return
    low, high = axes.get_ylim()
    right = axes.get_xlim()[1]
    width_px, height_px = axes.bbox.width, axes.bbox.height
    per_px, x_per_px = (high - low) / height_px, right / width_px
    ends = np.minimum([curve.y[-1] for curve in curves], high)  # some leave the figure at the top
    gap = min(_LINE_PX * per_px, (high - low + 14 * per_px) / max(len(curves), 1))
    places = spread(ends, gap, low - 4 * per_px, high + 10 * per_px)
    for curve, end, place in zip(curves, ends, places, strict=True):
        is_thin = curve.strength == "thin"
        alpha = 0.5 if is_thin else 0.9
        x_end = float(curve.x[-1])
        axes.plot(
            [x_end, right + 9 * x_per_px, right + 14 * x_per_px], [end, place, place], color=curve.look.light,
            linewidth=0.6, alpha=alpha, clip_on=False, zorder=1.5,
        )  # fmt: skip
        axes.text(
            right + 17 * x_per_px, place, shorten(curve.label, _MAX_LABEL_CHARS), color=curve.look.light, va="center",
            fontsize=9.5, fontweight="bold" if curve.strength == "strong" else "normal",
        )  # fmt: skip
