"""The drift of a crawl: relevances and link scores of the latest pages over time."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from focused.evaluation.report.colours import STEPS
from focused.evaluation.report.figures import draw_shares
from focused.evaluation.report.markup import Markup, element, figure, joined, legend, table
from focused.evaluation.report.model_versions import about_marks, marks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from focused.evaluation.report.run import Run

WINDOW = 100
_FEWEST = 40
_EDGES = np.linspace(0, 1, 6)
_NAMES = [f"{low:.1f} to {high:.1f}" for low, high in itertools.pairwise(_EDGES)]
_LEAST_SHARE = 0.001
_LEAST_CHANGE = 0.02
"""A figure in which no share moves by more is left out."""


def drift(run: Run, key: str) -> Iterator[Markup]:
    """Draw the distributions of relevances and link scores over the crawl, and write how far they have moved."""
    if not run.lists_all_pages or run.n_pages < _FEWEST:
        return
    relevances = np.array([page.relevance for page in run.pages])
    scores = np.array([np.nan if page.link_reason == "seed" else page.link_score for page in run.pages])
    figures = []
    for part, values, head in (
        ("relevances", relevances, "Relevance of the latest pages"),
        ("scores", scores, "Link score of the latest pages"),
    ):
        if np.isfinite(values).sum() < _FEWEST:
            continue
        shares = window_shares(values)
        parts = dict(zip(_NAMES, shares.T, strict=True))
        looks = dict(zip(_NAMES, STEPS, strict=True))
        known = np.isfinite(shares).all(axis=1)
        if all(np.ptp(share[known]) <= _LEAST_CHANGE for share in parts.values()):
            continue
        x = np.arange(1.0, len(values) + 1)[known]
        svg = draw_shares(
            f"{key}-{part}", x, {label: share[known] for label, share in parts.items()}, looks, title=f"{head}, in shares",
            x_label="pages fetched", y_label=f"share of the last {WINDOW} pages", marks=marks(run),
        )  # fmt: skip
        figures.append(figure(svg, joined((legend(looks), about_marks(run))), head=head))
    yield element("h3", "Drift")
    yield element("p", *_words(run, relevances))
    if figures:
        yield element("div", *figures, class_="grid")
    yield from _deciles(run)


def window_shares(values: NDArray[np.float64], n_window: int = WINDOW) -> NDArray[np.float64]:
    """Return for each page the shares of the last pages in five bins of equal width from 0 to 1.

    ``values`` of shape (n_pages,): in [0, 1]; NaN counts nowhere. ``n_window``: number of latest pages that count; all so far
    at the beginning. The result is of shape (n_pages, 5): NaN where no page of the window has a value.
    """
    bins = np.clip(np.searchsorted(_EDGES, values, side="right") - 1, 0, len(_NAMES) - 1)
    is_in = (bins[:, None] == np.arange(len(_NAMES))) & np.isfinite(values)[:, None]
    counts = np.cumsum(is_in, axis=0, dtype=np.float64)
    counts = counts - np.concatenate([np.zeros((n_window, len(_NAMES))), counts])[: len(counts)]
    n = counts.sum(axis=1, keepdims=True)
    shares: NDArray[np.float64] = np.divide(counts, n, out=np.full_like(counts, np.nan), where=n > 0)
    return shares


def stability_index(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Return the population stability index over ten bins, as `focused.retraining.drift` defines it."""
    shares = []
    for values in (before, after):
        counts = np.histogram(values[np.isfinite(values)], np.linspace(0, 1, 11))[0]
        shares.append(np.maximum(counts / max(counts.sum(), 1), _LEAST_SHARE))
    return float(((shares[1] - shares[0]) * np.log(shares[1] / shares[0])).sum())


def _words(run: Run, relevances: NDArray[np.float64]) -> Iterator[object]:
    n = min(WINDOW, run.n_pages // 2)
    relevant = np.array([page.is_relevant for page in run.pages], dtype=np.float64)
    first, last = relevant[:n].mean(), relevant[-n:].mean()
    index = stability_index(relevances[:n], relevances[-n:])
    yield f"Harvest rate of the first {n} pages {first:.2f}, of the last {n} pages {last:.2f}. "
    by_chance = _chance(relevances[:n], relevances[-n:])
    far = "near" if index < 0.1 + by_chance else "some way from" if index <= 0.25 + 2 * by_chance else "far from"
    yield (
        f"The relevances of the last {n} pages lie {far} those of the first {n}: population stability index {index:.2f}; "
        f"so few pages differ by about {by_chance:.2f} where nothing has changed."
    )
    found = run.stats.get("focused/drift/scores")
    if isinstance(found, float):
        yield (
            f" At the end the index of the latest pages against the training pages was {found:.2f}; a focused crawl meets "
            "more relevant pages than its training did, so it is never 0."
        )


def _chance(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Return the index that two samples of one distribution have by chance: degrees of freedom by sample sizes."""
    values = [part[np.isfinite(part)] for part in (before, after)]
    n_bins = np.count_nonzero(np.histogram(np.concatenate(values), np.linspace(0, 1, 11))[0])
    return float(sum((n_bins - 1) / max(len(part), 1) for part in values))


def _deciles(run: Run) -> Iterator[Markup]:
    rows = []
    for key, label in (("training", "training pages"), ("window", "latest pages of the crawl")):
        values = run.stats.get(f"focused/drift/{key}_deciles")
        if (
            not isinstance(values, list)
            or len(values) != 9
            or not all(isinstance(each, int | float) for each in values)
        ):
            return
        rows.append((label, *(f"{value:.3f}" for value in values)))
    heads = ("", *(f"{tenth} %" for tenth in range(10, 100, 10)))
    yield table("Deciles", "At the end, so many per cent of the pages had at most this relevance.", heads, rows)
