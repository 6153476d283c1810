"""Judges a page and scores its links, both by the model version in use."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from focused.method.scoring.link_scores import checked
from focused.method.scoring.page_scores import PageScores
from focused.utils.reactor import FifoLock

if TYPE_CHECKING:
    from collections.abc import Generator

    from focused.method.page.page import Page
    from focused.method.scoring import Strategy, Visit
    from focused.method.scoring.session import Session
    from focused.method.topic.judge import Judge


_MOSTLY_NEW = 0.5
"""From this newness on a strategy learns the whole relevance of a page: ordinary pages repeat a little, too."""


class Judging:
    """The judge and the strategy of a crawl, and the strategy's session if it learns."""

    def __init__(self, judge: Judge, strategy: Strategy) -> None:
        self.judge = judge
        self.strategy = strategy
        #: What scores the links where the strategy learns.
        self.session: Session | None = strategy.session()
        #: Version of the model that judges; above 1 once the crawl has trained again.
        self.version = 1
        #: Held while a page with many links is judged, which takes several turns of the reactor.
        self.turn = FifoLock()

    def replace(
        self, *, judge: Judge | None = None, strategy: Strategy | None = None, version: int | None = None
    ) -> None:
        """Replace the judge, the strategy or the version; pages are judged by them from now on."""
        self.judge = judge or self.judge
        self.strategy = strategy or self.strategy
        self.version = version or self.version

    def steps(self, page: Page, visit: Visit, *, newness: float = 1.0) -> Generator[int, None, PageScores]:
        """Judge a page in steps: its relevance and the scores of its links come from one product.

        Between two steps anything may happen but the judging of another page. A model that takes over meanwhile does not
        judge this page. ``newness``: how new the page's text is, in [0, 1]; 0 for a copy. The less new it is, the less a
        strategy learns that the link to it was worth.

        Raises
        ------
        WrongScoresError
            If the strategy does not return a score from 0 to 1 for each link.
        WrongRelevanceError
            If a page classifier that is plugged in returns no relevances.
        """
        judge, strategy, version = self.judge, self.strategy, self.version
        relevance = judge.relevance(page, strategy.kinds)
        if self.session is None:
            found = strategy.score(page, relevance, visit)
        else:
            yield page.n_links
            share = min(1.0, newness / _MOSTLY_NEW)
            learnt = replace(relevance, page=share * relevance.page, is_relevant=relevance.is_relevant and share == 1)
            found = yield from self.session.score_in_steps(page, learnt, visit)
        found = checked(found, strategy.name, page.n_links, page.url)
        return PageScores.of(page, visit, relevance, found, version)
