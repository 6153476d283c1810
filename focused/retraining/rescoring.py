"""After a change of model: kept pages are judged anew, and the links that wait get the scores that follow."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from focused.frontier.store.rescoring import rescore_for
from focused.retraining.kept_pages import LinkScoresByUrl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.crawl.state import Crawl
    from focused.retraining.kept_pages import KeptPages

_SLICE_SECS = 0.05
_SLICE_LINKS = 1000
_SHARE_OF_PAGES = 0.9
"""Of the pages that a session has learnt from; where fewer are kept it does not learn anew."""


class Rescoring:
    """Scores waiting links in slices, whenever the crawl has time for one (docs/method/, D62).

    Parameters
    ----------
    crawl : Crawl
    pages : KeptPages
    """

    def __init__(self, crawl: Crawl, pages: KeptPages) -> None:
        self._crawl = crawl
        self._pages = pages
        self._work: Iterator[int] | None = None
        self._scores = LinkScoresByUrl(None)
        #: That the last one took so far.
        self.seconds = 0.0

    @property
    def is_under_way(self) -> bool:
        """Whether there is more to do."""
        return self._work is not None

    @property
    def n_scored(self) -> int:
        """Waiting links that the last one gave another score."""
        return self._scores.n_scored

    @property
    def n_left(self) -> int:
        """Waiting links whose pages are no longer kept."""
        return self._scores.n_left

    def start(self) -> None:
        """Begin, where scores of waiting links can be changed: Scrapy's own queues cannot. A session learns anew instead."""
        frontier = self._crawl.frontier
        if not frontier.can_rescore or not len(self._pages):
            return
        session = self._crawl.session
        if session is not None and len(self._pages) < _SHARE_OF_PAGES * session.n_pages:
            return  # it would forget more than it learns
        self.seconds = 0.0
        self._scores = LinkScoresByUrl(self._crawl.task.merge)
        self._work = self._steps(frontier)

    def _steps(self, frontier: Any) -> Iterator[int]:
        judging, session = self._crawl.judging, self._crawl.session
        fresh = judging.strategy.session()
        if session is not None and fresh is not None:
            judged = self._pages.judged_again(judging.judge, judging.strategy)
            yield from session.learn_again(fresh, judged, self._pages.max_explored)
            return
        yield from self._pages.score_again(judging.judge, judging.strategy, self._scores)
        yield from frontier.rescore(self._scores.of_waiting, model_version=judging.version, slice_links=_SLICE_LINKS)

    def go_on(self) -> bool:
        """Do a slice; return whether it was the last."""
        assert self._work is not None
        if self._crawl.judging.turn.is_taken:
            return False  # half a page is nothing to go on from
        start = time.perf_counter()
        if not rescore_for(self._work, _SLICE_SECS):
            self._work = None
        self.seconds += time.perf_counter() - start
        return self._work is None
