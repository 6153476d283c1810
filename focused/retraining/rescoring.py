"""After a change of model: kept pages are judged again, and the links that wait get the scores that follow."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from focused.frontier.store.rescoring import rescore_for
from focused.retraining.link_scores import LinkScoresByUrl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from focused.frontier.interface import Frontier
    from focused.method.scoring import Evidence
    from focused.retraining.rejudging import Rejudging

_SLICE_SECS = 0.05
_SLICE_LINKS = 1000
_SHARE_OF_PAGES = 0.9
"""Of the pages that a session has learnt from: if fewer are kept it does not learn anew, for it would forget more."""


class Rescoring:
    """Scores waiting links in slices, whenever the crawl has time for one (docs/method/, D62).

    Parameters
    ----------
    rejudging : Rejudging
    frontier : function
        Returns the links that wait; the scheduler that holds them is made after this.
    merge : function or None
        Joins what two pages say of a link; None: the first page's evidence stands.
    max_explored : int
        Links that may come first after a change of model to find other subtopics; see `Session.learn_again`.
    """

    def __init__(
        self,
        rejudging: Rejudging,
        frontier: Callable[[], Frontier],
        *,
        merge: Callable[[Evidence, Evidence], Evidence] | None = None,
        max_explored: int = 0,
    ) -> None:
        self._rejudging = rejudging
        self._frontier = frontier
        self._merge = merge
        self._max_explored = max_explored
        self._work: Iterator[int] | None = None
        self._scores = LinkScoresByUrl(None)
        #: Of the last rescoring, so far.
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
        """Begin, if the frontier can change scores: Scrapy's own queues cannot. A session learns anew instead."""
        session, n_kept = self._rejudging.model.session, self._rejudging.n_pages
        if not n_kept or not self._frontier().can_rescore:
            return
        if session is not None and n_kept < _SHARE_OF_PAGES * session.n_pages:
            return
        self.seconds = 0.0
        self._scores = LinkScoresByUrl(self._merge)
        self._work = self._steps()

    def work(self) -> bool:
        """Do a slice; return whether it was the last."""
        assert self._work is not None
        if self._rejudging.model.turn.is_taken:
            return False  # a page is half judged
        start = time.perf_counter()
        if not rescore_for(self._work, _SLICE_SECS):
            self._work = None
        self.seconds += time.perf_counter() - start
        return self._work is None

    def _steps(self) -> Iterator[int]:
        model = self._rejudging.model
        strategy, fresh = model.strategy, model.strategy.session()
        if model.session is not None and fresh is not None:
            judged = ((kept.page, relevance, kept.visit) for kept, relevance in self._rejudging.pages())
            yield from model.session.learn_again(fresh, judged, self._max_explored)
            return
        for kept, relevance in self._rejudging.pages():
            self._scores.add(kept.page, strategy.score(kept.page, relevance, kept.visit))
            yield kept.page.n_links
        score = self._scores.of_waiting
        yield from self._frontier().rescore(score, model_version=model.version, slice_links=_SLICE_LINKS)
