"""A new model takes over in a crawl: it judges pages, the strategy learns anew, and links that wait are scored again."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.threads import deferToThread

from focused.crawl.reader_and_judge import make_judge
from focused.method.scoring import Strategy
from focused.method.strategies import make_strategy
from focused.retraining.rescoring import Rescoring
from focused.retraining.versions import FIRST, load_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from focused.crawl.state import Crawl
    from focused.method.topic import Topic
    from focused.retraining.kept_pages import KeptPages

logger = logging.getLogger(__name__)


class ModelTakeover:
    """Puts versions of the model in place, between two pages.

    Stats: ``focused/retraining/version``, ``links_scored_again_count``, ``links_left_count``, ``rescoring_ms``,
    ``worker_failed_count``.

    Parameters
    ----------
    crawler : Crawler
    crawl : Crawl
    pages : KeptPages
    ended : function
        Called when nothing more is to be done for a version.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl, pages: KeptPages, ended: Callable[[], None]) -> None:
        #: Of the model in use.
        self.version = FIRST
        self._crawler = crawler
        self._crawl = crawl
        self._pages = pages
        self._ended = ended
        self._rescoring = Rescoring(crawl, pages)
        self._is_preparing = False

    @property
    def is_under_way(self) -> bool:
        """Whether there is more to do for the version that took over last."""
        return self._rescoring.is_under_way or self._is_preparing

    @property
    def is_scoring(self) -> bool:
        """Whether waiting links are to be scored again."""
        return self._rescoring.is_under_way

    @property
    def strategy_learns(self) -> bool:
        """Whether the strategy has a model of its own that it makes of the topic's examples."""
        return type(self._crawl.judging.strategy).prepare is not Strategy.prepare

    def use(self, version: int, first: Topic) -> Topic:
        """Let a version judge from now on; return it as a topic.

        Parameters
        ----------
        version : int
        first : Topic
            The crawl's topic, as it was trained.

        Raises
        ------
        TopicError, OSError
            If it cannot be read; the former one stays.
        """
        plan, settings = self._crawl.plan, self._crawler.settings
        topic = load_version(plan.run_dir, first, version)
        judge = make_judge(topic, settings)
        _ = topic.product  # now, not while a page waits for it
        self._crawl.judging.replace(judge=judge, version=version)
        self.version = self._pages.version = version
        self._crawler.stats.set_value("focused/retraining/version", version)
        if self.strategy_learns:
            self._is_preparing = True
            # Forests and SVMs take seconds; they let others run meanwhile.
            made = make_strategy(settings.get("FOCUSED_STRATEGY"), settings)
            _in_thread(made.prepare, topic).addCallbacks(self._prepared, self._not_prepared)
        else:
            self._rescoring.start()
        return topic

    def score_some(self) -> None:
        """Score a slice of the waiting links."""
        rescoring, stats = self._rescoring, self._crawler.stats
        if rescoring.go_on():
            stats.inc_value("focused/retraining/links_scored_again_count", rescoring.n_scored)
            stats.set_value("focused/retraining/links_left_count", rescoring.n_left)
            stats.set_value("focused/retraining/rescoring_ms", round(rescoring.seconds * 1000, 1))
            self._ended()

    def _prepared(self, strategy: Strategy) -> None:
        self._is_preparing = False
        self._crawl.judging.replace(strategy=strategy)
        self._rescoring.start()
        if not self.is_under_way:
            self._ended()

    def _not_prepared(self, failure: Any) -> None:
        logger.warning("The strategy could not learn from the new examples and stays as it was: %s", failure.value)
        self._is_preparing = False
        self._crawler.stats.inc_value("focused/retraining/worker_failed_count")
        self._ended()


def _in_thread(function: Callable[[Topic], Any], topic: Topic) -> Deferred[Any]:
    """Call a function in a thread. Not always in one of Twisted's: evaluations run a loop whose reactor starts none."""
    if is_asyncio_available():
        return deferred_from_coro(asyncio.to_thread(function, topic))
    return deferToThread(function, topic)
