"""Drift: how far the pages of a crawl lie from those that its model was trained on, for its stats and its log."""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from focused.method.topic.counted import relevance_of_counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.method.topic import Topic, TopicExamples
    from focused.retraining.interface import PageCounts

logger = logging.getLogger(__name__)

_LEAST_SHARE = 0.001


def example_relevance(topic: Topic, examples: TopicExamples) -> npt.NDArray[np.float64]:
    """Return the relevance that a model gives the pages it was trained on first, shape (n_pages,), in [0, 1]."""
    return relevance_of_counts(topic, examples.terms, examples.pages, "page")


def deciles(relevances: npt.ArrayLike) -> list[float]:
    """Return the nine values that divide relevances into tenths; none of nothing."""
    values = np.asarray(relevances, dtype=np.float64)
    return np.quantile(values, np.arange(1, 10) / 10).round(4).tolist() if len(values) else []


def drift(training: npt.ArrayLike, window: npt.ArrayLike) -> float:
    """Return the population stability index of a crawl's latest relevances against the training pages'.

    PSI = sum_b (q_b - p_b) ln(q_b / p_b), p and q the shares of training pages and of the window in ten bins of equal
    width; shares are at least 0.001. By custom less than 0.1 is no change and more than 0.25 a large one. A focused crawl
    has more relevant pages than its training had. So the change of the index matters, not its value.
    """
    edges = np.linspace(0, 1, 11)
    shares = []
    for values in (training, window):
        counts = np.histogram(np.asarray(values, dtype=np.float64), edges)[0]
        shares.append(np.maximum(counts / max(counts.sum(), 1), _LEAST_SHARE))
    return float(((shares[1] - shares[0]) * np.log(shares[1] / shares[0])).sum())


class DriftReport:
    """Compares the relevance of the last pages with that of the training pages; ``set_stat`` adds ``focused/``."""

    def __init__(self, set_stat: Callable[[str, Any], None], window_pages: int, counts: PageCounts) -> None:
        self._set = set_stat
        self._counts = counts
        self._window: deque[float] = deque(maxlen=window_pages)
        self._training = np.zeros(0)

    def add_page(self, relevance: float) -> None:
        """Add a judged page."""
        self._window.append(relevance)

    def trained(self, topic: Topic, examples: TopicExamples | None) -> None:
        """Compare with the relevances that a model gives the training pages from now on."""
        self._training = np.zeros(0) if examples is None else example_relevance(topic, examples)

    def show(self) -> None:
        """Write stats and a line of the log, if there is something to compare."""
        if not len(self._window) or not len(self._training):
            return
        found = drift(self._training, self._window)
        self._set("drift/scores", round(found, 4))
        self._set("drift/window_deciles", deciles(self._window))
        self._set("drift/training_deciles", deciles(self._training))
        logger.info(
            "Drift of the last %d pages: stability index of relevances %.2f, judged relevant %.3f (whole crawl %.3f)",
            *(len(self._window), found, self._counts.recent_rate, self._counts.rate),
        )
