"""Warns that a topic's model is too weak to crawl with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_USABLE_F1, _USABLE_SKILL = 0.4, 0.1
"""Topics of pages drawn at random have an F1 of at most 0.26 and a skill of at most 0; shipped ones 0.79 and 0.65."""


def why_weak(figures: Mapping[str, Any]) -> str:
    """Return why a model can hardly tell its topic from other pages, and what to do; empty if it can, or if nothing is known.

    Brier skill is 1 - Brier score / (pi (1 - pi)): 0 of a model that calls every page as relevant as the share pi of relevant
    pages, 1 of one that is always right.

    Parameters
    ----------
    figures : mapping
        Those of a topic's manifest: `f1`, `brier` and `prior`, each in [0, 1] (`TrainingFigures`).

    >>> why_weak({"f1": 0.9, "brier": 0.01, "prior": 0.1})
    ''
    >>> why_weak({"f1": 0.2, "brier": 0.09, "prior": 0.1})[:40]
    'an F1 of 0.20 is too low for a crawl: th'
    """
    f1, brier, prior = (figures.get(name) for name in ("f1", "brier", "prior"))
    if not isinstance(f1, int | float):
        return ""
    figure = f"an F1 of {f1:.2f}" if f1 < _USABLE_F1 else ""
    if not figure and isinstance(brier, int | float) and isinstance(prior, int | float) and 0 < prior < 1:
        skill = 1 - brier / (prior * (1 - prior))
        figure = f"a Brier skill of {skill:.2f}" if skill < _USABLE_SKILL else ""
    if not figure:
        return ""
    return (
        f"{figure} is too low for a crawl: the positives can hardly be told from the unlabelled pages. Check that the "
        "positives are about one thing, bring more of them (--positive), unlabelled pages of any other topic (--unlabeled), "
        "or words that name the topic (--keywords)."
    )
