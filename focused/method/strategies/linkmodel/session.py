"""One crawl's memory of links and the model that scores them: both learn from every page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.scoring.base import BY_ADAPTIVE, LinkScores
from focused.method.scoring.session import Session
from focused.method.strategies.linkmodel.discovery import LEAST_BETWEEN, Discovery
from focused.method.strategies.linkmodel.exploration import LinkExploration
from focused.method.strategies.linkmodel.forgetting import Forgetting
from focused.method.strategies.linkmodel.known_pages import KnownPages
from focused.method.strategies.linkmodel.memory import LinkMemory
from focused.method.strategies.linkmodel.memory_tables import EVIDENCE_OF_LINK, NOT_WAITING
from focused.method.strategies.linkmodel.model import LinkModel
from focused.method.strategies.linkmodel.page_links import PageLinks, page_links
from focused.method.strategies.linkmodel.prior import NO_PRIOR, Prior
from focused.method.strategies.linkmodel.score_updates import ScoreUpdates
from focused.method.strategies.linkmodel.scorer import LinkScorer
from focused.utils.steps import finish

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from focused.method.page.page import Page
    from focused.method.page.url_features import UrlFeatures
    from focused.method.scoring.base import Visit
    from focused.method.topic.judge import PageRelevance

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_FIRST_FIT = 5
_SLOWER_FROM = 20
"""Beyond 20 times the interval between two fits it grows with the crawl, so that learning costs the same for each page."""

_WORK_OF_PAGE = 1_000_000
"""Rows of fits, and of what follows them, that are dealt with after each page: some 30 ms. It counts rows, not time, so that
the same pages teach the same. In a crawl of up to some thousand pages a fit is done within one page."""
_MANY_LINKS = 1_000
"""Of a page with more the URLs are looked at in steps of so many, some 10 ms each."""


class LinkSession(Session):
    """Learns which links lead to relevant pages; parameters as of `Adaptive`, and a prior that the model begins with.

    A fit is made after each `every_pages`. At most `max_links` are remembered. Links come forward by `fairness` that were
    reached from a seed that has had less than an equal share of the pages (:class:`SeedShares`); with a single seed, from one
    of its links that has. Links come forward by `discovery` that others may lie behind (:class:`Discovery`). Each outcome of a
    link counts as `certainty` of one.
    """

    def __init__(
        self,
        *,
        every_pages: int = 25,
        credit: float = 0.0,
        exploration: float = 0.0,
        max_links: int = 100_000,
        warm_up_pages: int = 50,
        seed: int = 0,
        prior: Prior = NO_PRIOR,
        fairness: float = 0.0,
        discovery: float = 0.0,
        certainty: float = 1.0,
    ) -> None:
        memory = LinkMemory(max_links)
        self._fairness = fairness
        self._use(LinkModel(memory, credit, prior, certainty), Discovery(memory, discovery))
        self._every_pages = every_pages
        self._exploration = LinkExploration(exploration, seed)
        self._warm_up_pages = warm_up_pages
        self._next_fit = min(_FIRST_FIT, every_pages)
        self._n_fits = self._n_new = 0
        self._records: dict[str, PageLinks] = {}
        self._has_frontier = False
        #: Tells apart what several workers have learnt from one page; None where no other worker is listened to.
        self._known: KnownPages | None = None
        #: Pages that came while it learns anew from kept pages; None where it does not.
        self._arrived: list[PageLinks] | None = None

    def scoring(self, page: Page, relevance: PageRelevance, visit: Visit) -> Generator[int, None, LinkScores]:
        """Learn from a page, and return a score for each of its links."""
        found = page_links(page, relevance, visit)
        yield page.n_links
        if self._has_frontier:
            self._records[found.urls[0]] = found
        _, scores = yield from self._learning(found)
        return LinkScores(scores, np.full(len(scores), BY_ADAPTIVE, dtype=np.int64))

    def same(self, url: str, known_as: str) -> None:
        """Note that a link led to a page that had been fetched under another URL."""
        self.memory.same(url, known_as)

    def why(self, url: str) -> str:
        """Return the strongest evidence for a link in words; empty if no page is known to link there."""
        return self.scorer.why(url)

    @property
    def figures(self) -> dict[str, float]:
        """Stats: how often the model was fitted, and of the last time, to what and how well."""
        found: dict[str, float] = {"focused/adaptive/fits_count": self._n_fits}
        if self.memory.n_forgotten:
            found["focused/adaptive/forgotten_count"] = self.memory.n_forgotten
        if (last := self.model.last) is not None:
            found["focused/adaptive/outcomes_count"] = last.n_outcomes
            found["focused/adaptive/terms_count"] = last.n_terms
            found["focused/adaptive/loss"] = round(last.loss, 4)
            found["focused/adaptive/loss_of_mean"] = round(last.loss_of_mean, 4)
        return found

    def max_under_way(self) -> int | None:
        """Return how many requests may be under way: only a few while little is known, so that later ones profit from it."""
        n_pages = self.memory.n_pages
        return 2 + n_pages // 5 if n_pages < self._warm_up_pages else None

    @property
    def n_begin_pages(self) -> int:
        """How many pages it takes until as many requests may be under way as the crawl likes."""
        return self._warm_up_pages

    # --- With a frontier that can change scores

    def placed(self, url: str, number: int, score: float) -> None:
        """Note the number and the score with which a frontier has taken in a link."""
        self._has_frontier = True
        self._updates.placed(url, number, score)

    def moved(self, *, is_last: bool = False) -> list[tuple[int, float]]:
        """Return numbers and new scores of waiting links; when a crawl ends, of all: its frontier should hold the latest."""
        return self._updates.due(is_last=is_last)

    def gone(self, numbers: Sequence[int]) -> None:
        """Note that links wait no longer."""
        self._updates.gone(numbers)

    def record(self, url: str) -> tuple[int, bytes] | None:
        """Return, once, what was learnt from the page that a link led to."""
        found = self._records.pop(url, None)
        return None if found is None else (len(found.links), found.pack())

    @property
    def max_recorded_links(self) -> int:
        """As many as the memory may hold."""
        return EVIDENCE_OF_LINK * self.memory.max_links

    @property
    def n_pages(self) -> int:
        """Number of the pages that it has learnt from."""
        return self.memory.n_pages

    def learn_again(
        self, fresh: Session, judged: Iterable[tuple[Page, PageRelevance, Visit]], max_explored: int = 0
    ) -> Iterator[int]:
        """Learn anew from pages that another model judges: what their links and blocks say, and what came of links.

        The fewer of the latest pages are relevant, compared with the best time of the crawl, the more of `max_explored` links
        come first from folders of which least is known.
        """
        assert isinstance(fresh, LinkSession)
        arrived: list[PageLinks] = []
        self._arrived = arrived
        for page, relevance, visit in judged:
            found = page_links(page, relevance, visit)
            yield page.n_links
            yield from fresh._remembering(found)
            yield page.n_links
        yield from fresh._fitting()
        while arrived or fresh._work is not None:
            if arrived:
                yield from fresh._learning(arrived.pop(0))
            else:
                fresh._some_work()
            yield _WORK_OF_PAGE
        self._arrived = None
        self._take_over(fresh)
        yield _WORK_OF_PAGE
        if n_explored := round(max_explored * self.memory.harvest.share_lost):
            self._exploration.draw_from_folders(self.memory.links, n_explored)
        yield from self._updates.all_changed(self._next_fit, self._every_pages)

    def replay(self, record: bytes) -> None:
        """Learn again from what ``record`` returned."""
        finish(self._remembering(PageLinks.unpack(record)))

    def resume(self) -> None:
        """Fit the model to all that was replayed, if that is enough for a first fit."""
        self._has_frontier = True
        if self.memory.n_pages >= self._next_fit:
            finish(self._fitting())

    # --- With a frontier that many workers share

    def listen(self) -> bool:
        """Expect records of other workers."""
        self._known = KnownPages()
        return True

    def hearing(self, record: bytes) -> Iterator[int]:
        """Learn from a page of another worker as from one of its own."""
        yield from self._learning(PageLinks.unpack(record))

    def took_over(self, links: Mapping[str, tuple[int, float]]) -> None:
        """Note where links of another worker wait; those that the model scores otherwise by now are moved."""
        for url, (number, score) in links.items():
            self.placed(url, number, score)
        known = self.memory.numbers(links)
        if known and self._n_fits:
            rows = np.array(known, dtype=np.int64)
            self._updates.changed(rows, self.scorer.scores(rows))

    def record_of(self, page: Page, relevance: PageRelevance, visit: Visit) -> tuple[int, bytes]:
        """Return what `record` would of a page, judged by whichever model."""
        found = page_links(page, relevance, visit)
        return len(found.links), found.pack()

    def links_of(self, record: bytes) -> Sequence[str]:
        """Return the URLs of the links of a page that was recorded."""
        return PageLinks.unpack(record).links

    # --- Inside

    def _remembering(self, found: PageLinks) -> Generator[int, None, tuple[Integers, Integers]]:
        """Remember a page without fitting; return the numbers of its links and the new rows of evidence."""
        if self._known is not None and self._known.knows(found, self.memory):
            return self.memory.add_urls(found.links), np.zeros(0, dtype=np.int64)
        features: dict[str, UrlFeatures] = {}
        if len(found.links) > _MANY_LINKS:  # what new URLs say is most of the work
            for first in range(0, len(found.links), _MANY_LINKS):
                features |= self.memory.features_of_new(found.links[first : first + _MANY_LINKS])
                yield _MANY_LINKS
        if self._work is None:
            yield from self._forgetting.steps(self._n_new)
        if features:
            self.memory.add_urls(found.links, features)
            yield 20 * len(features)
        # Where there are no others, a page that no known link leads to is a seed.
        links, evidence = self.memory.add(found, may_be_seed=self._known is None or found.is_seed)
        self._n_new = len(links)
        return links, evidence

    def _take_over(self, fresh: LinkSession) -> None:
        """Replace what was learnt by what another session has learnt; the places of waiting links stay."""
        fresh.memory.take_places(self.memory, has_more=self._known is not None)
        self._use(fresh.model, fresh._discovery)
        self._n_fits += fresh._n_fits
        self._next_fit, self._n_new = fresh._next_fit, fresh._n_new
        if self._known is not None:
            self._known = KnownPages()  # what is known of pages is in their memory; sources are learnt from once more

    def _use(self, model: LinkModel, discovery: Discovery) -> None:
        self.model, self.memory, self._discovery = model, model.memory, discovery
        self.scorer, self._forgetting = LinkScorer(model, discovery, self._fairness), Forgetting(model, discovery)
        self._updates = ScoreUpdates(model.memory, self.scorer.scores)
        # What was under way refers to links by their former numbers.
        self._work: Iterator[int] | None = None

    def _learning(self, found: PageLinks) -> Generator[int, None, tuple[Integers, Floats]]:
        """Remember a page, do some of the work under way, and return the numbers and scores of the page's links."""
        if self._arrived is not None:
            self._arrived.append(found)
        links, evidence = yield from self._remembering(found)
        self.memory.links["frontier"][self.memory.numbers(found.urls)] = NOT_WAITING
        if self._work is None and self.memory.n_pages >= self._next_fit:
            self._work = self._fitting()
        if self._work is None and not self._n_fits:
            self.model.refresh()
        else:
            self.model.add(links, evidence)
        if self._work is None and self._n_fits and self._discovery.is_due:
            self._work = self._looking_behind()
        yield len(links)
        self._some_work()
        yield _WORK_OF_PAGE
        scores = self.scorer.scores(links)
        if self._has_frontier:
            self._updates.changed(links, scores)
        return links, scores

    def _some_work(self) -> None:
        """Do some of the work under way, if there is any."""
        n_rows = 0
        for n in self._work or ():
            n_rows += n
            if n_rows >= _WORK_OF_PAGE:
                return
        self._work = None

    def _fitting(self) -> Generator[int, None, None]:
        """Fit the model, and find out what a frontier must be told; yields as `LinkModel.fitting` does."""
        n_pages = self.memory.n_pages
        has_learnt = yield from self.model.fitting()
        yield self._discovery.learn()
        interval = max(self._every_pages if has_learnt else 1, n_pages // _SLOWER_FROM)
        self._next_fit = n_pages + interval
        self._n_fits += has_learnt
        if not self._has_frontier:
            return
        yield 0
        if has_learnt:
            self._exploration.draw(self.memory.links, interval)
        yield from self._updates.all_changed(self._next_fit, self._every_pages)

    def _looking_behind(self) -> Generator[int, None, None]:
        """Learn what lies behind links between two fits, and find out what a frontier must be told; yields likewise."""
        before = self._discovery.counts
        yield self._discovery.learn()
        if self._has_frontier and (before or self._discovery.counts):
            yield from self._updates.all_changed(self._next_fit, LEAST_BETWEEN)
