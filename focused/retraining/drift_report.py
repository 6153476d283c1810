"""How far what a crawl meets lies from what its model was trained on, in the stats and the log."""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.retraining.drift import deciles, drift, example_relevance

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.crawl.harvest import HarvestCounter
    from focused.method.topic import Topic, TopicExamples

logger = logging.getLogger(__name__)


class DriftReport:
    """Compares the relevance of the last pages with that of the training pages.

    Parameters
    ----------
    set_stat : function
        Of a name after ``focused/`` and a value.
    window_pages : int
    """

    def __init__(self, set_stat: Callable[[str, Any], None], window_pages: int) -> None:
        self._set = set_stat
        self._window: deque[float] = deque(maxlen=window_pages)
        self._training = np.zeros(0)

    def judged(self, relevance: float) -> None:
        """Take in a page."""
        self._window.append(relevance)

    def trained(self, topic: Topic, examples: TopicExamples | None) -> None:
        """Take in what a model, the first or a new one, says of the training pages."""
        self._training = np.zeros(0) if examples is None else example_relevance(topic, examples)

    @property
    def has_training(self) -> bool:
        """Whether there is something to compare with."""
        return len(self._training) > 0

    def show(self, harvest: HarvestCounter | None) -> None:
        """Write stats and a line of the log, if there is something to compare."""
        if not len(self._window) or not self.has_training:
            return
        found = drift(self._training, self._window)
        self._set("drift/scores", round(found, 4))
        self._set("drift/window_deciles", deciles(self._window))
        self._set("drift/training_deciles", deciles(self._training))
        if harvest is not None:
            logger.info(
                "Drift of the last %d pages: scores %.2f, harvest %.3f (whole crawl %.3f)",
                *(len(self._window), found, harvest.recent_rate, harvest.rate),
            )
