from __future__ import annotations

import itertools

import numpy as np
import pytest

from focused.evaluation.report.colours import LOOKS, REASON_LOOKS, style_of
from focused.method.strategies import STRATEGIES
from focused.utils.page_colours import DARK, LIGHT

PAIRS = list(itertools.combinations(LOOKS, 2))

# Linear RGB as people without long-wave or without medium-wave cones see it (Machado, Oliveira and Fernandes 2009, severity 1).
EYES = {
    "ordinary": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def _linear(colour: str) -> np.ndarray:
    value = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def _lab(colour: str, eye: str) -> np.ndarray:
    t = XYZ @ np.clip(EYES[eye] @ _linear(colour), 0, 1) / np.array([0.9505, 1, 1.089])
    f = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def _distance(a: str, b: str) -> float:
    return min(float(np.linalg.norm(_lab(a, eye) - _lab(b, eye))) for eye in EYES)


def _contrast(a: str, b: str) -> float:
    low, high = sorted(float(XYZ[1] @ _linear(colour)) for colour in (a, b))
    return (high + 0.05) / (low + 0.05)


def _paper(sheet: str) -> str:
    return sheet.split("--paper:")[1][:7]


def test_every_strategy_of_the_project_has_a_look_of_its_own():
    assert set(STRATEGIES) <= set(LOOKS)
    looks = [(look.light, look.dash, look.marker) for look in LOOKS.values()]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_strategies_of_like_colour_for_any_eye_differ_in_dash_and_in_marker(theme):
    for a, b in PAIRS:
        one, other = LOOKS[a], LOOKS[b]
        if _distance(getattr(one, theme), getattr(other, theme)) < 12:
            assert one.dash != other.dash, (a, b)
            assert one.marker != other.marker, (a, b)


@pytest.mark.parametrize(
    "family",
    [
        {"oracle", "random", "breadth_first", "depth_first"},
        {"best_first", "fish_search", "shark_search", "patel_schmidt"},
        {"anchor_text", "anchor_tree", "link_context", "slc"},
        {"cbp", "cbp_slc", "lpe"},
        {"clustering", "incremental", "hybrid", "adaptive"},
    ],
)
def test_members_of_a_family_differ_in_dash(family):
    assert len({LOOKS[name].dash for name in family}) == len(family)


@pytest.mark.parametrize(("theme", "sheet"), [("light", LIGHT), ("dark", DARK)])
def test_curves_stand_out_from_the_paper(theme, sheet):
    for name, look in LOOKS.items():
        assert _contrast(getattr(look, theme), _paper(sheet)) >= 3, name  # WCAG 2.1, 1.4.11


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_parts_of_a_bar_that_lie_side_by_side_are_told_apart_by_any_eye(theme):
    for order in (("block", "anchor", "context", "deferred"), ("relevant", "irrelevant")):
        for a, b in itertools.pairwise(order):
            assert _distance(getattr(REASON_LOOKS[a], theme), getattr(REASON_LOOKS[b], theme)) >= 12, (a, b)


def test_an_unknown_strategy_always_looks_the_same():
    assert style_of("of somebody else") == style_of("of somebody else")
