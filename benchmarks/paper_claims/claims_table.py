"""What comparisons without a crawl have in common: their claims as a table, their extent, their figures."""

from __future__ import annotations

import re
from statistics import fmean
from typing import TYPE_CHECKING, Any

from common import table
from comparisons.plotting import NAMES

from focused.utils.words import quantity
from paper_claims.verdicts import Order, signed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from comparisons.base import Comparison

    from paper_claims.verdicts import Values

Row = dict[str, Any]
Claims = dict[str, tuple[str, Order]]
"""For each claim what the paper says, and what is found."""


def values_of(rows: Iterable[Row], of: Callable[[Row], float]) -> dict[str, Values]:
    """Return a figure of each draw, by corpus, topic and seed."""
    found: dict[str, Values] = {}
    for row in rows:
        found.setdefault(NAMES[row["corpus"]], {})[row["topic"], row["seed"]] = of(row)
    return found


def corpora_in(rows: Iterable[Row]) -> list[str]:
    """Return the corpora of some draws, in their order."""
    return list(dict.fromkeys(row["corpus"] for row in rows))


def extent(rows: Sequence[Row]) -> str:
    """Return how many topics, corpora and draws there are, in words."""
    topics = {(row["corpus"], row["topic"]) for row in rows}
    draws = {(row["corpus"], row["topic"], row["seed"]) for row in rows}
    n_corpora = len(corpora_in(rows))
    of = "1 corpus" if n_corpora == 1 else f"{n_corpora} corpora"
    return f"{quantity(len(topics), 'topics')} of {of}, {quantity(len(draws), 'draws')}"


def mean_in(rows: Iterable[Row], corpus: str, of: Callable[[Row], float]) -> float:
    """Return the mean of a figure over the topics of a corpus, each the mean of its draws."""
    by_topic: dict[str, list[float]] = {}
    for row in rows:
        if row["corpus"] == corpus:
            by_topic.setdefault(row["topic"], []).append(of(row))
    return fmean(map(fmean, by_topic.values()))


def told(found: Order) -> str:
    """Return what is found of a claim: the paired difference and the verdict."""
    return f"{signed(found.on_all)}, {found.verdict}"


def claims_table(claims: Mapping[str, tuple[str, Order]]) -> str:
    """Return claims with what the paper says, the paired difference and the verdict."""
    rows = [[claim, told, signed(found.on_all), found.verdict] for claim, (told, found) in claims.items()]
    return table(["claim", "paper", "difference", "verdict"], rows)


def figures_of(comparison: Comparison, rows: list[Row], figures: Path) -> str:
    """Draw a comparison, and return only its figures: its tables stand in docs/results."""
    figures.mkdir(parents=True, exist_ok=True)
    return "\n\n".join(re.findall(r"!\[[^\]]*\]\([^)]*\)", comparison.report(rows, figures)))
