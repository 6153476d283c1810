"""The results of the plan's evaluations."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from focused.evaluation.measures import CurvePoint, length_at
from focused.evaluation.report.files import ReportError
from focused.evaluation.report.results import CrawlResult, WebResults, read_results
from focused.utils.words import quantity
from paper_claims.plan import WEBS
from paper_claims.running import FAILED
from paper_claims.verdicts import Order, order

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from paper_claims.verdicts import Values


FEWEST = 5
"""Relevant pages that every crawler must have found for their target lengths to be compared."""


class Crawls:
    """What the evaluations in a folder found; an evaluation that is not there has no crawls."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, WebResults] = {}

    def of(self, name: str) -> WebResults:
        """Return the results of an evaluation."""
        if name not in self._known:
            folder = self._folder / name
            try:
                found = read_results(folder)
            except ReportError:  # not begun, or without a crawl yet
                self._known[name] = WebResults(name, [])
            else:
                on_web = found.on(found.webs[0])
                # Where there is a preset, its name comes first; the folder's name says it, too.
                own = [replace(crawl, strategy=crawl.strategy.split()[-1]) for crawl in on_web.crawls]
                self._known[name] = WebResults(on_web.web, own)
        return self._known[name]

    def why_failed(self, name: str) -> str:
        """Return how many crawls of an evaluation failed, and why, if any did; else empty."""
        path = self._folder / name / FAILED
        if not path.is_file():
            return ""
        n_done = len(self.of(name).crawls)
        return f"{f'{n_done} crawls, the others failed' if n_done else 'no crawl'}. {path.read_text(encoding='utf-8')}"

    def extent(self, name: str) -> str:
        """Return what was run of an evaluation: topics, repeats (from, to, if a run was cut short) and pages."""
        crawls = self.of(name).crawls
        cells = Counter((crawl.topic, crawl.strategy) for crawl in crawls)
        least, most = min(cells.values()), max(cells.values())
        repeats = f"{least} to {most} repeats" if least != most else quantity(most, "repeats")
        budgets = sorted({int(crawl.value("budget")) for crawl in crawls})
        topics = quantity(len({topic for topic, _ in cells}), "topics")
        return f"{topics}, {repeats} of {' or '.join(map(str, budgets))} pages"

    def values(self, name: str, strategy: str, column: str = "share_of_bound") -> Values:
        """Return a figure of each crawl of a strategy."""
        found = {(one.topic, one.repeat): one.value(column) for one in self.of(name).of(strategy)}
        return {key: value for key, value in found.items() if not math.isnan(value)}

    def mean(self, name: str, strategy: str, column: str = "share_of_bound") -> float:
        """Return the mean over topics of a figure; NaN if there is none."""
        return self.of(name).estimate(strategy, column).mean

    def by_topic(self, name: str, strategy: str, columns: Mapping[str, str]) -> dict[str, dict[str, float]]:
        """Return figures of a strategy for each topic, means over repeats, by the words that stand for their columns."""
        results = self.of(name)
        return {
            topic: {
                words: float(np.mean([crawl.value(column) for crawl in results.of(strategy, topic)]))
                for column, words in columns.items()
            }
            for topic in results.topics
            if results.of(strategy, topic)
        }

    def order(
        self, prefix: str, first: str, second: str, prefix_of_second: str = "", column: str = "share_of_bound"
    ) -> Order:
        """Compare a figure of two strategies on all kinds of webs, in the evaluations whose names begin with a prefix.

        Those of the second one are in the evaluations of another prefix, where there is one.
        """
        found = [
            {web: self.values(f"{name}-{web}", strategy, column) for web in WEBS}
            for name, strategy in ((prefix, first), (prefix_of_second or prefix, second))
        ]
        return order(*found)

    def lengths(self, name: str, strategies: list[str]) -> dict[str, Values]:
        """Return target lengths after the same number of relevant pages, in links a relevant page [P13, fig. 13].

        The number is, for each topic and repeat, the greatest that all the strategies reached; where one found fewer than
        `FEWEST` they are left out.
        """
        results, found = self.of(name), {strategy: {} for strategy in strategies}
        runs = {(run.topic, run.repeat, run.strategy): curve_of(run) for run in results.crawls}
        for topic, repeat in dict.fromkeys((topic, repeat) for topic, repeat, _ in runs):
            curves = {strategy: runs.get((topic, repeat, strategy), []) for strategy in strategies}
            n_relevant = min(curve[-1].relevant if curve else 0 for curve in curves.values())
            if n_relevant >= FEWEST:
                for strategy, curve in curves.items():
                    found[strategy][topic, repeat] = length_at(curve, n_relevant) / n_relevant
        return found

    def length_curve(self, name: str, strategy: str) -> tuple[list[int], list[float]]:
        """Return numbers of relevant pages, and the target length after each as the mean over the crawls that found so many.

        It ends where fewer than half of the crawls go on.
        """
        curves = [curve for curve in map(curve_of, self.of(name).of(strategy)) if curve]
        most = sorted((curve[-1].relevant for curve in curves), reverse=True)
        end = int(most[len(most) // 2]) if most else 0
        grid = sorted({*range(FEWEST, end, max(end // 30, 1)), end}) if end else []
        return grid, [
            float(np.mean([length_at(curve, n) for curve in curves if curve[-1].relevant >= n])) for n in grid
        ]


def curve_of(crawl: CrawlResult) -> list[CurvePoint]:
    """Return the points of a crawl's curve."""
    columns = [crawl.curve[name] for name in CurvePoint._fields]
    return [CurvePoint(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]
