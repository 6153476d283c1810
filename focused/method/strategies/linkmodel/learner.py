"""What a crawl has learnt of its links: pages are remembered, and the model is fitted to what came of their links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from focused.method.strategies.linkmodel.discovery import LEAST_BETWEEN, Discovery
from focused.method.strategies.linkmodel.forgetting import Forgetting
from focused.method.strategies.linkmodel.heard_again import HeardAgain
from focused.method.strategies.linkmodel.known_pages import KnownPages
from focused.method.strategies.linkmodel.memory_tables import NOT_WAITING
from focused.method.strategies.linkmodel.score_updates import ScoreUpdates
from focused.method.strategies.linkmodel.scorer import LinkScorer
from focused.method.strategies.linkmodel.work_in_portions import PORTION, WorkInPortions

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from focused.method.page.url_features import UrlFeatures
    from focused.method.strategies.linkmodel.exploration import LinkExploration
    from focused.method.strategies.linkmodel.model import LinkModel
    from focused.method.strategies.linkmodel.page_links import PageLinks

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_FIRST_FIT = 5
_SLOWER_FROM = 10
"""Beyond 10 times the interval between two fits it grows with the crawl, so that learning costs the same for each page."""

_NONE: Integers = np.zeros(0, dtype=np.int64)
_MANY_LINKS = 1_000
"""The URLs of a page with more are looked at in steps of so many, some 10 ms each."""


class LinkLearner:
    """Learns from pages, one by one: a model with its memory, and when it is fitted.

    A fit is made after each `every_pages`; links come forward by `fairness` and by `discovery`, as of :class:`LinkScorer`. A
    session that learns anew has a new learner, which takes the places of links over from the former one (`take_over_from`).
    """

    def __init__(
        self,
        model: LinkModel,
        discovery: Discovery,
        exploration: LinkExploration,
        *,
        fairness: float,
        every_pages: int,
    ) -> None:
        self.model, self.memory, self.discovery, self.exploration = model, model.memory, discovery, exploration
        self.scorer = LinkScorer(model, discovery, fairness)
        self.updates = ScoreUpdates(model.memory, self.scorer.scores)
        self.work = WorkInPortions()
        #: Whether there is a frontier that can change the scores of waiting links.
        self.has_frontier = False
        #: Tells apart what several workers have learnt from one page; None where no other worker is listened to.
        self.known: KnownPages | None = None
        self.every_pages = every_pages
        self.next_fit = min(_FIRST_FIT, every_pages)
        self.n_fits = 0
        self._heard_again = HeardAgain()
        self._forgetting = Forgetting(model, discovery)
        self._n_new = 0  # links of the last page

    def learn_in_steps(self, *pages: PageLinks) -> Generator[int, None, tuple[Integers, Floats]]:
        """Remember pages, do some of the work under way, and return the numbers and scores of their links."""
        links, evidence = yield from self.remember_in_steps(*pages)
        for found in pages:
            self.memory.links["frontier"][self.memory.numbers(found.urls)] = NOT_WAITING
        if not self.work.is_under_way and self.is_fit_due:
            self.work.begin(self.fit_in_steps())
        if not self.work.is_under_way and not self.n_fits:
            self.model.refresh()
        else:
            self.model.add(links, evidence)
        if not self.work.is_under_way and self.n_fits and self.discovery.is_due and not self._hears_again:
            self.work.begin(self._looking_behind())
        yield len(links)
        self.work.do_portion()
        yield PORTION
        scores = self.scorer.scores(links)
        if self.has_frontier and not self._hears_again:
            self.updates.changed(links, scores)
        return links, scores

    def remember_in_steps(self, *pages: PageLinks) -> Generator[int, None, tuple[Integers, Integers]]:
        """Remember pages without fitting; return the numbers of their links, page by page, and the new rows of evidence.

        Of several pages no two may have a URL in common. Links of pages that were known come last.
        """
        new: list[PageLinks] = []
        known: list[PageLinks] = []
        for found in pages:
            is_known = self.known is not None and self.known.knows(found, self.memory)
            (known if is_known else new).append(found)
        urls = [url for found in new for url in found.links]
        features: dict[str, UrlFeatures] = {}
        if len(urls) > _MANY_LINKS:  # what new URLs say is most of the work
            for first in range(0, len(urls), _MANY_LINKS):
                features |= self.memory.features_of_new(urls[first : first + _MANY_LINKS])
                yield _MANY_LINKS
        if not self.work.is_under_way:
            for _ in new:
                yield from self._forgetting.steps(self._n_new)
        if features:
            self.memory.add_urls(urls, features)
            yield 20 * len(features)
        links, evidence = self.memory.add_urls([url for found in known for url in found.links]), _NONE
        if new:
            self._n_new = len(urls) // len(new)
            # Where there are no others, a page that no known link leads to is a seed.
            of_new, evidence = self.memory.add(*new, seeds_are_told=self.known is not None)
            links = np.concatenate((of_new, links))
        return links, evidence

    def learn_all_in_steps(self, pages: Iterable[PageLinks], arrived: list[PageLinks]) -> Iterator[int]:
        """Learn from pages with one fit, then from those that have `arrived` meanwhile, until none is left; in steps."""
        for found in pages:
            yield len(found.links)
            yield from self.remember_in_steps(found)
            yield len(found.links)
        yield from self.fit_in_steps()
        while arrived or self.work.is_under_way:
            if arrived:
                yield from self.learn_in_steps(arrived.pop(0))
            else:
                self.work.do_portion()
            yield PORTION

    def find_moves_in_steps(self, max_explored: int) -> Iterator[int]:
        """Find out which waiting links must move; up to `max_explored` explore, the more the harvest has fallen."""
        if n_explored := round(max_explored * self.memory.harvest.share_lost):
            self.exploration.draw_from_folders(self.memory.links, n_explored)
        if not self._hears_again:
            yield from self.updates.all_changed(self.next_fit, self.every_pages)

    @property
    def n_until_fit(self) -> int:
        """After how many more pages the next fit is due, at least one."""
        next_fit = self._heard_again.n_enough if self._hears_again else self.next_fit
        return max(next_fit - self.memory.n_pages, 1)

    @property
    def is_fit_due(self) -> bool:
        """Whether enough pages have come since the last fit."""
        return self.memory.n_pages >= self.next_fit and not self._hears_again

    @property
    def _hears_again(self) -> bool:
        """Whether it knows only a part of the crawl, because a model has changed: waiting links are not moved then."""
        return self._heard_again.waits(self.memory.n_pages, self.updates.n_pages_of_others)

    def fit_in_steps(self) -> Generator[int, None, None]:
        """Fit the model, and find out what a frontier must be told; yields as `LinkModel.fit_in_steps` does."""
        n_pages = self.memory.n_pages
        has_learnt = yield from self.model.fit_in_steps()
        yield self.discovery.learn()
        interval = max(self.every_pages if has_learnt else 1, n_pages // _SLOWER_FROM)
        self.next_fit = n_pages + interval
        self.n_fits += has_learnt
        if not self.has_frontier:
            return
        yield 0
        if has_learnt:
            self.exploration.draw(self.memory.links, interval)
        yield from self.updates.all_changed(self.next_fit, self.every_pages)

    def take_over_from(self, former: LinkLearner) -> None:
        """Take over from the learner of a former model the places of the waiting links, and what else concerns the crawl."""
        self.memory.take_over_waiting(former.memory, has_more=former.known is not None)
        self.memory.harvest.take_order(former.memory.harvest)
        self.updates.are_of_former_model = True
        self.has_frontier, self.exploration = former.has_frontier, former.exploration
        self.n_fits += former.n_fits
        if former.known is not None:
            self.known = KnownPages()  # what is known of pages is in their memory; sources are learnt from once more
            self._heard_again.begin(self.memory.n_pages, former.memory.n_pages, former._heard_again)
            if self._hears_again:
                self.next_fit = self.memory.n_pages  # due as soon as it knows enough
        # It had chosen links to forget before it knew which of them wait.
        self._forgetting = Forgetting(self.model, self.discovery)

    @property
    def figures(self) -> dict[str, float]:
        """Stats: how often the model was fitted, and of the last time, to what and how well."""
        found: dict[str, float] = {"focused/adaptive/fits_count": self.n_fits}
        if self.memory.n_forgotten:
            found["focused/adaptive/forgotten_count"] = self.memory.n_forgotten
        if (last := self.model.last) is not None:
            found["focused/adaptive/outcomes_count"] = last.n_outcomes
            found["focused/adaptive/terms_count"] = last.n_terms
            found["focused/adaptive/loss"] = round(last.loss, 4)
            found["focused/adaptive/loss_of_mean"] = round(last.loss_of_mean, 4)
        return found

    def _looking_behind(self) -> Generator[int, None, None]:
        """Learn what lies behind links between two fits, and find out what a frontier must be told; yields likewise."""
        before = self.discovery.counts
        yield self.discovery.learn()
        if self.has_frontier and (before or self.discovery.counts):
            yield from self.updates.all_changed(self.next_fit, LEAST_BETWEEN)
