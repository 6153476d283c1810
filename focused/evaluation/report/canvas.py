"""Empty figures as SVG inside a page: text stays text, colours follow the theme, and equal numbers give equal bytes.

Sizes are in CSS pixels of a figure 400 wide, which is legible on a phone; pages stretch it.
"""

from __future__ import annotations

import io
import re
import warnings
from html import escape
from typing import TYPE_CHECKING

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from focused.evaluation.report.colours import GRID, INK, themed
from focused.evaluation.report.markup import clean

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from matplotlib.axes import Axes

WIDTH = 400
_REFERENCE = re.compile(r'(?:url\(#|href="#)([^)"]+)')
_ID = re.compile(r' id="([^"]*)"')
_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "focused",
    "text.parse_math": False,  # a name may hold two dollar signs
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


def styled() -> AbstractContextManager[None]:
    """Return the style of the figures."""
    return rc_context(_STYLE)  # type: ignore[arg-type]


def new_axes(height: float, *, left: float, right: float, bottom: float, top: float) -> tuple[Figure, Axes]:
    """Return an empty figure and its axes; the margins are in pixels."""
    # A point is 1/72 inch and one unit of the SVG.
    figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72)
    figure.patch.set_visible(False)
    axes = figure.add_axes((left / WIDTH, bottom / height, (WIDTH - left - right) / WIDTH, 1 - (bottom + top) / height))
    axes.patch.set_visible(False)
    return figure, axes


def label_axes(axes: Axes, x_label: str, y_label: str, above: float = 7) -> None:
    """Label both axes and set their ticks; ``above``: pixels between the vertical axis and its label."""
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(x_label)
    # The label stands upright above the axis, legible without turning a phone.
    axes.set_title(y_label, loc="left", x=-0.0, fontsize=10, pad=above)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        axis.set_major_formatter(FuncFormatter(tick_label))


def tick_label(value: float, _position: int | None = None) -> str:
    """Return the label of a tick."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4g}"


def rendered(figure: Figure, key: str, title: str) -> str:
    """Return the figure as an element of a page."""
    buffer = io.StringIO()
    with warnings.catch_warnings():
        # matplotlib's font lacks some letters and measures them wrongly; the browser has fonts for them.
        warnings.filterwarnings("ignore", message="Glyph|.*missing from font")
        FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None, "Creator": None})  # type: ignore[no-untyped-call]
    return _inline(buffer.getvalue(), key, title)


def _inline(svg: str, key: str, title: str) -> str:
    """Return matplotlib's SVG with a title for screen readers, ids that begin with ``key``, and CSS variables."""
    body = svg[svg.index("<svg") :]
    # matplotlib's style would hold for the whole page, and the page's own style has the same rules.
    body = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style\b.*?</style>", "", body, flags=re.DOTALL)
    found = re.search(r'viewBox="([^"]*)"', body)
    view_box = found.group(1) if found else "0 0 400 300"
    content = body[body.index(">") + 1 : body.rindex("</svg>")]
    content = re.sub(r"<defs>\s*</defs>", "", content).replace("xlink:href=", "href=")
    used = set(_REFERENCE.findall(content))
    content = _ID.sub(lambda id_: f' id="{key}-{id_.group(1)}"' if id_.group(1) in used else "", content)
    content = re.sub(r"(url\(#|href=\"#)", rf"\g<1>{key}-", content)
    # From here on only tags are changed, never the texts between them.
    content = re.sub(r"<[^>]*>", lambda tag: _lean(tag.group()), content)
    content = re.sub(r">\s+<", "><", content)
    return (
        f'<svg viewBox="{view_box}" role="img" aria-labelledby="{key}-title">'
        f'<title id="{key}-title">{escape(clean(title))}</title>{clean(content)}</svg>'
    )


def _lean(tag: str) -> str:
    """Return a tag with shorter numbers (long paths: one digit after the point, else two) and colours of the theme."""
    digits = 1 if tag.startswith("<path d=") and len(tag) > 400 else 2
    tag = _NUMBER.sub(lambda number: f"{float(number.group()):.{digits}f}".rstrip("0").rstrip("."), tag)
    tag = re.sub(r"font: ([^;\"]*?)[\d.]+px [^;\"]*", _font, tag)
    return themed(re.sub(r"\s+", " ", tag))


def _font(found: re.Match[str]) -> str:
    size = re.search(r"([\d.]+)px", found.group())
    weight = "font-weight: 700; " if "700" in found.group(1) or "bold" in found.group(1) else ""
    return f"{weight}font-size: {size.group(1) if size else 10}px"
