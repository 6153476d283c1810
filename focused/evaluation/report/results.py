"""The results of an evaluation from its folder, with the means, errors and comparisons that its report shows."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.evaluation.report.files import ReportError, read_json, read_rows
from focused.utils.estimates import Estimate, compare, estimated
from focused.utils.file_names import CURVES_FILE, RESULTS_FILE, RUN_FILE
from focused.utils.words import with_preset

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

_NAMES = ("web", "topic", "strategy")


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """One crawl of an evaluation. The name of its web includes the start, see `with_start`.

    ``figures`` holds the numbers of its row in results.csv by column; ``curve`` the columns of its rows in curves.csv, each of
    shape (n_rows,).
    """

    web: str
    topic: str
    strategy: str
    repeat: int
    finish_reason: str
    figures: dict[str, float]
    curve: dict[str, NDArray[np.float64]]

    @property
    def is_failed(self) -> bool:
        """Whether it has no result; then it counts in no figure."""
        return self.finish_reason.startswith("failed")

    def value(self, column: str) -> float:
        """Return a number of its row; NaN if it has none."""
        return self.figures.get(column, math.nan)


@dataclass(frozen=True)
class Results:
    """All crawls of an evaluation, in the order of its files."""

    crawls: list[CrawlResult]
    run: dict[str, Any]
    n_bad_rows: int

    @property
    def webs(self) -> list[str]:
        """The names of the webs."""
        return list(dict.fromkeys(crawl.web for crawl in self.crawls))

    def on(self, web: str) -> WebResults:
        """Return the crawls of one web that did not fail."""
        return WebResults(web, [crawl for crawl in self.crawls if crawl.web == web and not crawl.is_failed])


class WebResults:
    """The crawls of one web; topics and strategies in the order of the files."""

    def __init__(self, web: str, crawls: list[CrawlResult]) -> None:
        self.web, self.crawls = web, crawls
        self.topics = list(dict.fromkeys(crawl.topic for crawl in crawls))
        self.strategies = list(dict.fromkeys(crawl.strategy for crawl in crawls))
        self._cells: dict[tuple[str, str], list[CrawlResult]] = defaultdict(list)
        for crawl in crawls:
            self._cells[crawl.strategy, crawl.topic].append(crawl)

    @property
    def max_pages(self) -> int:
        """Pages of the longest crawl."""
        longest = max((crawl.value("pages") for crawl in self.crawls), default=0.0)
        return 0 if math.isnan(longest) else int(longest)

    @property
    def n_repeats(self) -> int:
        """Greatest number of crawls of one strategy and topic."""
        return max(map(len, self._cells.values()), default=0)

    def of(self, strategy: str, topic: str | None = None) -> list[CrawlResult]:
        """Return the crawls of a strategy, for one topic or for all."""
        if topic is not None:
            return self._cells.get((strategy, topic), [])
        return [crawl for crawl in self.crawls if crawl.strategy == strategy]

    def estimate(self, strategy: str, column: str) -> Estimate:
        """Return mean and interval of a column, over topics (means of repeats) or the repeats of a single topic."""
        return estimated({topic: [crawl.value(column) for crawl in self.of(strategy, topic)] for topic in self.topics})

    def difference(self, strategy: str, other: str, column: str) -> Estimate:
        """Return mean and interval of paired differences of two strategies on the same topics and repeats."""
        return compare(self._values(strategy, column), self._values(other, column))

    def _values(self, strategy: str, column: str) -> dict[tuple[str, int], float]:
        return {(crawl.topic, crawl.repeat): crawl.value(column) for crawl in self.of(strategy)}

    def curve(
        self, strategy: str, of: Callable[[CrawlResult], NDArray[np.float64]], topic: str | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
        """Return the mean of a quantity after the same number of pages, over topics (or the repeats of one).

        A crawl that ended early carries its last value forward. Returned: pages, means and standard errors, each of shape
        (n_points,); the errors are over topics, or over the repeats of a single topic, and None if there is only one value.
        """
        topics = self.topics if topic is None else [topic]
        end = max((crawl.curve["pages"][-1] for crawl in self.crawls if len(crawl.curve["pages"])), default=0.0)
        step = _step(self.crawls)
        grid = np.unique(np.append(np.arange(step, end + 1e-9, step), end)) if end else np.empty(0)
        values = []
        for each in topics:
            drawn = [carried(crawl.curve["pages"], of(crawl), grid) for crawl in self.of(strategy, each)]
            drawn = [line for line in drawn if line is not None]
            if drawn:
                values.append(np.array(drawn))
        if not values:
            return np.empty(0), np.empty(0), None
        lines = values[0] if len(values) == 1 else np.array([of_topic.mean(axis=0) for of_topic in values])
        error = lines.std(axis=0, ddof=1) / math.sqrt(len(lines)) if len(lines) > 1 else None
        return grid, lines.mean(axis=0), error

    def ranked(self, column: str = "share_of_bound") -> list[str]:
        """Return the strategies, best first; those without a value last."""
        means = {strategy: self.estimate(strategy, column).mean for strategy in self.strategies}
        return sorted(self.strategies, key=lambda strategy: (math.isnan(means[strategy]), -means[strategy]))


def carried(x: NDArray[np.float64], y: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return y at the points of a grid: linear between rows, constant after the last row.

    >>> carried(np.array([10.0, 20.0]), np.array([1.0, 2.0]), np.array([10.0, 15.0, 30.0])).tolist()
    [1.0, 1.5, 2.0]
    """
    known = ~(np.isnan(x) | np.isnan(y))
    return np.interp(grid, x[known], y[known]) if known.any() else None


