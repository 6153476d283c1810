"""The frontier as the rest of the crawl sees it, where the project's scheduler holds the links.

Scrapy asks the scheduler; the other components ask this: see :class:`focused.frontier.interface.Frontier`.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from focused.frontier.crawl_interface import crawl_of
from focused.frontier.stood_back_words import dead_links_in_words, soft_404s_in_words, stood_back

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from scrapy import Request
    from scrapy.crawler import Crawler

    from focused.frontier.completion import Completion
    from focused.frontier.crawl_interface import FrontierTask
    from focused.frontier.dispatch import Dispatch
    from focused.frontier.interface import GivenUpHost, HostCounts, RobotsOfHosts, VersionsOfWorkers
    from focused.frontier.soft_404s import Soft404s
    from focused.frontier.store.rescoring import NewScores, WaitingSlice
    from focused.frontier.unreachable import UnreachableHosts
    from focused.method.scoring import Evidence
    from focused.method.scoring.page_scores import PageScores
    from focused.method.scoring.sorted_links import SortedLinks


_AT_END = 20
"""Links that are remembered when the frontier is closed."""


class DurableFrontier:
    """Answers for the parts of an open frontier: what takes links in, what hands them out, what ends them.

    Stats: ``focused/frontier/merged_count``.
    """

    def __init__(
        self, task: FrontierTask, dispatch: Dispatch, completion: Completion, unreachable: UnreachableHosts
    ) -> None:
        self._task = task
        self._links, self._requests = dispatch.links, dispatch.requests
        self._queue, self._random_links = dispatch.queue, dispatch.random_links
        #: Ends pages: see focused.pipelines.page_end.
        self.completion = completion
        self._leases, self._outcomes = completion.leases, completion.outcomes
        self._checkpoints, self._unreachable = completion.checkpoints, unreachable
        #: The links, on disk or in a database.
        self.store = self._links.store
        self._best_at_end: list[str] | None = None
        #: Set where many workers share the crawl.
        self.robots: RobotsOfHosts | None = None
        self.versions: VersionsOfWorkers | None = None

    # --- Links

    @property
    def n_waiting(self) -> int:
        """How many links and other requests wait."""
        return len(self.store) + len(self._queue)

    def note_fetched(self, url: str) -> bool:
        """Note the URL of a page that has been fetched; tell whether it was noted before."""
        self._random_links.note_fetched(url)
        return self._links.note_fetched(url)

    def sort_links(self, links: Mapping[str, int], scores: PageScores | None) -> SortedLinks:
        """Sort the links of a page: new ones are requested, known ones get the page's evidence when it ends."""
        sorted_links, n_joined = self._links.sort_links(links, scores, drops=self._task.drops)
        if n_joined:
            self._checkpoints.stats.inc_value("focused/frontier/merged_count", n_joined)
        return sorted_links

    def request(self, url: str, evidence: Evidence | None) -> Request:
        """Return the request for a new link."""
        return self._requests.request_for_new(url, evidence)

    def call_before_commit(self, write: Callable[[], None]) -> bool:
        """Call a function before pages become durable, each time."""
        self._checkpoints.before.append(write)
        return True

    def waiting_scores(self) -> list[tuple[float, int]]:
        """Return how many links wait of each level of scores, the best first; nothing in crawls without a budget."""
        return [] if self.store.by_level is None else self.store.by_level.by_score()

    def best_links(self, n_links: int) -> list[str]:
        """Return the URLs of the best links that wait, the best first; of a closed frontier those that waited at its end."""
        if self._best_at_end is not None:
            return self._best_at_end[:n_links]
        try:
            return self.store.best(n_links)
        except sqlite3.Error:  # the next commit says so
            return []

    def note_best_links(self) -> None:
        """Remember the best links before the frontier is closed: the summary of the crawl names them."""
        self._best_at_end = self.best_links(_AT_END)

    def draw_links(self, n_links: int) -> None:
        """Draw the next ``n_links`` links at random from all that wait, whatever their scores."""
        self._random_links.n_wanted += n_links

    @property
    def can_rescore(self) -> bool:
        """Whether the scores of waiting links can be changed: not where they are many workers'."""
        return not self.store.is_shared

    def rescore(
        self, score: Callable[[WaitingSlice], NewScores], *, model_version: int, slice_links: int = 2_000
    ) -> Iterator[int]:
        """Score all waiting links by a new model, as :func:`focused.frontier.store.rescoring.rescore` does."""
        if not self.can_rescore:
            return
        try:
            for n_links in self.store.rescore(score, slice_links=slice_links, model_version=model_version):
                self._links.forget_levels()
                yield n_links
                if self._checkpoints.is_broken:
                    return
        except sqlite3.Error as error:
            self._checkpoints.fail(error)

    @property
    def soft_404s(self) -> Soft404s | None:
        """Which pages are soft 404s; None where traps are pages like others."""
        sinking = self._outcomes.sinking
        return None if sinking is None else sinking.soft_404s

    def learn_answer(self, url: str, form: bytes, terms: Collection[int]) -> bool:
        """Learn a host's answer to one of two probes; tell whether its soft 404s can now be recognised."""
        sinking = self._outcomes.sinking
        return sinking is not None and sinking.learn_answer(url, form, terms)

    def stood_back(self) -> list[str]:
        """Return which parts of the web stood back and why, in words."""
        sinking = self._outcomes.sinking
        if sinking is None:
            return []
        named = stood_back(sinking.credit, sinking.idle, sinking.mirrors, sinking.one_title)
        return [*soft_404s_in_words(sinking.soft_404s), *dead_links_in_words(sinking.dead_links), *named]

    # --- Links under way

    def note_failure(self, request: Request, why: str) -> None:
        """Note why a request failed, for ``scrapy frontier --why``."""
        lease = self._leases.of(request)
        if lease is not None:
            lease.note = why

    def note_dropped(self, request: Request, why: str) -> None:
        """Note why a redirect is not followed, for ``scrapy frontier --why``."""
        lease = self._leases.of(request)
        if lease is not None:
            lease.dropped = why

    def wait_again(self, request: Request) -> None:
        """Put the link of a request back among those that wait once its requests are gone: the crawl ends first."""
        lease = self._leases.of(request)
        if lease is not None:
            lease.waits_again = True

    # --- Hosts

    def host_failed(self, request: Request, why: str, *, is_sure: bool = True) -> bool:
        """Note that a host did not answer a request; tell whether the request's link waits again. Live webs only."""
        return self._task.is_live and self._unreachable.failed(request, why, is_sure=is_sure)

    def host_answered(self, request: Request) -> None:
        """Note that a host has answered a request."""
        self._unreachable.answered(request)

    def given_up_hosts(self) -> list[GivenUpHost]:
        """Return the hosts that do not answer and were given up, those with most links first."""
        return self._unreachable.given_up()

    def host_counts(self) -> HostCounts:
        """Return how many hosts there are to ask."""
        return self._unreachable.host_counts()

    def failing_hosts(self) -> list[tuple[str, str]]:
        """Return the hosts that do not answer at present, and why."""
        return self._unreachable.failing()


def completion_of(crawler: Crawler | None) -> Completion | None:
    """Return what ends the pages of a crawl on the durable frontier; None where Scrapy's scheduler holds the links."""
    crawl = None if crawler is None else crawl_of(crawler)
    frontier = None if crawl is None else crawl.frontier
    return frontier.completion if isinstance(frontier, DurableFrontier) else None
