"""Means with Student's 95 % interval: of crawls, and of the paired differences of two strategies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval (NaN for fewer than two values) and the number of values."""

    mean: float
    low: float
    high: float
    n: int
    #: What the values are of: ``topics``, or ``repeats`` if there is only one topic.
    unit: str = "topics"

    @property
    def verdict(self) -> str:
        """The meaning of a difference: ``better``, ``worse`` or ``tie``; the interval of the first two excludes 0."""
        if self.low > 0:
            return "better"
        return "worse" if self.high < 0 else "tie"


def estimated(by_topic: Mapping[str, list[float]]) -> Estimate:
    """Return the mean over topics (each the mean of its repeats) with Student's 95 % interval; NaN counts nowhere.

    The topics are the sample, because repeats of a topic share its pages and are not independent. With a single topic the
    repeats are the sample, and the interval tells nothing about other topics.
    """
    known = [[value for value in values if not math.isnan(value)] for values in by_topic.values()]
    known = [values for values in known if values]
    sample, unit = (known[0], "repeats") if len(known) == 1 else (list(map(fmean, known)), "topics")
    n = len(sample)
    if n < 2:
        return Estimate(sample[0] if sample else math.nan, math.nan, math.nan, n, unit)
    mean, half = fmean(sample), float(stats.t.ppf(0.975, n - 1)) * stdev(sample) / math.sqrt(n)
    return Estimate(mean, mean - half, mean + half, n, unit)


def compare(values: Mapping[tuple[str, int], float], baseline: Mapping[tuple[str, int], float]) -> Estimate:
    """Return the mean difference of two strategies on the crawls (topic, repeat) that both have."""
    of_topic: dict[str, list[float]] = {}
    for key in sorted(values.keys() & baseline.keys()):
        of_topic.setdefault(key[0], []).append(values[key] - baseline[key])
    return estimated(of_topic)
