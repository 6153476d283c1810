"""Drift in the stats and the log: how far the pages of a crawl lie from those that its model was trained on."""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.retraining.drift import deciles, drift, example_relevance

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.method.topic import Topic, TopicExamples
    from focused.retraining.interface import PageCounts

logger = logging.getLogger(__name__)


class DriftReport:
    """Compares the relevance of the last pages with that of the training pages.

    Parameters
    ----------
    set_stat : function
        Of a name after ``focused/`` and a value.
    window_pages : int
    counts : PageCounts
    """

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

    @property
    def has_training(self) -> bool:
        """Whether there is something to compare with."""
        return len(self._training) > 0

    def show(self) -> None:
        """Write stats and a line of the log, if there is something to compare."""
        if not len(self._window) or not self.has_training:
            return
        found = drift(self._training, self._window)
        self._set("drift/scores", round(found, 4))
        self._set("drift/window_deciles", deciles(self._window))
        self._set("drift/training_deciles", deciles(self._training))
        logger.info(
            "Drift of the last %d pages: scores %.2f, harvest %.3f (whole crawl %.3f)",
            *(len(self._window), found, self._counts.recent_rate, self._counts.rate),
        )
