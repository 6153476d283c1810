"""Decides how many links are drawn to look around, and when (docs/method/, D74, D75)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.method.training.term_counting import count
from focused.retraining.judged_pages import term_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from focused.frontier.interface import Frontier
    from focused.method.page.page import Page
    from focused.retraining.judged_pages import JudgedPage
    from focused.retraining.stats import RetrainingStats

_TIMES_ROOT = 2.0


def n_drawn_wanted(n_pages: int) -> int:
    """Return how many of the first pages of a crawl should have been drawn: many at first, then ever fewer.

    >>> [n_drawn_wanted(n) for n in (1, 10, 100, 1000)]
    [2, 6, 20, 63]
    """
    return math.floor(_TIMES_ROOT * math.sqrt(n_pages))


@dataclass(eq=False)
class DrawSchedule:
    """Asks the frontier for links that are drawn. Stats: ``focused/retraining/drawn_count``."""

    frontier: Callable[[], Frontier]
    stats: RetrainingStats
    #: Links that were asked for.
    n_asked: int = 0

    def restore(self, pages: Sequence[JudgedPage]) -> None:
        """Count what an earlier run of this crawl has drawn."""
        self.n_asked = sum(page.is_drawn for page in pages)

    def page_added(self, n_pages: int, page: Page) -> None:
        """Ask for as many as are wanted after so many pages."""
        n_more = n_drawn_wanted(n_pages) - self.n_asked
        if n_more > 0:
            self.frontier().draw_links(n_more)
            self.n_asked += n_more
            self.stats.count("drawn_count", n_more)


@dataclass(eq=False)
class SharedDrawSchedule:
    """Asks for links that are drawn where many workers share a crawl: each for its part of those that all of them want.

    A worker's part grows with each of its pages, by what one page more in all asks for. So nobody counts what the others drew.

    Stats: ``focused/retraining/drawn_count``.
    """

    frontier: Callable[[], Frontier]
    stats: RetrainingStats
    #: Links that are wanted and were not asked for; less than one link between two pages.
    n_due: float = 0.0

    def page_added(self, n_pages: int, page: Page) -> None:
        """Ask for what is wanted after a page of this worker; ``n_pages``: of all workers, this one among them."""
        self.n_due += _TIMES_ROOT * (math.sqrt(n_pages) - math.sqrt(n_pages - 1))
        n_more = math.floor(self.n_due)
        if n_more > 0:
            self.n_due -= n_more
            self.frontier().draw_links(n_more)
            self.stats.count("drawn_count", n_more)


@dataclass(eq=False)
class LookingForWords:
    """Draws every other link until a page holds one of the topic's words: until then no score says anything.

    Stats: ``focused/retraining/drawn_count``.
    """

    frontier: Callable[[], Frontier]
    stats: RetrainingStats
    #: The terms of the words.
    terms: Sequence[str]
    #: Whether a page holds one of them.
    is_met: bool = False

    def restore(self, pages: Sequence[JudgedPage]) -> None:
        """Note whether an earlier run of this crawl has met a word."""
        self.is_met = any(term in page.terms for page in pages for term in self.terms)

    def page_added(self, n_pages: int, page: Page) -> None:
        """Ask for a link after every second page, as long as no word was met."""
        if not self.is_met:
            self.is_met = not set(self.terms).isdisjoint(term_counts(count(page.terms)))
        if not self.is_met and n_pages % 2:
            self.frontier().draw_links(1)
            self.stats.count("drawn_count")
