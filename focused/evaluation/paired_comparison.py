"""Compare two strategies: paired differences over topics, with an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Mapping

BETTER, WORSE, TIE = "better", "worse", "tie"
CONFIDENCE = 0.95


@dataclass(frozen=True)
class PairedComparison:
    """The mean difference between two strategies, with its 95 % interval."""

    difference: float
    #: None if there are fewer than two units.
    low: float | None
    high: float | None
    n: int
    #: The units: ``topics``, or ``repeats`` if there is only one topic.
    unit: str

    @property
    def verdict(self) -> str:
        """``tie`` unless the interval excludes 0."""
        if self.low is None or self.high is None or self.low <= 0 <= self.high:
            return TIE
        return BETTER if self.difference > 0 else WORSE


def t_interval(values: list[float], confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Return the interval of Student's t for the mean of values; None for fewer than two.

    >>> [round(bound, 4) for bound in t_interval([1.0, 2.0, 3.0])]
    [-0.4841, 4.4841]
    """
    if len(values) < 2:
        return None
    half = float(stats.t.ppf((1 + confidence) / 2, len(values) - 1)) * stdev(values) / math.sqrt(len(values))
    mean = fmean(values)
    return mean - half, mean + half


def compare(
    values: Mapping[tuple[str, int], float], baseline: Mapping[tuple[str, int], float]
) -> PairedComparison | None:
    """Compare two strategies on the crawls that both have.

    Repeats of a topic share its pages and are not independent. So the differences are averaged over the repeats of each
    topic, and the interval is that of the topics' means. With a single topic it is that of its repeats, and then tells
    nothing about other topics.

    Parameters
    ----------
    values, baseline : mapping of (topic, repeat) to float

    Returns
    -------
    Comparison or None
        None if they have no crawl in common.
    """
    of_topic: dict[str, list[float]] = {}
    for key in sorted(values.keys() & baseline.keys()):
        of_topic.setdefault(key[0], []).append(values[key] - baseline[key])
    if not of_topic:
        return None
    if len(of_topic) > 1:
        differences, unit = [fmean(found) for found in of_topic.values()], "topics"
    else:
        (differences,), unit = of_topic.values(), "repeats"
    interval = t_interval(differences)
    low, high = interval or (None, None)
    return PairedComparison(fmean(differences), low, high, len(differences), unit)
