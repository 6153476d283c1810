"""Figures as SVG inside a page: text stays text, colours follow the theme, the same numbers give the same bytes.

Sizes are in CSS pixels of a figure 400 wide, so that its letters can be read on a phone; pages stretch it.
"""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator
from sklearn.isotonic import isotonic_regression

from focused.report.colours import GRID, INK, PAPER, Look
from focused.report.markup import shorten
from focused.report.svg import inline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

WIDTH = 400
_LINE_PX = 11.5  # between two labels at the ends of curves
_MAX_POINTS = 80  # of a curve; no screen shows more at this size
_MAX_LABEL_CHARS = 17
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "focused",
    "text.parse_math": False,  # a name with two dollars is a name
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.6,
    "path.simplify": False,
}


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve; ``x`` and ``y`` of shape (n_points,), ``error`` the length of the bars on either side.

    ``strength``: ``strong`` curves are thick, with markers and bars; ``plain`` ones without; ``thin`` ones are background.
    """

    label: str
    look: Look
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    error: NDArray[np.float64] | None = None
    strength: str = "strong"


def draw_curves(
    key: str,
    curves: Sequence[Curve],
    *,
    title: str,
    x_label: str,
    y_label: str,
    y_limit: float | None = None,
    labelled: bool = True,
    height: float = 290,
) -> str:
    """Draw curves in one pair of axes, with their names at their right ends.

    Parameters
    ----------
    key : str
        Unique among the figures of a page: letters, digits, hyphens.
    title : str
        Read out instead of the figure by screen readers.
    y_limit : float, optional
        End of the vertical axis; it begins at 0. Default: the largest value.
    labelled : bool
        Whether all curves but thin ones among many are named at their ends; else none is.
    """
    curves = [curve for curve in curves if len(curve.x)]
    height = max(height, len(curves) * _LINE_PX + 60) if labelled else height
    with rc_context(_STYLE):  # type: ignore[arg-type]
        figure, axes = _axes(height, left=44, right=104 if labelled else 10, bottom=36, top=22)
        for number, curve in enumerate(curves):
            _draw(axes, curve, number, len(curves))
        tops = [float(np.nanmax(curve.y + (0 if curve.error is None else curve.error))) for curve in curves]
        ends = [float(curve.x.max()) for curve in curves]
        axes.set_ylim(0, (y_limit or max([*tops, 0.0]) * 1.04) or 1)
        axes.set_xlim(0, max([*ends, 0.0]) or 1)
        _label_axes(axes, x_label, y_label)
        if labelled:
            _label_ends(axes, curves)
        return _rendered(figure, key, title)


def draw_bars(
    key: str,
    names: Sequence[str],
    parts: Mapping[str, NDArray[np.float64]],
    looks: Mapping[str, Look],
    *,
    title: str,
    x_label: str,
    label_px: float = 110,
) -> str:
    """Draw one horizontal bar a name, the first on top, stacked of parts (each of shape (n_names,))."""
    n_chars = int(label_px / 5.8)
    with rc_context(_STYLE):  # type: ignore[arg-type]
        figure, axes = _axes(len(names) * 17 + 46, left=label_px, right=36, bottom=36, top=4)
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
        axes.xaxis.set_major_formatter(FuncFormatter(_number))
        return _rendered(figure, key, title)


def spread(wanted: NDArray[np.float64], gap: float, low: float, high: float) -> NDArray[np.float64]:
    """Return places near the wanted ones, in their order, at least ``gap`` apart, in [low, high] as far as they fit.

    Least squares: places minus what the gaps before them take must not decrease.

    >>> spread(np.array([5.0, 5.0, 0.0]), 2.0, 0.0, 10.0).tolist()
    [4.0, 6.0, 0.0]
    """
    order = np.argsort(wanted, kind="stable")
    offsets = np.arange(len(wanted)) * gap
    free = isotonic_regression(np.asarray(wanted, dtype=np.float64)[order] - offsets)
    places = np.empty(len(wanted))
    places[order] = np.clip(free, low, max(low, high - offsets[-1])) + offsets
    return places


def _axes(height: float, *, left: float, right: float, bottom: float, top: float) -> tuple[Figure, Axes]:
    # A point is 1/72 inch, and one unit of the SVG.
    figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72)
    figure.patch.set_visible(False)
    axes = figure.add_axes((left / WIDTH, bottom / height, (WIDTH - left - right) / WIDTH, 1 - (bottom + top) / height))
    axes.patch.set_visible(False)
    return figure, axes


def _draw(axes: Axes, curve: Curve, number: int, n_curves: int) -> None:
    x, y, error = _thinned(curve)
    width, alpha = {"strong": (2.0, 1.0), "plain": (1.3, 0.9)}.get(curve.strength, (0.9, 0.55))
    dash: Any = (0, tuple(part / 1.6 for part in curve.look.dash)) if curve.look.dash else "-"
    style: dict[str, Any] = {"color": curve.look.light, "linewidth": width, "alpha": alpha, "linestyle": dash}
    level = {"strong": 3, "plain": 2.5}.get(curve.strength, 2)
    if curve.strength != "strong":
        axes.plot(x, y, zorder=level, **style)
        return
    # Markers and bars of the curves stand beside each other, not on top of each other.
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


def _label_axes(axes: Axes, x_label: str, y_label: str) -> None:
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(x_label)
    # Upright above the axis: nobody has to turn the phone.
    axes.set_title(y_label, loc="left", x=-0.0, fontsize=10, pad=7)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        axis.set_major_formatter(FuncFormatter(_number))


def _number(value: float, _position: int | None = None) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4g}"


def _label_ends(axes: Axes, curves: Sequence[Curve]) -> None:
    """Name curves beside their ends; a thin line leads from an end to a name that had to move."""
    if not curves:
        return
    low, high = axes.get_ylim()
    right = axes.get_xlim()[1]
    width_px, height_px = axes.bbox.width, axes.bbox.height
    per_px, x_per_px = (high - low) / height_px, right / width_px
    ends = np.minimum([curve.y[-1] for curve in curves], high)  # some leave at the top
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


def _rendered(figure: Figure, key: str, title: str) -> str:
    buffer = io.StringIO()
    with warnings.catch_warnings():
        # Letters that matplotlib's own font lacks: it measures them wrongly, the browser has others to draw them with.
        warnings.filterwarnings("ignore", message="Glyph|.*missing from font")
        FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None, "Creator": None})  # type: ignore[no-untyped-call]
    return inline(buffer.getvalue(), key, title)
