"""Judges one page after the other: a page with many links takes several turns of the reactor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import CloseSpider

from focused.crawl.crawl import Crawl
from focused.items import page_location
from focused.method.scoring import Visit
from focused.method.scoring.link_scores import WrongScoresError
from focused.method.topic.judge import WrongRelevanceError
from focused.utils.reactor import in_turns, yield_to_reactor
from focused.utils.steps import finish

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from focused.crawl.harvest import HarvestCounter
    from focused.crawl.judging import Judging
    from focused.crawl.page_reading import Page
    from focused.method.scoring.page_scores import PageScores
    from focused.method.scoring.session import Session

_MANY_LINKS = 1_000
"""A page with more is judged in several turns of the reactor: learning from 10,000 links takes 0.2 s."""


class JudgingInTurn:
    """Judges pages in the order in which they came, and tells the strategy how the crawl came to each.

    ``harvest``: how many pages earlier runs of the crawl have judged.
    """

    def __init__(self, crawler: Crawler, judging: Judging, harvest: HarvestCounter) -> None:
        self._crawler, self._judging, self._harvest = crawler, judging, harvest
        self._n_judged = 0

    @property
    def session(self) -> Session | None:
        """What scores the links where the strategy learns."""
        return self._judging.session

    async def scores(
        self, page: Page, response: Response, *, newness: float = 1.0, is_source: bool = False
    ) -> PageScores:
        """Judge a page, sitemap or feed when its turn comes; end the crawl if the strategy or the classifier fails."""
        visit = self._visit(response, is_source=is_source)
        try:
            return await self._judge(page, visit, newness=newness)
        except (WrongScoresError, WrongRelevanceError) as error:
            Crawl.needed(self._crawler).end_with_error(str(error))
            raise CloseSpider("wrong_scores") from None

    async def _judge(self, page: Page, visit: Visit, *, newness: float) -> PageScores:
        """Judge a page; one with many links is judged in steps, between which the reactor runs."""
        turn, is_large = self._judging.turn, page.n_links > _MANY_LINKS
        if not (is_large or turn.is_taken):
            return finish(self._judging.steps(page, visit, newness=newness))
        async with turn:
            if not is_large:
                return finish(self._judging.steps(page, visit, newness=newness))
            await yield_to_reactor()  # reading the page was a long step, too
            scores = await in_turns(self._judging.steps(page, visit, newness=newness))
        await yield_to_reactor()
        return scores

    def _visit(self, response: Response, *, is_source: bool) -> Visit:
        """Return how the crawl came to a page, or to a sitemap or feed."""
        meta = response.meta
        urls: tuple[str, ...] = ()
        if self._judging.session is not None:
            assert response.request is not None
            location = page_location(response)
            asked = (*meta.get("redirect_urls", ()), response.request.url, response.url, location)
            urls = tuple(dict.fromkeys(asked))
        number = self._harvest.n_pages_before + self._n_judged
        self._n_judged += not is_source
        return Visit(
            depth=meta.get("depth", 0),
            carried=meta.get("focused_carried"),
            number=number,
            urls=urls,
            irrelevant_on_path=meta.get("focused_irrelevant_on_path", 0),
            is_source=is_source,
            goal_pages=Crawl.needed(self._crawler).goal_pages,
        )