def read_results(directory: Path) -> Results:
    """Read the results of an evaluation. Raises ReportError if the folder holds no evaluation."""
    path = directory / RESULTS_FILE
    if not path.is_file():
        raise ReportError(f"{directory} holds no evaluation: it has no {RESULTS_FILE}. Write one with scrapy evaluate.")
    curves: dict[tuple[str, str, str, int], list[dict[str, float]]] = defaultdict(list)
    (curve_rows, n_bad), (result_rows, n_unread) = read_rows(directory / CURVES_FILE), read_rows(path)
    n_bad += n_unread
    for row in curve_rows:
        key, numbers = _key(row), _numbers(row)
        if key is None or math.isnan(numbers.get("pages", math.nan)):
            n_bad += 1
        else:
            curves[key].append(numbers)
    crawls = {}
    for row in result_rows:
        key = _key(row)
        if key is None:
            n_bad += 1
            continue
        crawls[key] = CrawlResult(*key, row.get("finish_reason") or "", _numbers(row), _columns(curves.get(key, [])))
    if not crawls:
        raise ReportError(f"{path} has no crawl yet. Start the evaluation again: it resumes.")
    return Results(list(crawls.values()), read_json(directory / RUN_FILE), n_bad)


def with_start(web: str, start: str) -> str:
    """Return the name of a web for people, with what its topics were trained from if not as usual.

    >>> with_start("site", "web"), with_start("site", "words")
    ('site', 'site from words')
    """
    return web if start == "web" else f"{web} from {start}"


def _key(row: dict[str, str]) -> tuple[str, str, str, int] | None:
    """Return the key of a crawl; None for an incomplete row."""
    try:
        web, topic, strategy = (row[name] or "" for name in _NAMES)
        web = with_start(web, row.get("start") or "web")
        name = with_preset(strategy, row.get("preset") or "")
        return (web, topic, name, int(row["repeat"])) if strategy else None
    except (KeyError, ValueError, TypeError):
        return None


def _numbers(row: dict[str, str]) -> dict[str, float]:
    numbers = {}
    for column, value in row.items():
        if column is None or column in (*_NAMES, "start", "preset") or not isinstance(value, str):
            continue
        try:
            number = float(value)
        except ValueError:
            continue
        if math.isfinite(number):
            numbers[column] = number
    return numbers


def _columns(rows: list[dict[str, float]]) -> dict[str, NDArray[np.float64]]:
    rows = sorted(rows, key=lambda row: row["pages"])
    names = (
        "pages",
        "relevant",
        "harvest_rate",
        "target_recall",
        "target_length",
        "irrelevant_on_path",
        "virtual_hours",
    )
    return {name: np.array([row.get(name, math.nan) for row in rows], dtype=np.float64) for name in names}


def _step(crawls: list[CrawlResult]) -> float:
    """Return the pages between two rows of the curves."""
    steps = [float(crawl.curve["pages"][0]) for crawl in crawls if len(crawl.curve["pages"]) > 1]
    return max(1.0, min(steps, default=10.0))
