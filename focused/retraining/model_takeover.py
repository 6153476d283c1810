"""Lets a new model take over in a crawl: it judges pages, the strategy learns anew, waiting links are scored again."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.method.scoring import Strategy
from focused.utils.reactor import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.method.topic import Topic
    from focused.method.topic.judge import Judge
    from focused.retraining.interface import ModelInUse
    from focused.retraining.rescoring import Rescoring
    from focused.retraining.stats import RetrainingStats

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class ModelTakeover:
    """Puts versions of the model in place, between two pages.

    Stats: ``focused/retraining/version``, ``links_scored_again_count``, ``links_left_count``, ``rescoring_ms``,
    ``worker_failed_count``.
    """

    model: ModelInUse
    rescoring: Rescoring
    #: Returns what judges pages by a topic.
    make_judge: Callable[[Topic], Judge]
    #: Returns the crawl's strategy as it is before `Strategy.prepare`.
    make_strategy: Callable[[], Strategy]
    stats: RetrainingStats

    def __post_init__(self) -> None:
        self._is_preparing = False

    @property
    def version(self) -> int:
        """Version of the model in use."""
        return self.model.version

    @property
    def is_under_way(self) -> bool:
        """Whether there is more to do for the version that took over last."""
        return self.rescoring.is_under_way or self._is_preparing

    @property
    def is_rescoring(self) -> bool:
        """Whether waiting links are being scored again."""
        return self.rescoring.is_under_way

    @property
    def strategy_learns(self) -> bool:
        """Whether the strategy has a model of its own, which it makes of the topic's examples."""
        return type(self.model.strategy).prepare is not Strategy.prepare

    @property
    def strategy_remembers(self) -> bool:
        """Whether the strategy learns from every page of the crawl itself."""
        return self.model.session is not None

    def use(self, version: int, topic: Topic) -> None:
        """Use a version of the topic's model from now on."""
        judge = self.make_judge(topic)
        _ = topic.product  # made now, so that no page has to wait for it
        self.model.replace(judge=judge, version=version)
        self.stats.set("retraining/version", version)
        if self.strategy_learns:
            self._is_preparing = True
            # Forests and SVMs take seconds; most of their time the crawl can run.
            in_thread(self.make_strategy().prepare, topic).addCallbacks(self._prepared, self._not_prepared)
        else:
            self.rescoring.start()

    def judge_only(self, version: int, topic: Topic) -> None:
        """Use a version to judge pages only, at the end of a crawl: links keep their scores."""
        self.model.replace(judge=self.make_judge(topic), version=version)

    def rescore(self) -> None:
        """Score a slice of the waiting links."""
        rescoring, stats = self.rescoring, self.stats
        if rescoring.work():
            stats.count("links_scored_again_count", rescoring.scores.n_scored)
            stats.set("retraining/links_left_count", rescoring.scores.n_left)
            stats.set("retraining/rescoring_ms", round(rescoring.seconds * 1000, 1))

    def _prepared(self, strategy: Strategy) -> None:
        self._is_preparing = False
        self.model.replace(strategy=strategy)
        self.rescoring.start()

    def _not_prepared(self, failure: Any) -> None:
        logger.warning("The strategy could not learn from the new examples and stays as it was: %s", failure.value)
        self._is_preparing = False
        self.stats.count("worker_failed_count")
