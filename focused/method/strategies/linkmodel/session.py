"""One crawl's session of `adaptive`: what the crawl and its frontier ask, and what they tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.scoring.base import BY_ADAPTIVE, LinkScores
from focused.method.scoring.session import Session
from focused.method.strategies.linkmodel.discovery import Discovery
from focused.method.strategies.linkmodel.exploration import LinkExploration
from focused.method.strategies.linkmodel.known_pages import KnownPages
from focused.method.strategies.linkmodel.learner import LinkLearner
from focused.method.strategies.linkmodel.memory import LinkMemory
from focused.method.strategies.linkmodel.memory_tables import EVIDENCE_OF_LINK
from focused.method.strategies.linkmodel.model import LinkModel
from focused.method.strategies.linkmodel.page_links import PageLinks, page_links
from focused.method.strategies.linkmodel.prior import NO_PRIOR, Prior
from focused.method.strategies.linkmodel.work_in_portions import PORTION
from focused.utils.steps import finish

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from focused.method.page.page import Page
    from focused.method.scoring.base import Visit
    from focused.method.topic.judge import PageRelevance

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


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
        model = LinkModel(LinkMemory(max_links), credit, prior, certainty)
        self.learner = LinkLearner(
            *(model, Discovery(model.memory, discovery), LinkExploration(exploration, seed)),
            fairness=fairness,
            every_pages=every_pages,
        )
        self._warm_up_pages = warm_up_pages
        self._records: dict[str, PageLinks] = {}
        #: Pages that came while it learns anew from kept pages; None where it does not.
        self._arrived: list[PageLinks] | None = None

    @property
    def memory(self) -> LinkMemory:
        """What is remembered of links and pages."""
        return self.learner.memory

    def score_in_steps(self, page: Page, relevance: PageRelevance, visit: Visit) -> Generator[int, None, LinkScores]:
        """Learn from a page, and return a score for each of its links."""
        found = page_links(page, relevance, visit)
        self.learner.discovery.part_left = self._part_left(visit)
        yield page.n_links
        if self.learner.has_frontier:
            self._records[found.urls[0]] = found
        _, scores = yield from self._learn_in_steps(found)
        return LinkScores(scores, np.full(len(scores), BY_ADAPTIVE, dtype=np.int64))

    def note_same_page(self, url: str, known_as: str) -> None:
        """Note that a link led to a page that had been fetched under another URL."""
        self.memory.note_same_page(url, known_as)

    def why(self, url: str) -> str:
        """Return the strongest evidence for a link in words; empty if no page is known to link there."""
        return self.learner.scorer.why(url)

    @property
    def figures(self) -> dict[str, float]:
        """What it has learnt, as stats by name."""
        return self.learner.figures

    def max_under_way(self) -> int | None:
        """Return how many requests may be under way: only a few while little is known, so that later ones profit from it."""
        n_pages = self.memory.n_pages
        return 2 + n_pages // 5 if n_pages < self._warm_up_pages else None

    @property
    def n_pages_alone(self) -> int:
        """How many pages it takes until as many requests may be under way as the crawl likes."""
        return self._warm_up_pages

    # --- With a frontier that can change scores

    def note_waiting(self, url: str, number: int, score: float) -> None:
        """Note the number and the score with which a frontier has taken in a link."""
        self.learner.has_frontier = True
        self.learner.updates.note_waiting(url, number, score)

    def take_moves(self, *, is_last: bool = False) -> list[tuple[int, float]]:
        """Return numbers and new scores of waiting links; when a crawl ends, of all: its frontier should hold the latest."""
        return self.learner.updates.due(is_last=is_last)

    def take_urgent_moves(self) -> list[tuple[int, float]]:
        """Return what a fit or a page has changed, and nothing of the rest: that moves with this worker's own pages."""
        return self.learner.updates.due(is_last=False, only_urgent=True)

    def note_not_waiting(self, numbers: Sequence[int]) -> None:
        """Note that links wait no longer."""
        self.learner.updates.note_not_waiting(numbers)

    def take_record(self, url: str) -> tuple[int, bytes] | None:
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
        learner = fresh.learner
        learner.discovery.part_left = self.learner.discovery.part_left
        self._arrived = arrived = list[PageLinks]()
        yield from learner.learn_all_in_steps((page_links(*each) for each in judged), arrived)
        self._arrived = None
        learner.take_over_from(self.learner)
        self.learner = learner
        yield PORTION
        yield from learner.find_moves_in_steps(max_explored)

    def replay(self, record: bytes) -> None:
        """Learn again from what ``take_record`` returned."""
        finish(self.learner.remember_in_steps(PageLinks.unpack(record)))

    def finish_replay(self) -> None:
        """Fit the model to all that was replayed, if that is enough for a first fit."""
        self.learner.has_frontier = True
        if self.learner.is_fit_due:
            finish(self.learner.fit_in_steps())

    # --- With a frontier that many workers share

    def expect_other_workers(self) -> bool:
        """Expect records of other workers."""
        self.learner.known = KnownPages()
        return True

    def learn_from_others(self, records: Sequence[bytes]) -> Generator[int, None, int]:
        """Learn from pages of other workers as from its own; from several at once, which takes two thirds of the time."""
        n_bad, pages, urls = 0, list[PageLinks](), set[str]()
        for record in records:
            try:
                found = PageLinks.unpack(record)
            except ValueError:
                n_bad += 1
                continue
            # A fit comes after as many pages as if they came one by one.
            if pages and (not urls.isdisjoint(found.urls) or self.learner.n_until_fit <= len(pages)):
                yield from self._learning_from_others(pages)
                pages, urls = [], set()
            pages.append(found)
            urls.update(found.urls)
        if pages:
            yield from self._learning_from_others(pages)
        return n_bad

    def take_over_links(self, links: Mapping[str, tuple[int, float]]) -> None:
        """Note where links of another worker wait; those that the model scores otherwise by now are moved."""
        for url, (number, score) in links.items():
            self.note_waiting(url, number, score)
        known = self.memory.numbers(links)
        if known and self.learner.n_fits:
            rows = np.array(known, dtype=np.int64)
            self.learner.updates.changed(rows, self.learner.scorer.scores(rows))

    def record_of(self, page: Page, relevance: PageRelevance, visit: Visit) -> tuple[int, bytes]:
        """Return what `take_record` would of a page, judged by whichever model."""
        found = page_links(page, relevance, visit)
        return len(found.links), found.pack()

    def links_of(self, record: bytes) -> Sequence[str]:
        """Return the URLs of the links of a page that was recorded."""
        return PageLinks.unpack(record).links

    # --- Inside

    def _part_left(self, visit: Visit) -> float:
        """Return which part of the page budget is left, in [0, 1]; 1 where there is none. Other workers' pages count, too."""
        n_pages = max(visit.number, self.memory.n_pages)
        return max(1 - n_pages / visit.goal_pages, 0.0) if visit.goal_pages else 1.0

    def _learning_from_others(self, pages: list[PageLinks]) -> Generator[int, None, None]:
        learner, n_before = self.learner, self.memory.n_pages
        learner.updates.n_pages_of_others += len(pages)  # first, so that none is taken for an own one meanwhile
        yield from self._learn_in_steps(*pages)
        n_known = len(pages) - (learner.memory.n_pages - n_before)
        learner.updates.n_pages_of_others -= n_known

    def _learn_in_steps(self, *pages: PageLinks) -> Generator[int, None, tuple[Integers, Floats]]:
        """Learn from pages as `LinkLearner.learn_in_steps` does; one that is learnt anew later has them, too."""
        if self._arrived is not None:
            self._arrived.extend(pages)
        return (yield from self.learner.learn_in_steps(*pages))
