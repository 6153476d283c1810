"""One colour, dash and marker for each strategy, in every figure of the project.

Strategies of a family share a hue and differ in lightness, dash and marker; the references are black and grey. Hues are those
of Okabe and Ito, darkened until thin lines are visible on white. Each colour has a twin for dark screens: figures use the
light one, and ``themed`` replaces it by a CSS variable.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

_SOLID: tuple[float, ...] = ()
_DASHED, _LONG, _DOTTED = (5.0, 2.0), (9.0, 2.5), (1.2, 1.6)
_DASH_DOT, _DASH_DOT_DOT = (6.0, 1.8, 1.2, 1.8), (6.0, 1.6, 1.2, 1.6, 1.2, 1.6)


@dataclass(frozen=True, slots=True)
class CurveStyle:
    """The look of a curve: colours as ``#rrggbb``, dash as lengths in units of the line's width (empty: solid)."""

    light: str
    dark: str
    dash: tuple[float, ...] = _SOLID
    marker: str = "o"


LOOKS = {
    "oracle": CurveStyle("#1c1c1c", "#f4f4f4", _SOLID, "*"),
    "random": CurveStyle("#8c8c8c", "#8f8f8f", _DOTTED, "x"),
    "breadth_first": CurveStyle("#636363", "#b4b4b4", _DASHED, "s"),
    "depth_first": CurveStyle("#7d7d7d", "#a0a0a0", _DASH_DOT, "v"),
    "best_first": CurveStyle("#d55e00", "#ff8b3d", _SOLID, "o"),
    "fish_search": CurveStyle("#a83c00", "#e06a2c", _DASHED, "s"),
    "shark_search": CurveStyle("#b97a00", "#f0b545", _DASH_DOT, "^"),
    "patel_schmidt": CurveStyle("#7a3b00", "#c98a55", _DOTTED, "D"),
    "anchor_text": CurveStyle("#009e73", "#2fd0a0", _LONG, "^"),
    "anchor_tree": CurveStyle("#0a6b4d", "#1f9c78", _DASH_DOT_DOT, "v"),
    "link_context": CurveStyle("#3f8f2f", "#8bd672", _DASHED, "P"),
    "slc": CurveStyle("#00574a", "#6fb8a6", _SOLID, "D"),
    "cbp": CurveStyle("#3a8fc9", "#7cc4f2", _DASHED, "D"),
    "cbp_slc": CurveStyle("#0064b4", "#4ba3ec", _SOLID, "o"),
    "lpe": CurveStyle("#1b3a8a", "#8fa2f5", _DASH_DOT, "^"),
    "clustering": CurveStyle("#c05a93", "#ee9cc8", _DASH_DOT_DOT, "h"),
    "incremental": CurveStyle("#8e2f7d", "#cf70be", _DASHED, "v"),
    "hybrid": CurveStyle("#5e2590", "#b48bee", _LONG, "P"),
    "adaptive": CurveStyle("#c2002f", "#ff6b85", _SOLID, "X"),
}  # fmt: skip

# For other strategies, and for crawls with the same strategy.
_SPARE = tuple(
    CurveStyle(light, dark, dash, marker)
    for dash, marker in ((_SOLID, "o"), (_DASHED, "s"), (_DASH_DOT, "^"), (_DOTTED, "D"), (_LONG, "v"))
    for light, dark in (("#0064b4", "#4ba3ec"), ("#d55e00", "#ff8b3d"), ("#009e73", "#2fd0a0"), ("#8e2f7d", "#cf70be"))
)

#: The evidence that admits links, in the order in which bars are stacked.
REASON_LOOKS = {
    "block": CurveStyle("#0064b4", "#4ba3ec"),
    "anchor": CurveStyle("#009e73", "#2fd0a0"),
    "context": CurveStyle("#b97a00", "#f0b545"),
    "deferred": CurveStyle("#8c8c8c", "#8f8f8f"),
    "relevant": CurveStyle("#0064b4", "#4ba3ec"),
    "irrelevant": CurveStyle("#bdbdbd", "#5c5c5c"),
}
_OTHER_REASONS = (CurveStyle("#8e2f7d", "#cf70be"), CurveStyle("#d55e00", "#ff8b3d"), CurveStyle("#1b3a8a", "#8fa2f5"))

#: Five steps from little to much.
STEPS = tuple(
    CurveStyle(light, dark)
    for light, dark in (
        ("#d5d9de", "#363b42"), ("#a9c6e0", "#2b4a66"), ("#74a8d4", "#2f6da3"), ("#3e83bf", "#4c9ad9"),
        ("#0b4a8a", "#a8d4ff"),
    )
)  # fmt: skip

INK, GRID, PAPER = "#010203", "#040506", "#fdfefc"
"""Placeholders for the colours of text, grid lines and paper; no strategy uses them."""

_ROLES = {INK: "var(--ink)", GRID: "var(--grid)", PAPER: "var(--paper)"}

#: References of a comparison, which are no choice for a crawl.
REFERENCES = ("oracle", "random")


def style_of(strategy: str) -> CurveStyle:
    """Return the look of a strategy; an unknown one always gets the same spare look."""
    return LOOKS.get(strategy) or _SPARE[zlib.crc32(strategy.encode("utf-8", "replace")) % len(_SPARE)]


def spare_style(number: int) -> CurveStyle:
    """Return the look of the n-th of several crawls; looks repeat after twenty."""
    return _SPARE[number % len(_SPARE)]


def style_of_reason(reason: str, number: int = 0) -> CurveStyle:
    """Return the look of a reason; ``number`` counts the reasons without a look of their own."""
    return REASON_LOOKS.get(reason) or _OTHER_REASONS[number % len(_OTHER_REASONS)]


def themed(markup: str) -> str:
    """Replace colours by CSS variables, so that a figure follows the theme of the page.

    >>> themed("stroke: #0064b4; fill: #010203; color: #abcdef")
    'stroke: var(--c-0064b4); fill: var(--ink); color: #abcdef'
    """
    twins = _twins()

    def variable(found: re.Match[str]) -> str:
        colour = found.group().lower()
        return _ROLES.get(colour) or (f"var(--c-{colour[1:]})" if colour in twins else colour)

    return re.sub(r"#[0-9a-fA-F]{6}\b", variable, markup)


def css_variables(dark: bool) -> str:
    """Return the declarations of all colours' CSS variables, for a dark or a light screen."""
    return "".join(f"--c-{light[1:]}:{twin if dark else light};" for light, twin in sorted(_twins().items()))


def _twins() -> dict[str, str]:
    looks = (*LOOKS.values(), *_SPARE, *REASON_LOOKS.values(), *_OTHER_REASONS, *STEPS)
    return {look.light: look.dark for look in looks}
